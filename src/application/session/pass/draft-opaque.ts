/**
 * The strategy `opaque`: a blob stands for the span. Pins, asks, trail and the latest prompt stay ours
 * and outside of it. A span larger than a window is folded: each request carries the blob so far.
 */
import { isTextBlob } from '../../../domain/session/pass/request-state.js';
import type { PassInput } from '../../../domain/session/pass/finish-pass.js';
import { cutWindows } from '../../../domain/session/pass/span-windows.js';
import type { StoredEntry } from '../../../domain/session/stored-entry.js';
import { fillSections } from '../../../domain/session/summary/fill-sections.js';
import { pinStandingRules } from '../../../domain/session/summary/pins.js';
import type { StoredBlob } from '../../../domain/session/summary/session-cycle.js';
import type { Making } from '../../../domain/session/summary/summary-item.js';
import type { SummaryAnswer } from '../summarise.js';
import {
  askWindow,
  complaintsOf,
  type DraftOutcome,
  type SummarizerRun,
  type Taken,
  wrongKind,
} from './summarizer-run.js';

export async function draftOpaque<Entry extends StoredEntry>(
  input: PassInput<Entry>,
  run: SummarizerRun,
): Promise<DraftOutcome> {
  const { request, span, lines, making, counter, digest } = input;
  const byCode: Making = { ...making, producer: 'trail' };
  const ruled = pinStandingRules(request.summary, span, byCode, digest).summary;
  const summary = fillSections(ruled, lines, byCode, { counter, digest });
  const windows = cutWindows(span, run.shares.windowTokens, counter);

  const take = (answer: SummaryAnswer): Taken<StoredBlob> => {
    if (answer.kind !== 'opaque') return wrongKind('opaque');
    const { provider, format, payload, expiresAt } = answer.blob;
    const complaints = [
      ...(provider.trim() === '' ? ['provider must not be empty'] : []),
      ...(format.trim() === '' ? ['format must not be empty'] : []),
      ...(payload.trim() === '' ? ['payload must not be empty'] : []),
    ];
    if (complaints.length > 0) return { isTaken: false, complaints };
    const isText = isTextBlob({ format });
    const blob: StoredBlob = {
      provider,
      format,
      // What only its provider can read must go back to it byte for byte.
      payload: isText ? run.cleaner.clean(payload) : payload,
      tokens: counter.count(payload),
      expiresAt: expiresAt?.toISOString() ?? null,
      inspectable: false,
      probeableOffline: false,
      portable: false,
    };
    return { isTaken: true, value: blob };
  };
  const foldAll = async (complaints: readonly string[]): Promise<DraftOutcome> => {
    let blob = request.blob;
    for (const [index, window] of windows.entries()) {
      const soFar = blob;
      if (soFar !== null && soFar.tokens > run.shares.referenceTokens) return tooLarge(soFar, run);
      const referenceWithin = (): string => soFar?.payload ?? '';
      const count = windows.length;
      const approach = 'opaque' as const;
      const asked = { approach, window, index, count, referenceWithin, complaints };
      const answer = await askWindow(run, asked, take);
      if (answer.outcome !== 'taken') return answer;
      blob = answer.value;
    }
    return {
      outcome: 'drafted',
      draft: {
        strategy: 'opaque',
        summary,
        patches: [],
        answers: windows.map(() => 'complete' as const),
        blob,
        history: [],
      },
      again: (reasons) => foldAll(complaintsOf(reasons)),
    };
  };
  return foldAll([]);
}

/** Half a blob says nothing, and what it stands for would be lost unsaid. */
function tooLarge({ tokens }: StoredBlob, { shares }: SummarizerRun): DraftOutcome {
  const reason = `the blob so far has ${tokens} tokens; a request can carry on ${shares.referenceTokens}`;
  return { outcome: 'rejected', reasons: [{ code: 'invalid-answer', itemNo: null, reason }] };
}
