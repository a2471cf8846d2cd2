/** What a model reported and why it gave no answer, in the words of the ports of summaries. */
import type {
  SummarizerFailure,
  SummarizerUsage,
  SummaryAnswer,
} from '../../application/session/summarise.js';
import type { AskFailureReason, JsonAnswer } from './ask-for-json.js';
import type { ModelUsage } from './language-model.js';

type FailedAnswer = Extract<SummaryAnswer, { readonly kind: 'failed' }>;

const FAILURES: Readonly<Record<AskFailureReason, SummarizerFailure>> = {
  unavailable: 'unavailable',
  unreadable: 'unreadable',
  cut: 'truncated',
  filtered: 'filtered',
  'broken-off': 'unavailable',
  'not-json': 'unreadable',
  'wrong-schema': 'unreadable',
};

/** Why there is no answer, by type. */
export function summarizerFailure({
  reason,
  message,
  error,
  usage,
}: Extract<JsonAnswer<unknown>, { outcome: 'failed' }>): FailedAnswer {
  const isLate = error?.details['reason'] === 'timeout';
  return {
    kind: 'failed',
    failure: isLate ? 'timed-out' : FAILURES[reason],
    reason: message,
    usage: summarizerUsage(usage),
  };
}

/** Null where nothing was reported. */
export function summarizerUsage(usage: ModelUsage): SummarizerUsage | null {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  if (inputTokens === null && outputTokens === null) return null;
  const cached = Math.min(cachedInputTokens ?? 0, inputTokens ?? 0);
  return {
    uncachedInputTokens: (inputTokens ?? 0) - cached,
    cachedInputTokens: cached,
    outputTokens: outputTokens ?? 0,
  };
}
