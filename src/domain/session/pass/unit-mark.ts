/** What a pass knows of a unit: sizes and marks, no contents. */
import type { MarkedEntry } from '../marked-entry.js';
import { isHumanPrompt } from '../transcript.js';
import { unitKind, type UnitKind } from '../unit-relevance.js';

/** Every entry is one: a tail of 100,000 is not copied to be measured. */
export interface EntryMark extends Pick<MarkedEntry, 'seq' | 'tokenCount' | 'kind'> {
  /** Tokens of its preview, where that was decided. */
  readonly previewTokens?: number;
}

/** What the trail knows of a unit. */
export interface UnitFacts {
  /** Paths and symbols that it touches or speaks of. */
  readonly references: readonly string[];
  /** Artifacts whose content it holds, with the hash of that content. */
  readonly contents: readonly { readonly path: string; readonly hash: string }[];
  /** It is part of an error that is still open. */
  readonly hasOpenError: boolean;
}

export interface UnitMark extends UnitFacts {
  readonly unitId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly turn: number;
  readonly entries: readonly EntryMark[];
  /** Tokens of its messages beside their contents. */
  readonly overheadTokens: number;
  readonly kind: UnitKind;
  readonly isHumanPrompt: boolean;
  /** The line that a unit left in its place when it was taken out of the middle. */
  readonly isStub: boolean;
}

const NO_FACTS: UnitFacts = { references: [], contents: [], hasOpenError: false };

/** Tokens that a message costs beside its content. */
export const MESSAGE_OVERHEAD_TOKENS = 4;

/**
 * Marks of the units of a tail, in the order of their first entries.
 *
 * @param previews tokens of decided previews by `seq`.
 * @param facts what the trail knows, by unit.
 */
export function markUnits(
  tail: readonly MarkedEntry[],
  previews: ReadonlyMap<number, number>,
  facts: ReadonlyMap<string, UnitFacts> = new Map(),
): readonly UnitMark[] {
  const marks: UnitMark[] = [];
  const ordered = unitByUnit(tail);
  for (let from = 0; from < ordered.length;) {
    const end = endOfUnit(ordered, from);
    marks.push(markUnit(ordered.slice(from, end), previews, facts));
    from = end;
  }
  return marks;
}

function markUnit(
  entries: readonly MarkedEntry[],
  previews: ReadonlyMap<number, number>,
  facts: ReadonlyMap<string, UnitFacts>,
): UnitMark {
  const { unitId = '', seq = 0, turn = 0 } = entries[0] ?? {};
  const known = facts.size === 0 ? undefined : facts.get(unitId);
  const { references, contents, hasOpenError } = known ?? NO_FACTS;
  return {
    unitId,
    firstSeq: seq,
    lastSeq: entries[entries.length - 1]?.seq ?? seq,
    turn,
    entries: previews.size === 0 ? entries : entries.map((entry) => markEntry(entry, previews)),
    overheadTokens: MESSAGE_OVERHEAD_TOKENS * messageCount(entries),
    kind: unitKind(entries),
    isHumanPrompt: entries.some(isHumanPrompt),
    isStub: false,
    references,
    contents,
    hasOpenError,
  };
}

/** The entries of each unit one after the other, units in the order of their first entries. */
function unitByUnit(tail: readonly MarkedEntry[]): readonly MarkedEntry[] {
  if (!isInterleaved(tail)) return tail;
  const places = new Map<string, number>();
  for (const { unitId } of tail) if (!places.has(unitId)) places.set(unitId, places.size);
  const placeOf = ({ unitId }: MarkedEntry): number => places.get(unitId) ?? 0;
  return [...tail].sort((a, b) => placeOf(a) - placeOf(b));
}

function isInterleaved(tail: readonly MarkedEntry[]): boolean {
  const ended = new Set<string>();
  let runs = 0;
  for (let from = 0; from < tail.length; from = endOfUnit(tail, from)) {
    ended.add(tail[from]?.unitId ?? '');
    runs += 1;
  }
  return ended.size < runs;
}

/** Where the run of entries ends that begins there and is of one unit. */
function endOfUnit(entries: readonly MarkedEntry[], from: number): number {
  const unitId = entries[from]?.unitId;
  let end = from + 1;
  while (end < entries.length && entries[end]?.unitId === unitId) end += 1;
  return end;
}

function markEntry(entry: MarkedEntry, previews: ReadonlyMap<number, number>): EntryMark {
  const { seq, tokenCount, kind } = entry;
  const previewTokens = previews.get(seq);
  return previewTokens === undefined ? entry : { seq, tokenCount, kind, previewTokens };
}

/** Tokens of the unit as requests show it, overheads counted. */
export function shownTokens({ entries, overheadTokens }: UnitMark): number {
  let sum = overheadTokens;
  for (const { tokenCount, previewTokens } of entries) sum += previewTokens ?? tokenCount;
  return sum;
}

/** One message, and one for each result. */
function messageCount(entries: readonly MarkedEntry[]): number {
  let results = 0;
  for (const { kind } of entries) if (kind === 'tool_result') results += 1;
  return results === entries.length ? results : results + 1;
}
