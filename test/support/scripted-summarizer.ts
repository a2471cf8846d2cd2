/** Summarizers that answer by a script, and remember what they were asked. */
import type { Summarizer, SummaryAnswer, SummaryRequest } from '../../src/index.js';

export interface ScriptedSummarizer extends Summarizer {
  readonly requests: SummaryRequest[];
}

const USAGE = { uncachedInputTokens: 100, cachedInputTokens: 0, outputTokens: 10 };

/** @param answer to the request of this number, from 0. */
export function scriptedSummarizer(
  answer: (
    request: SummaryRequest,
    number: number,
    signal: AbortSignal,
  ) => SummaryAnswer | Promise<SummaryAnswer>,
  given: Partial<Pick<Summarizer, 'name' | 'windowTokens' | 'overheadTokens'>> = {},
): ScriptedSummarizer {
  const requests: SummaryRequest[] = [];
  return {
    name: 'scripted',
    windowTokens: null,
    overheadTokens: 0,
    ...given,
    requests,
    summarise: async (request, signal) => {
      requests.push(request);
      return answer(request, requests.length - 1, signal);
    },
  };
}

export function patchAnswer(operations: unknown): SummaryAnswer {
  return { kind: 'patch', patch: { operations }, end: 'complete', usage: USAGE };
}

/** Adds one statement a window, in words that stand in it. */
export function faithfulPatch({ window }: SummaryRequest): SummaryAnswer {
  return patchAnswer(
    window.seqs.slice(0, 3).map((seq) => ({
      operation: 'add',
      section: 'current_state',
      text: `Step at entry ${word(seq)}: the work went on`,
      refs: [],
      sources: [`entry:${seq}`],
      state: 'open',
    })),
  );
}

/** A number as letters, so that no digit has to be found in the span. */
function word(seq: number): string {
  return String(seq).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
}

export function failed(
  failure: Extract<SummaryAnswer, { kind: 'failed' }>['failure'],
): SummaryAnswer {
  return { kind: 'failed', failure, reason: `scripted: ${failure}`, usage: null };
}
