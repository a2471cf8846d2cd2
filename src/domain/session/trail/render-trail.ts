/** The trail as text under a token budget: whole lines, the most telling first, the rest as counts. */
import type { TokenCounter } from '../../kernel/measures.js';
import type { Artifact } from './artifact.js';
import type { Trail } from './trail.js';
import { errorPlaces, latestFirst, openErrors } from './trail-answers.js';

/** What of a trail is rendered. */
export const RENDERED_PARTS = ['artifacts', 'renames', 'errors'] as const;

/** The trail of a session, or of a child whose lines name it. */
export interface TrailSource {
  readonly trail: Pick<Trail, (typeof RENDERED_PARTS)[number]>;
  /** Name of the child session; null: the session itself. */
  readonly origin: string | null;
}

export const TRAIL_GROUPS = ['open-errors', 'changed', 'deleted-and-renamed', 'read'] as const;

export type TrailGroup = (typeof TRAIL_GROUPS)[number];

export interface RenderedTrail {
  /** Empty where not even the counts fit. */
  readonly text: string;
  readonly tokenCount: number;
  readonly shown: number;
  /** Artifacts left out, by the group they would have stood in. */
  readonly leftOut: Readonly<Record<TrailGroup, number>>;
}

interface Line {
  readonly group: TrailGroup;
  /** Written when it is shown: of a long trail most lines are not. */
  readonly text: () => string;
}

const TITLES: Readonly<Record<TrailGroup, string>> = {
  'open-errors': 'Files with open errors',
  changed: 'Changed',
  'deleted-and-renamed': 'Deleted and renamed',
  read: 'Read only',
};

/** Symbols that a line names. */
const SHOWN_SYMBOLS = 4;

/** @param budgetTokens ceiling of the text, titles and counts included. */
export function renderTrail(
  sources: readonly TrailSource[],
  budgetTokens: number,
  counter: TokenCounter,
): RenderedTrail {
  const lines = orderedLines(sources);
  // Lines are counted one by one up to the budget, so a long trail costs no more than a short one.
  let [shown, tokens] = [0, 0];
  for (const { text } of lines) {
    tokens += counter.count(`- ${text()}\n`);
    if (tokens > budgetTokens) break;
    shown += 1;
  }
  for (; shown >= 0; shown -= 1) {
    const text = written(lines, shown);
    const tokenCount = counter.count(text);
    if (tokenCount <= budgetTokens) {
      return { text, tokenCount, shown, leftOut: countByGroup(lines.slice(shown)) };
    }
  }
  return { text: '', tokenCount: 0, shown: 0, leftOut: countByGroup(lines) };
}

function written(lines: readonly Line[], shown: number): string {
  const leftOut = countByGroup(lines.slice(shown));
  return TRAIL_GROUPS.flatMap((group) => {
    const own = lines.slice(0, shown).filter((line) => line.group === group);
    const more = leftOut[group];
    if (own.length === 0 && more === 0) return [];
    return [
      `${TITLES[group]}:`,
      ...own.map(({ text }) => `- ${text()}`),
      ...(more === 0 ? [] : [`- ${more}${own.length === 0 ? '' : ' more'}: trail:${group}`]),
    ];
  }).join('\n');
}

function countByGroup(lines: readonly Line[]): Record<TrailGroup, number> {
  const counts = { 'open-errors': 0, changed: 0, 'deleted-and-renamed': 0, read: 0 };
  for (const { group } of lines) counts[group] += 1;
  return counts;
}

/** The session's own lines come before those of its children; an artifact stands in one group. */
function orderedLines(sources: readonly TrailSource[]): readonly Line[] {
  const lines = sources.flatMap(({ trail, origin }) => {
    const failing = new Map<Artifact, string>();
    const placeOf = errorPlaces(trail);
    for (const error of openErrors(trail)) {
      const artifact = placeOf(error);
      if (artifact !== null && !failing.has(artifact)) failing.set(artifact, error.firstLine);
    }
    const from = origin === null ? '' : ` [${origin}]`;
    return [...trail.artifacts.values()].sort(latestFirst).flatMap((artifact): readonly Line[] => {
      const group = groupOf(artifact, failing);
      if (group === null) return [];
      return [{ group, text: () => describe(artifact, failing.get(artifact)) + from }];
    });
  });
  return TRAIL_GROUPS.flatMap((group) => lines.filter((line) => line.group === group));
}

function groupOf(artifact: Artifact, failing: ReadonlyMap<Artifact, string>): TrailGroup | null {
  if (failing.has(artifact)) return 'open-errors';
  switch (artifact.state) {
    case 'deleted':
    case 'renamed':
      return 'deleted-and-renamed';
    case 'created':
    case 'modified':
      return 'changed';
    case 'read':
      return artifact.renamedFrom === null ? 'read' : 'deleted-and-renamed';
    case 'listed':
      return null;
  }
}

function describe(artifact: Artifact, error: string | undefined): string {
  const { path, state, renamedFrom, counts, linesAdded, linesRemoved, symbols } = artifact;
  const changes = counts.created + counts.modified;
  const parts: string[] = [state];
  if (renamedFrom !== null) parts.push(`was ${renamedFrom}`);
  if (changes > 1) parts.push(`${changes} changes`);
  if (linesAdded + linesRemoved > 0) parts.push(`+${linesAdded} −${linesRemoved}`);
  if (artifact.netChange === 'none' && state === 'modified') parts.push('back as it was');
  if (symbols.length > 0 && state !== 'deleted') {
    parts.push(
      symbols
        .slice(-SHOWN_SYMBOLS)
        .map((symbol) => `\`${symbol}\``)
        .join(' '),
    );
  }
  const seq = artifact.lastChangeSeq ?? artifact.lastSeq;
  const fault = error === undefined ? '' : ` — ${error}`;
  return `${path} (${parts.join(', ')}; entry:${seq})${fault}`;
}
