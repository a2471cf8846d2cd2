/** What providers report about the tokens of a request, brought to one form. */
import type { TranscriptEvent } from '../../application/session/transcript-reader.js';
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import type { SessionUsage } from '../../domain/session/session.js';
import { objectOf } from './json-fields.js';

export type UsageCounts = Pick<
  SessionUsage,
  'uncachedInputTokens' | 'cachedInputTokens' | 'outputTokens'
>;

/** Anthropic counts what comes from or goes into its cache apart; the others count it within the input. */
const APART = ['cache_read_input_tokens', 'cache_creation_input_tokens'];

/** Null where nothing is reported, or nothing was spent. Tokens written to a cache are not cached yet. */
export function usageCounts(usage: unknown): UsageCounts | null {
  if (!isJsonObject(usage)) return null;
  const input = firstCount(usage, ['input_tokens', 'prompt_tokens']);
  const outputTokens = firstCount(usage, ['output_tokens', 'completion_tokens']);
  const isApart = APART.some((name) => name in usage) && !('prompt_tokens' in usage);
  const counts = isApart
    ? {
        uncachedInputTokens: input + count(usage['cache_creation_input_tokens']),
        cachedInputTokens: count(usage['cache_read_input_tokens']),
      }
    : within(input, cachedWithin(usage));
  const sum = counts.uncachedInputTokens + counts.cachedInputTokens + outputTokens;
  if (sum === 0) return null;
  const { uncachedInputTokens, cachedInputTokens } = counts;
  return { uncachedInputTokens, cachedInputTokens, outputTokens };
}

export function usageEvent(
  counts: UsageCounts,
  request: Pick<SessionUsage, 'usageKey' | 'model' | 'occurredAt'>,
  purpose: SessionUsage['purpose'] = 'agent',
): Extract<TranscriptEvent, { event: 'usage' }> {
  const { usageKey, model, occurredAt } = request;
  const { uncachedInputTokens, cachedInputTokens, outputTokens } = counts;
  return {
    event: 'usage',
    usage: {
      usageKey,
      model,
      uncachedInputTokens,
      cachedInputTokens,
      outputTokens,
      occurredAt,
      purpose,
      seq: null,
    },
  };
}

function cachedWithin(usage: JsonObject): number {
  return (
    firstCount(usage, ['cached_input_tokens', 'cached_tokens']) ||
    count(objectOf(usage['input_tokens_details'])['cached_tokens']) ||
    count(objectOf(usage['prompt_tokens_details'])['cached_tokens']) ||
    count(objectOf(usage['input_token_details'])['cache_read'])
  );
}

function within(input: number, cached: number) {
  const cachedInputTokens = Math.min(cached, input);
  return { uncachedInputTokens: input - cachedInputTokens, cachedInputTokens };
}

function firstCount(usage: JsonObject, names: readonly string[]): number {
  const name = names.find((name) => typeof usage[name] === 'number');
  return name === undefined ? 0 : count(usage[name]);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
