/**
 * What an implementing agent starts from: the goal, the constraints, the whole spec, and the files that
 * the spec names, as many as the budget holds. What did not fit is named in the text itself.
 */
import type { TokenCounter } from '../kernel/measures.js';

/** A file that the spec names; `content` null: it is not there (yet), or no text. */
export interface ActiveFile {
  readonly path: string;
  readonly content: string | null;
  readonly missing?: 'not-there' | 'unreadable';
}

export interface LeftOutFile {
  readonly path: string;
  /** Null where there is no text. */
  readonly tokens: number | null;
  readonly reason: 'over-budget' | 'not-there' | 'unreadable';
}

export interface ContextMaterial {
  readonly goal: string;
  /** Each kept word for word. */
  readonly constraints: readonly string[];
  readonly spec: string;
  /** In order of importance. */
  readonly files: readonly ActiveFile[];
}

export interface ImplementationContext {
  /** `over-budget`: goal, constraints and spec alone do not fit; they are never cut, so there is no text. */
  readonly outcome: 'rendered' | 'over-budget';
  readonly text: string;
  readonly tokens: number;
  readonly budgetTokens: number;
  readonly constraintTokens: number;
  readonly specTokens: number;
  readonly files: readonly { readonly path: string; readonly tokens: number }[];
  readonly leftOut: readonly LeftOutFile[];
}

export function buildImplementationContext(
  material: ContextMaterial,
  budgetTokens: number,
  counter: TokenCounter,
): ImplementationContext {
  const sized = material.files.map((file) => ({
    ...file,
    tokens: file.content === null ? null : counter.count(renderFile(file.path, file.content)),
  }));
  const kept = chooseFiles(material, sized, budgetTokens, counter);
  for (;;) {
    const shown = sized.filter(({ path }) => kept.includes(path));
    const leftOut = sized
      .filter(({ path }) => !kept.includes(path))
      .map(({ path, tokens, missing = 'not-there' }): LeftOutFile => ({
        path,
        tokens,
        reason: tokens === null ? missing : 'over-budget',
      }));
    const text = render(material, shown, leftOut);
    const tokens = counter.count(text);
    const isOver = tokens > budgetTokens;
    // A list of what is left out takes room too: the last file makes it.
    if (isOver && kept.pop() !== undefined) continue;
    return {
      outcome: isOver ? 'over-budget' : 'rendered',
      text: isOver ? '' : text,
      tokens,
      budgetTokens,
      constraintTokens: counter.count(material.constraints.join('\n')),
      specTokens: counter.count(material.spec),
      files: shown.map(({ path, tokens: size }) => ({ path, tokens: size ?? 0 })),
      leftOut,
    };
  }
}

interface SizedFile extends ActiveFile {
  readonly tokens: number | null;
}

/** In the given order; one that is too large is passed over, those behind it may still fit. */
function chooseFiles(
  material: ContextMaterial,
  files: readonly SizedFile[],
  budgetTokens: number,
  counter: TokenCounter,
): string[] {
  let free = budgetTokens - counter.count(render(material, [], []));
  return files.flatMap(({ path, tokens }) => {
    if (tokens === null || tokens > free) return [];
    free -= tokens;
    return [path];
  });
}

const ABSENT = {
  'not-there': 'does not exist yet',
  unreadable: 'no text that could be shown',
} as const;

function render(
  { goal, constraints, spec }: ContextMaterial,
  files: readonly ActiveFile[],
  leftOut: readonly LeftOutFile[],
): string {
  const rules = constraints.map((text) => `- ${text}`).join('\n');
  const named = leftOut.map(
    ({ path, tokens, reason }) =>
      `- ${path} (${reason === 'over-budget' ? `${tokens} tokens, no room` : ABSENT[reason]})`,
  );
  return [
    `# Goal\n\n${goal}`,
    `# Constraints\n\n${rules === '' ? 'none' : rules}`,
    spec.trimEnd(),
    ...files.map(({ path, content }) => renderFile(path, content ?? '')),
    ...(named.length === 0 ? [] : [`# Files that are not shown\n\n${named.join('\n')}`]),
  ].join('\n\n');
}

function renderFile(path: string, content: string): string {
  const runs = content.match(/`{3,}/g) ?? [];
  const marks = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `# File ${path}\n\n${marks}\n${content.replace(/\n$/, '')}\n${marks}`;
}
