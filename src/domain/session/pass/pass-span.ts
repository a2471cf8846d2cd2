/** The entries that a pass takes out, as ranges and as one hash. */
import type { Digest } from '../../kernel/measures.js';
import type { MarkedEntry } from '../marked-entry.js';
import type { EntrySpan, StoredStub } from '../summary/session-cycle.js';
import type { PassPlan } from './plan-pass.js';
import type { RequestInput, RequestState } from './request-state.js';
import { stubText } from './stub-text.js';
import { shownTokens } from './unit-mark.js';

/**
 * Entries that leave: all behind the cut in force up to the new one, but the frame's and those that
 * left out of the middle before; and units that leave out of the middle now.
 */
export function leavingEntries<Entry extends MarkedEntry>(
  { entries, cut }: RequestInput<Entry>,
  { frameEntries }: Pick<RequestState<MarkedEntry>, 'frameEntries'>,
  { span }: Pick<PassPlan, 'span'>,
): readonly Entry[] {
  const frame = new Set(frameEntries.map(({ seq }) => seq));
  const stubbed = new Set(span.stubs.map(({ unitId }) => unitId));
  const leaving: Entry[] = [];
  for (const entry of entries) {
    const { seq, unitId } = entry;
    if (seq <= cut.cutSeq || (seq > span.cutSeq && !stubbed.has(unitId))) continue;
    if (!frame.has(seq) && !cut.leftUnits.has(unitId)) leaving.push(entry);
  }
  return leaving;
}

/**
 * Entries of which the next request is made: the frame's and the first that is said behind them, what
 * stays behind the cut, the prompt that is placed again; and the latest prompt, wherever it stands.
 */
export function keptEntries<Entry extends MarkedEntry>(
  { entries, cut, stubs }: RequestInput<Entry>,
  { latestPrompt }: Pick<RequestState<MarkedEntry>, 'latestPrompt'>,
  { span, promptAgainSeq }: Pick<PassPlan, 'span' | 'promptAgainSeq'>,
): readonly Entry[] {
  const cutSeq = Math.max(cut.cutSeq, span.cutSeq);
  const left = new Set([...stubs, ...span.stubs].map(({ unitId }) => unitId));
  const firstSaid = entries.findIndex(
    ({ active, kind }) => active && kind !== 'system' && kind !== 'summary',
  );
  return entries.filter(
    ({ seq, unitId, active }, index) =>
      index <= firstSaid ||
      (active && seq > cutSeq && !left.has(unitId)) ||
      seq === promptAgainSeq ||
      seq === latestPrompt?.seq,
  );
}

/** The lines that the units leave in their places. */
export function newStubs<Entry extends MarkedEntry>(
  { state }: RequestState<Entry>,
  { span }: Pick<PassPlan, 'span'>,
): readonly StoredStub[] {
  const stubbed = new Set(span.stubs.map(({ unitId }) => unitId));
  return state.units
    .filter(({ unitId, isStub }) => !isStub && stubbed.has(unitId))
    .map((unit) => {
      const { firstSeq: seq, lastSeq, unitId, turn, kind } = unit;
      return { seq, lastSeq, unitId, turn, kind, text: stubText(unit, shownTokens(unit)) };
    });
}

export function spanOf(entries: readonly Pick<MarkedEntry, 'seq'>[]): readonly EntrySpan[] {
  const spans: { from: number; to: number }[] = [];
  for (const { seq } of entries) {
    const last = spans.at(-1);
    if (last !== undefined && seq === last.to + 1) last.to = seq;
    else spans.push({ from: seq, to: seq });
  }
  return spans;
}

/**
 * Equal for equal entries in equal places: of `[[seq, hash], …]` as JSON.
 *
 * @param hashOf the content hash of an entry, 64 hexadecimal digits.
 */
export function spanHashOf(
  entries: readonly Pick<MarkedEntry, 'seq'>[],
  hashOf: (seq: number) => string,
  digest: Digest,
): string {
  return digest(`[${entries.map(({ seq }) => `[${seq},"${hashOf(seq)}"]`).join(',')}]`);
}
