/**
 * The strategy `anchored`: the sections that code fills are filled first, so that the summarizer sees
 * them; then each window's patch is folded in by the same merge.
 */
import type { PassInput } from '../../../domain/session/pass/finish-pass.js';
import { cutWindows } from '../../../domain/session/pass/span-windows.js';
import type { StoredEntry } from '../../../domain/session/stored-entry.js';
import { fillSections } from '../../../domain/session/summary/fill-sections.js';
import { changedItems } from '../../../domain/session/summary/item-changes.js';
import { mergePatch } from '../../../domain/session/summary/merge-patch.js';
import {
  parsePatch,
  type PatchFault,
  type SummaryPatch,
} from '../../../domain/session/summary/patch.js';
import { pinStandingRules, takeProposals } from '../../../domain/session/summary/pins.js';
import { renderReference } from '../../../domain/session/summary/reference.js';
import type { AttemptReason } from '../../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary, Making } from '../../../domain/session/summary/summary-item.js';
import type { SummaryAnswer } from '../summarise.js';
import {
  askWindow,
  cleaned,
  complaintsOf,
  type DraftOutcome,
  type SummarizerRun,
  type Taken,
  wrongKind,
} from './summarizer-run.js';

/** A window that was folded in. */
interface Folded {
  readonly before: AnchoredSummary;
  readonly after: AnchoredSummary;
  readonly patch: SummaryPatch;
}

export async function draftAnchored<Entry extends StoredEntry>(
  input: PassInput<Entry>,
  run: SummarizerRun,
): Promise<DraftOutcome> {
  const { request, span, lines, making, counter, digest } = input;
  const byCode: Making = { ...making, producer: 'trail' };
  const bySummarizer: Making = { ...making, producer: `model:${run.summarizer.name}` };
  const windows = cutWindows(span, run.shares.windowTokens, counter);
  const entries = new Map(span.map((entry) => [entry.seq, entry]));
  const fill = (summary: AnchoredSummary): AnchoredSummary =>
    fillSections(summary, lines, byCode, { counter, digest });

  const fold = (
    before: AnchoredSummary,
    seqs: readonly number[],
    answer: SummaryAnswer,
  ): Taken<Folded> => {
    if (answer.kind !== 'patch') return wrongKind('patch');
    const parsed = parsePatch(cleaned(run, answer.patch));
    if (parsed.outcome === 'invalid') return refused(parsed.faults);
    const merged = mergePatch(before, parsed.patch, new Set(seqs), bySummarizer);
    if (merged.outcome === 'invalid') return refused(merged.faults);
    const shown = seqs.flatMap((seq) => entries.get(seq) ?? []);
    const { summary } = takeProposals(merged.summary, merged.proposals, shown, byCode, digest);
    return { isTaken: true, value: { before, after: summary, patch: parsed.patch } };
  };

  const start = fill(pinStandingRules(request.summary, span, byCode, digest).summary);
  const foldFrom = async (
    done: readonly Folded[],
    complaints: readonly string[],
  ): Promise<DraftOutcome> => {
    const folded = [...done];
    for (const [index, window] of windows.entries()) {
      if (index < done.length) continue;
      const before = folded.at(-1)?.after ?? start;
      const asked = await askWindow(
        run,
        {
          approach: 'anchored',
          window,
          index,
          count: windows.length,
          referenceWithin: (maxTokens) =>
            renderReference(before, window.text, maxTokens, counter).text,
          complaints,
        },
        (answer) => fold(before, window.seqs, answer),
      );
      if (asked.outcome !== 'taken') return asked;
      folded.push(asked.value);
    }
    return {
      outcome: 'drafted',
      draft: {
        strategy: 'anchored',
        summary: fill(folded.at(-1)?.after ?? start),
        patches: folded.map(({ patch }) => patch),
        answers: folded.map(() => 'complete' as const),
        blob: null,
        history: [],
      },
      // Later windows were asked about a summary that is no longer so.
      again: (reasons) =>
        foldFrom(folded.slice(0, firstAt(reasons, folded)), complaintsOf(reasons)),
    };
  };
  return foldFrom([], []);
}

/** The first window that a reason is about; of a reason about no item, the first one at all. */
function firstAt(reasons: readonly AttemptReason[], folded: readonly Folded[]): number {
  const changed = folded.map(
    ({ before, after }) => new Set(changedItems(before, after).map((item) => item.after.itemNo)),
  );
  const places = reasons.map(({ itemNo }) =>
    itemNo === null
      ? 0
      : Math.max(
          0,
          changed.findIndex((items) => items.has(itemNo)),
        ),
  );
  return Math.min(...places, folded.length);
}

export function refused(faults: readonly PatchFault[]): Taken<never> {
  const complaints = faults.map(({ operation, code, reason }) =>
    operation === null ? `${code}: ${reason}` : `operation ${operation}, ${code}: ${reason}`,
  );
  return { isTaken: false, complaints };
}
