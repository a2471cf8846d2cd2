/** What a pass knows of a unit: sizes and marks, no contents. */
import type { MarkedEntry } from '../marked-entry.js';
import { isHumanPrompt } from '../transcript.js';
import { unitKind, type UnitKind } from '../unit-relevance.js';

export interface EntryMark {
  readonly seq: number;
  /** Tokens of the whole entry by the session's counter. */
  readonly tokens: number;
  /** Tokens of its preview where that was decided, else null. */
  readonly previewTokens: number | null;
  /** Media are priced, never previewed. */
  readonly isText: boolean;
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
  const units = new Map<string, MarkedEntry[]>();
  for (const entry of tail) {
    const unit = units.get(entry.unitId);
    if (unit === undefined) units.set(entry.unitId, [entry]);
    else unit.push(entry);
  }
  const marks: UnitMark[] = [];
  for (const [unitId, entries] of units) {
    const { references, contents, hasOpenError } = facts.get(unitId) ?? NO_FACTS;
    marks.push({
      unitId,
      firstSeq: entries[0]?.seq ?? 0,
      lastSeq: entries.at(-1)?.seq ?? 0,
      turn: entries[0]?.turn ?? 0,
      entries: entries.map((entry) => markEntry(entry, previews)),
      overheadTokens: MESSAGE_OVERHEAD_TOKENS * messageCount(entries),
      kind: unitKind(entries),
      isHumanPrompt: entries.some(isHumanPrompt),
      isStub: false,
      references,
      contents,
      hasOpenError,
    });
  }
  return marks;
}

function markEntry(
  { seq, tokenCount, kind }: MarkedEntry,
  previews: ReadonlyMap<number, number>,
): EntryMark {
  const previewTokens = previews.get(seq) ?? null;
  return { seq, tokens: tokenCount, previewTokens, isText: kind !== 'attachment' };
}

/** Tokens of the unit as requests show it, overheads counted. */
export function shownTokens({ entries, overheadTokens }: UnitMark): number {
  let sum = overheadTokens;
  for (const { tokens, previewTokens } of entries) sum += previewTokens ?? tokens;
  return sum;
}

/** One message, and one for each result. */
function messageCount(entries: readonly MarkedEntry[]): number {
  let results = 0;
  for (const { kind } of entries) if (kind === 'tool_result') results += 1;
  return results === entries.length ? results : results + 1;
}
