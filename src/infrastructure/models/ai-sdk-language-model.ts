/**
 * Any model object of the Vercel AI SDK, whatever its provider: only the shape is known here, so the SDK
 * is a dependency of the host alone. `doGenerate` makes one call; retries are ours.
 */
import { z } from 'zod';
import type { Clock } from '../../application/ports/system.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { systemClock } from '../system/node-system.js';
import {
  callWithRetries,
  DEFAULT_RETRIES,
  type RetryPolicy,
  type Try,
} from './call-with-retries.js';
import type { FinishReason, LanguageModel, ModelAnswer, ModelRequest } from './language-model.js';
import { modelUnavailable, modelUnreadable, providerCodeIn } from './model-failure.js';
import { failedTry, refusedCall } from './refused-call.js';

/** What `openai('…')`, `anthropic('…')` and their like return: specification v2 (SDK 5) or v3 (SDK 6). */
export interface AiSdkModel {
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCall): PromiseLike<AiSdkResult>;
}

interface AiSdkCall {
  prompt: (
    | { role: 'system'; content: string }
    | { role: 'user' | 'assistant'; content: { type: 'text'; text: string }[] }
  )[];
  responseFormat: { type: 'json' | 'text' };
  maxOutputTokens?: number;
  abortSignal: AbortSignal;
}

interface AiSdkResult {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[];
  readonly finishReason: unknown;
  readonly usage: unknown;
}

export interface AiSdkModelOptions {
  /** What is recorded as producer. Left out: the model's own id. */
  readonly name?: string;
  readonly retries?: Partial<RetryPolicy>;
  readonly clock?: Clock;
}

/** @throws OssatureError INVALID_CONFIG for what is no model object, such as its name alone. */
export function aiSdkLanguageModel(
  model: AiSdkModel,
  options: AiSdkModelOptions = {},
): LanguageModel {
  requireModel(model);
  const name = options.name ?? model.modelId;
  const clock = options.clock ?? systemClock;
  const policy = { ...DEFAULT_RETRIES, ...options.retries };
  return {
    name,
    complete: (request, signal) =>
      callWithRetries({ model: name, signal, policy, clock }, async (inTime) => {
        try {
          return readResult(name, await model.doGenerate(callOf(request, inTime)));
        } catch (error) {
          return readError(name, model.provider, error, clock());
        }
      }),
  };
}

function requireModel(model: unknown): void {
  const given = model as Partial<AiSdkModel> | null | undefined;
  if (typeof given?.doGenerate === 'function' && typeof given.modelId === 'string') return;
  throw new OssatureError(
    'INVALID_CONFIG',
    "A model of the AI SDK is an object, as openai('gpt-5-mini') returns it; its name alone is none.",
    { details: { field: 'model' } },
  );
}

function callOf({ system, messages, format, maxOutputTokens }: ModelRequest, signal: AbortSignal) {
  return {
    prompt: [
      { role: 'system' as const, content: system },
      ...messages.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
    ],
    responseFormat: { type: format },
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    abortSignal: signal,
  };
}

const count = z.number().nonnegative().nullish().catch(null);

/** v2 gives numbers, v3 gives them with their parts. */
const result = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().nullish() })),
  finishReason: z.union([
    z.string(),
    z.object({ unified: z.string() }).transform((r) => r.unified),
  ]),
  usage: z
    .union([
      z.object({
        inputTokens: z.object({ total: count, cacheRead: count }),
        outputTokens: z.object({ total: count }),
      }),
      z
        .object({ inputTokens: count, cachedInputTokens: count, outputTokens: count })
        .transform(({ inputTokens, cachedInputTokens, outputTokens }) => ({
          inputTokens: { total: inputTokens, cacheRead: cachedInputTokens },
          outputTokens: { total: outputTokens },
        })),
    ])
    .nullish()
    .catch(null),
});

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'filtered',
  error: 'error',
};

function readResult(name: string, given: unknown): Try<ModelAnswer> {
  const parsed = result.safeParse(given);
  if (!parsed.success) {
    const message = `The AI SDK model ${name} returned no result of specification v2 or v3.`;
    return failedTry(modelUnreadable('wrong-shape', message, { model: name }), false);
  }
  const { content, finishReason, usage } = parsed.data;
  return {
    outcome: 'answered',
    value: {
      text: content.flatMap(({ type, text }) => (type === 'text' ? (text ?? '') : [])).join(''),
      usage: {
        inputTokens: usage?.inputTokens.total ?? null,
        cachedInputTokens: usage?.inputTokens.cacheRead ?? null,
        outputTokens: usage?.outputTokens.total ?? null,
      },
      finishReason: FINISH_REASONS[finishReason] ?? 'other',
    },
  };
}

/** As the SDK's errors have it; each is known by its fields, which two copies of the SDK share. */
interface SdkError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly data?: unknown;
}

/** Names of errors that say that something came, and was no answer. */
const UNREADABLE =
  /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated|NoObjectGenerated)Error$/u;

/** The SDK puts request, answer and headers into its errors, so none of them becomes a cause of ours. */
function readError(model: string, place: string, error: unknown, now: Date): Try<ModelAnswer> {
  const { name, statusCode, responseHeaders, data } = (error ?? {}) as SdkError;
  const isAnswer = typeof statusCode === 'number' && statusCode < 400;
  if (isAnswer || (typeof name === 'string' && UNREADABLE.test(name))) {
    const message = `${model} at ${place} sent what is no answer of a model.`;
    return failedTry(modelUnreadable('wrong-shape', message, { model }), false);
  }
  if (typeof statusCode === 'number') {
    const headers = (responseHeaders ?? {}) as Readonly<Record<string, string | undefined>>;
    const header = (wanted: string): string | undefined => headers[wanted];
    const providerCode = providerCodeIn(data);
    return refusedCall({ model, place, status: statusCode, providerCode, header, now });
  }
  const isKeyMissing = name === 'AI_LoadAPIKeyError';
  return isKeyMissing
    ? failedTry(modelUnavailable('refused', `${model} at ${place} has no key.`, { model }), false)
    : failedTry(
        modelUnavailable('network', `${model} at ${place} could not be reached.`, { model }),
        true,
      );
}
