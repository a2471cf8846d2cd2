/** The shapes of OpenAI's Chat Completions, as many servers speak them: what is sent, and what is read. */
import { z } from 'zod';
import type { FinishReason, ModelAnswer, ModelRequest } from './language-model.js';

const tokens = z.number().nonnegative().nullish();

const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z
            .union([z.string(), z.array(z.object({ text: z.string().nullish() }))])
            .nullish(),
          refusal: z.string().nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  // A server that counts oddly has answered all the same.
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      prompt_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

/** Servers without a parser for it leave a model's thinking at the head of its answer. */
const THINKING = /^\s*<think>[\s\S]*?<\/think>\s*/u;

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'filtered',
  error: 'error',
};

/** What servers differ in; each is learned from the refusal of the first request that meets it. */
export interface ChatDialect {
  /** Holds the model to JSON where that is wanted. */
  readonly jsonMode: boolean;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
}

export function chatRequest(model: string, request: ModelRequest, dialect: ChatDialect): string {
  const { maxOutputTokens, format } = request;
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: request.system },
      ...request.messages.map(({ role, text }) => ({ role, content: text })),
    ],
    ...(maxOutputTokens !== undefined && { [dialect.maxTokensField]: maxOutputTokens }),
    ...(dialect.jsonMode && format === 'json' && { response_format: { type: 'json_object' } }),
    stream: false,
  });
}

/** The dialect that the refusal asks for; null: it was for something else, or that is spoken already. */
export function otherDialect(
  { jsonMode, maxTokensField }: ChatDialect,
  status: number,
  refusal: string,
): ChatDialect | null {
  if (status !== 400 && status !== 422) return null;
  if (maxTokensField === 'max_tokens' && refusal.includes('max_completion_tokens')) {
    return { jsonMode, maxTokensField: 'max_completion_tokens' };
  }
  // By its name alone: servers that know no such mode word it in many ways.
  if (jsonMode && refusal.includes('response_format')) return { jsonMode: false, maxTokensField };
  return null;
}

/** Null: it is no completion. */
export function readCompletion(body: unknown): ModelAnswer | null {
  const parsed = completion.safeParse(body);
  const choice = parsed.data?.choices[0];
  if (parsed.data === undefined || choice === undefined) return null;
  const { content, refusal } = choice.message;
  const { usage } = parsed.data;
  const isDeclined = typeof refusal === 'string' && refusal !== '';
  const text =
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('');
  return {
    text: text.replace(THINKING, ''),
    usage: {
      inputTokens: usage?.prompt_tokens ?? null,
      cachedInputTokens: usage?.prompt_tokens_details?.cached_tokens ?? null,
      outputTokens: usage?.completion_tokens ?? null,
    },
    finishReason: isDeclined ? 'filtered' : (FINISH_REASONS[choice.finish_reason ?? ''] ?? 'other'),
  };
}
