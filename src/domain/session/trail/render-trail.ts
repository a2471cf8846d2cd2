/**
 * The trail as text under a token budget: the most telling lines first, the rest as counts. Where not all
 * lines fit, as many files as can be are named by their path alone, and the first of them have a whole line.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import type { Artifact } from './artifact.js';
import { isPathAlone, listPaths, PATH_LIST_FORM } from './path-list.js';
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
  /** The path where it may stand alone, else null: what was removed, moved, fails or is a child's is said. */
  readonly path: string | null;
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

/** A name and what parts it from the next. */
const LEAST_TOKENS_OF_PATH = 2;

/** @param budgetTokens ceiling of the text, titles and counts included. */
export function renderTrail(
  sources: readonly TrailSource[],
  budgetTokens: number,
  counter: TokenCounter,
): RenderedTrail {
  const lines = orderedLines(sources);
  const fits = (shown: number, whole: number): boolean =>
    counter.count(written(lines, shown, whole)) <= budgetTokens;
  const most = Math.min(lines.length, Math.ceil(budgetTokens / LEAST_TOKENS_OF_PATH));
  // A long trail costs no more than what could be shown of it.
  const shown = mostThat(most, (some) => fits(some, 0));
  const whole = mostThat(shown, (some) => fits(shown, some));
  const text = fits(shown, whole) ? written(lines, shown, whole) : '';
  return {
    text,
    tokenCount: counter.count(text),
    shown,
    leftOut: countByGroup(lines.slice(shown)),
  };
}

/** The most up to `most` that holds, 0 where none does. */
function mostThat(most: number, holds: (some: number) => boolean): number {
  if (holds(most)) return most;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The first `whole` lines whole, the others up to `shown` by their paths where these may stand alone. */
function written(lines: readonly Line[], shown: number, whole: number): string {
  const leftOut = countByGroup(lines.slice(shown));
  return TRAIL_GROUPS.flatMap((group) => {
    const own = lines
      .slice(0, shown)
      .flatMap((line, at) => (line.group === group ? [{ ...line, isWhole: at < whole }] : []));
    const more = leftOut[group];
    if (own.length === 0 && more === 0) return [];
    const bare = own.flatMap(({ path, isWhole }) => (isWhole || path === null ? [] : [path]));
    return [
      `${TITLES[group]}:`,
      ...own.flatMap(({ path, isWhole, text }) =>
        isWhole || path === null ? [`- ${text()}`] : [],
      ),
      ...(bare.length === 0 ? [] : [`- paths only, as ${PATH_LIST_FORM}:`, ...listPaths(bare)]),
      ...(more === 0 ? [] : [`- ${more}${own.length === 0 ? '' : ' more'}: trail:${group}`]),
    ];
  }).join('\n');
}

function countByGroup(lines: readonly Line[]): Record<TrailGroup, number> {
  const counts = { 'open-errors': 0, changed: 0, 'deleted-and-renamed': 0, read: 0 };
  for (const { group } of lines) counts[group] += 1;
  return counts;
}

/** An artifact in the one group in which it stands. */
export interface GroupedArtifact {
  readonly artifact: Artifact;
  readonly group: TrailGroup;
  /** First line of the open error that names it. */
  readonly error: string | undefined;
}

/** What was touched, the latest first; what was only listed stands in no group. */
export function groupArtifacts(
  trail: Pick<Trail, 'artifacts' | 'errors' | 'renames'>,
): readonly GroupedArtifact[] {
  const failing = new Map<Artifact, string>();
  const placeOf = errorPlaces(trail);
  for (const error of openErrors(trail)) {
    const artifact = placeOf(error);
    if (artifact !== null && !failing.has(artifact)) failing.set(artifact, error.firstLine);
  }
  return [...trail.artifacts.values()].sort(latestFirst).flatMap((artifact) => {
    const group = groupOf(artifact, failing);
    return group === null ? [] : [{ artifact, group, error: failing.get(artifact) }];
  });
}

/** The session's own lines come before those of its children. */
function orderedLines(sources: readonly TrailSource[]): readonly Line[] {
  const lines = sources.flatMap(({ trail, origin }) => {
    const from = origin === null ? '' : ` [${origin}]`;
    return groupArtifacts(trail).map(({ artifact, group, error }): Line => {
      const mayStandAlone =
        origin === null &&
        (group === 'changed' || group === 'read') &&
        isPathAlone(artifact.path) &&
        !(artifact.state === 'modified' && artifact.netChange === 'none');
      return {
        group,
        path: mayStandAlone ? artifact.path : null,
        text: () => describe(artifact, error) + from,
      };
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
