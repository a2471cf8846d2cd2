/** Questions to a trail, answered without a model and without reading entries. */
import type { Artifact } from './artifact.js';
import type { ArtifactEvent } from './artifact-event.js';
import { isBelow } from './artifact-path.js';
import type { SessionCommand } from './session-commands.js';
import type { SessionError } from './session-errors.js';
import type { Trail } from './trail.js';

export type ArtifactList = 'created' | 'modified' | 'read' | 'deleted' | 'renamed' | 'listed';

/**
 * Artifacts of one list, the latest touch first, then by path. `modified` holds what was changed and
 * not made here; a renamed artifact is also in the list of its state. No path is in both `modified`
 * and `read`.
 */
export function listArtifacts(trail: Trail, list: ArtifactList): readonly Artifact[] {
  return [...trail.artifacts.values()]
    .filter(({ state, renamedFrom }) =>
      list === 'renamed' ? renamedFrom !== null && state !== 'deleted' : state === list,
    )
    .sort(latestFirst);
}

export function latestFirst(a: Artifact, b: Artifact): number {
  const [left, right] = [a.lastChangeSeq ?? a.lastSeq, b.lastChangeSeq ?? b.lastSeq];
  return right - left || (a.path < b.path ? -1 : 1);
}

/** A path, and what it was renamed to, one after the other. */
export function laterNames({ renames }: Pick<Trail, 'renames'>, path: string): readonly string[] {
  const names = new Set<string>();
  for (let name: string | undefined = path; name !== undefined && !names.has(name);) {
    names.add(name);
    name = renames.get(name);
  }
  return [...names];
}

/** What tells artifacts by their names. */
type NamedArtifacts = Pick<Trail, 'artifacts' | 'renames'>;

/** The artifact of a path, also under one that it had before a rename; null: none. */
export function findArtifact(trail: NamedArtifacts, path: string): Artifact | null {
  const own = trail.artifacts.get(path);
  if (own !== undefined) return own;
  const present = laterNames(trail, path).find((name) => trail.artifacts.has(name));
  return present === undefined ? null : (trail.artifacts.get(present) ?? null);
}

/** Every path that the artifact had, the present one last. */
export function pathsOf(trail: NamedArtifacts, path: string): readonly string[] {
  const present = findArtifact(trail, path)?.path ?? path;
  const paths = [present];
  for (const known of paths) {
    for (const [from, to] of trail.renames) {
      if (to === known && !paths.includes(from)) paths.push(from);
    }
  }
  return paths.reverse();
}

/** How a path came to be what it is: its events under all its names, in order. */
export function historyOf(
  trail: Trail,
  events: readonly ArtifactEvent[],
  path: string,
): readonly ArtifactEvent[] {
  const paths = new Set(pathsOf(trail, path));
  return events.filter((event) => paths.has(event.path));
}

/** The latest commands, the last first. */
export function lastCommands(trail: Trail, count: number): readonly SessionCommand[] {
  return [...trail.commands.values()].sort((a, b) => b.seq - a.seq).slice(0, count);
}

/** The latest seen first. */
export function openErrors(trail: Pick<Trail, 'errors'>): readonly SessionError[] {
  return [...trail.errors.values()]
    .filter(({ state }) => state === 'open')
    .sort((a, b) => (b.seenAt.at(-1) ?? 0) - (a.seenAt.at(-1) ?? 0));
}

/**
 * Tells the artifact that an error's place means, or null: tools name files from where they run, so a
 * path of the trail fits when one ends with the other. Such paths share their last part, by which a
 * trail of many artifacts is looked through once for all errors.
 */
export function errorPlaces(trail: NamedArtifacts): (error: SessionError) => Artifact | null {
  const byName = new Map<string, Artifact[]>();
  for (const artifact of trail.artifacts.values()) {
    const held = byName.get(lastPart(artifact.path));
    if (held === undefined) byName.set(lastPart(artifact.path), [artifact]);
    else held.push(artifact);
  }
  return ({ file }) => {
    if (file === null) return null;
    const plain = file.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
    const exact = findArtifact(trail, plain);
    if (exact !== null) return exact;
    const fitting = (byName.get(lastPart(plain)) ?? []).filter(
      ({ path }) => path.endsWith(`/${plain}`) || plain.endsWith(`/${path}`),
    );
    const [only] = fitting;
    return fitting.length === 1 && only !== undefined ? only : null;
  };
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export type Since = { readonly afterSeq: number } | { readonly from: string };

/**
 * What was done since an entry, or since a time (ISO 8601). Records without a time are not told by
 * time.
 */
export function doneSince(
  trail: Trail,
  events: readonly ArtifactEvent[],
  since: Since,
): { readonly events: readonly ArtifactEvent[]; readonly commands: readonly SessionCommand[] } {
  const isLater = ({ seq, occurredAt }: Pick<ArtifactEvent, 'seq' | 'occurredAt'>): boolean =>
    'afterSeq' in since
      ? seq > since.afterSeq
      : occurredAt !== null && Date.parse(occurredAt) >= Date.parse(since.from);
  return {
    events: events.filter(isLater),
    commands: [...trail.commands.values()].filter(isLater),
  };
}

/** Artifacts at the path or below it. */
export function artifactsUnder(trail: Trail, path: string): readonly Artifact[] {
  return [...trail.artifacts.values()]
    .filter((artifact) => artifact.path === path || isBelow(artifact.path, path))
    .sort(latestFirst);
}
