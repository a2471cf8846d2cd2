/** What people call lessons and projects, as ids. */
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';

export interface ScopeOptions {
  readonly project?: string;
  readonly global?: boolean;
}

/** The lesson whose id begins so. */
export function lessonOf({ lessons }: Ossature, prefix: string): Promise<string> {
  return lessons.ledger.findByPrefix(prefix);
}

/** `A,B` and `A B`, each by the beginning of its id; `none` is an empty list. */
export async function lessonsOf(
  core: Ossature,
  text: string | undefined,
): Promise<readonly string[] | undefined> {
  if (text === undefined) return undefined;
  if (text.trim() === 'none') return [];
  const names = text.split(/[,\s]+/).filter((name) => name !== '');
  return Promise.all(names.map((name) => lessonOf(core, name)));
}

/** Null: global; undefined: nobody said. */
export async function namedScope(
  core: Ossature,
  { project, global = false }: ScopeOptions,
): Promise<string | null | undefined> {
  if (project !== undefined && global)
    throw new UsageError('Give --project or --global, not both.');
  if (global) return null;
  return project === undefined ? undefined : (await core.projects.getByName(project)).projectId;
}

/** Where nobody said it, the only project there is; without any, global. */
export async function scopeToWrite(core: Ossature, options: ScopeOptions): Promise<string | null> {
  const named = await namedScope(core, options);
  if (named !== undefined) return named;
  const [project, another] = await core.projects.list();
  if (another !== undefined) {
    throw new UsageError('There are several projects: say --project NAME, or --global for all.');
  }
  return project?.projectId ?? null;
}

export async function projectName(core: Ossature, projectId: string | null): Promise<string> {
  if (projectId === null) return 'global';
  const projects = await core.projects.list();
  return projects.find((project) => project.projectId === projectId)?.name ?? projectId;
}
