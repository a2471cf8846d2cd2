/**
 * The strategy `regenerative`: every section anew from the whole history before the cut. Where that is
 * larger than a window, each request carries what was written so far, and the last answer counts.
 */
import type { PassInput } from '../../../domain/session/pass/finish-pass.js';
import { cutWindows, renderHandled } from '../../../domain/session/pass/span-windows.js';
import type { StoredEntry } from '../../../domain/session/stored-entry.js';
import {
  mergeDocument,
  parseDocument,
  renderDocument,
  type SummaryDocument,
} from '../../../domain/session/summary/document.js';
import { fillSections } from '../../../domain/session/summary/fill-sections.js';
import { headWithin } from '../../../domain/session/summary/head-within.js';
import { pinStandingRules, takeProposals } from '../../../domain/session/summary/pins.js';
import type { Making } from '../../../domain/session/summary/summary-item.js';
import type { SummaryAnswer } from '../summarise.js';
import { refused } from './draft-anchored.js';
import {
  askWindow,
  cleaned,
  complaintsOf,
  type DraftOutcome,
  type SummarizerRun,
  type Taken,
  wrongKind,
} from './summarizer-run.js';

/** @param history active entries from the first to the last that leaves, without the frame's. */
export async function draftRegenerative<Entry extends StoredEntry>(
  input: PassInput<Entry>,
  history: readonly Entry[],
  run: SummarizerRun,
): Promise<DraftOutcome> {
  const { request, span, lines, making, counter, digest } = input;
  const byCode: Making = { ...making, producer: 'trail' };
  const bySummarizer: Making = { ...making, producer: `model:${run.summarizer.name}` };
  const windows = cutWindows(history, run.shares.windowTokens, counter);
  const seqs = new Set(history.map(({ seq }) => seq));
  const ruled = pinStandingRules(request.summary, span, byCode, digest).summary;
  const start = fillSections(ruled, lines, byCode, { counter, digest });

  const write = (answer: SummaryAnswer): Taken<SummaryDocument> => {
    if (answer.kind !== 'document') return wrongKind('document');
    const parsed = parseDocument(cleaned(run, answer.document));
    if (parsed.outcome === 'invalid') return refused(parsed.faults);
    const verdict = mergeDocument(start, parsed.document, seqs, bySummarizer);
    if (verdict.outcome === 'invalid') return refused(verdict.faults);
    return { isTaken: true, value: parsed.document };
  };
  const writeAll = async (complaints: readonly string[]): Promise<DraftOutcome> => {
    let document: SummaryDocument = { items: [] };
    for (const [index, window] of windows.entries()) {
      const soFar = renderDocument(document, request.summary.schema);
      const referenceWithin = (maxTokens: number): string =>
        maxTokens < 1 ? '' : headWithin(soFar, maxTokens, counter).text;
      const count = windows.length;
      const approach = 'regenerative' as const;
      const asked = { approach, window, index, count, referenceWithin, complaints };
      const answer = await askWindow(run, asked, write);
      if (answer.outcome !== 'taken') return answer;
      document = answer.value;
    }
    const merged = mergeDocument(start, document, seqs, bySummarizer);
    if (merged.outcome === 'invalid') {
      const reasons = merged.faults.map(({ reason }) => ({
        code: 'invalid-answer' as const,
        itemNo: null,
        reason,
      }));
      return { outcome: 'rejected', reasons };
    }
    const pinned = takeProposals(merged.summary, merged.proposals, history, byCode, digest);
    const summary = fillSections(pinned.summary, lines, byCode, { counter, digest });
    return {
      outcome: 'drafted',
      draft: {
        strategy: 'regenerative',
        summary,
        patches: [],
        answers: windows.map(() => 'complete' as const),
        blob: null,
        history: history.map(renderHandled),
      },
      again: (reasons) => writeAll(complaintsOf(reasons)),
    };
  };
  return writeAll([]);
}
