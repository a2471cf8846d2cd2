/** The shape alone; `ai-sdk-packages.test.ts` asks through the SDK's own packages. */
import { describe, expect, it } from '@jest/globals';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import {
  type AiSdkModel,
  aiSdkLanguageModel,
} from '../../../src/infrastructure/models/ai-sdk-language-model.js';
import type { ModelRequest } from '../../../src/infrastructure/models/language-model.js';

const QUESTION: ModelRequest = {
  system: 'Be brief.',
  messages: [
    { role: 'user', text: 'One?' },
    { role: 'assistant', text: 'Two.' },
    { role: 'user', text: 'No.' },
  ],
  format: 'json',
  maxOutputTokens: 50,
};

const V2 = {
  content: [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: '{"a":' },
    { type: 'text', text: '1}' },
  ],
  finishReason: 'stop',
  usage: { inputTokens: 10, outputTokens: 3, totalTokens: 13, cachedInputTokens: 4 },
};
const V3 = {
  content: V2.content,
  finishReason: { unified: 'stop', raw: 'end_turn' },
  usage: {
    inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
    outputTokens: { total: 3, text: 2, reasoning: 1 },
  },
};

type Step = () => unknown;

/** Takes one step for each call, the last again and again. */
function sdkModel(...steps: readonly Step[]) {
  const calls: unknown[] = [];
  const model: AiSdkModel = {
    provider: 'harbor.chat',
    modelId: 'small',
    doGenerate: async (options) => {
      calls.push(options);
      const step = steps[Math.min(calls.length, steps.length) - 1];
      return (await step?.()) as never;
    },
  };
  return { calls, model };
}

function complete(model: AiSdkModel, signal = AbortSignal.timeout(5_000)) {
  const retries = { retryDelaysMs: [1, 1], timeoutMs: 2_000 };
  return aiSdkLanguageModel(model, { retries }).complete(QUESTION, signal);
}

const throws = (fields: object) => () => {
  throw Object.assign(new Error('Bearer key-4711: One?'), fields);
};

const gives = (value: unknown) => () => value;

describe('a model of the AI SDK', () => {
  it('is asked as the SDK asks its providers', async () => {
    const { calls, model } = sdkModel(gives(V3));
    await complete(model);

    expect(calls).toEqual([
      {
        prompt: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'One?' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'Two.' }] },
          { role: 'user', content: [{ type: 'text', text: 'No.' }] },
        ],
        responseFormat: { type: 'json' },
        maxOutputTokens: 50,
        abortSignal: expect.any(AbortSignal),
      },
    ]);
  });

  it.each([
    { specification: 'v2', given: V2 },
    { specification: 'v3', given: V3 },
  ])('answers in the form of specification $specification', async ({ given }) => {
    expect(await complete(sdkModel(gives(given)).model)).toEqual({
      text: '{"a":1}',
      usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3 },
      finishReason: 'stop',
    });
  });

  // prettier-ignore
  it.each([
    { given: 'length',                              reason: 'length' },
    { given: 'content-filter',                      reason: 'filtered' },
    { given: 'error',                               reason: 'error' },
    { given: 'unknown',                             reason: 'other' },
    { given: { unified: 'content-filter', raw: '' }, reason: 'filtered' },
    { given: { unified: 'tool-calls', raw: '' },    reason: 'other' },
  ])('ends with $reason for $given', async ({ given, reason }) => {
    const { model } = sdkModel(gives({ ...V2, finishReason: given }));

    expect((await complete(model)).finishReason).toBe(reason);
  });

  it('may report no usage', async () => {
    const { model } = sdkModel(gives({ ...V2, usage: { inputTokens: Number.NaN } }));

    expect((await complete(model)).usage).toEqual({
      inputTokens: null,
      cachedInputTokens: null,
      outputTokens: null,
    });
  });

  // prettier-ignore
  it.each([
    { rule: 'too many requests', step: throws({ statusCode: 429, responseHeaders: { 'retry-after': '0' } }), reason: 'rate-limited', calls: 3 },
    { rule: 'a server error',    step: throws({ statusCode: 503 }),                     reason: 'server-error', calls: 3 },
    { rule: 'no connection',     step: throws({ name: 'AI_APICallError', isRetryable: true }), reason: 'network', calls: 3 },
    { rule: 'a wrong key',       step: throws({ statusCode: 401, data: { error: { code: 'invalid_api_key' } } }), reason: 'refused', calls: 1 },
    { rule: 'no key',            step: throws({ name: 'AI_LoadAPIKeyError' }),          reason: 'refused',      calls: 1 },
    { rule: 'an answer that is no JSON', step: throws({ statusCode: 200 }),             reason: 'wrong-shape',  calls: 1 },
    { rule: 'an answer of another shape', step: throws({ name: 'AI_TypeValidationError' }), reason: 'wrong-shape', calls: 1 },
    { rule: 'a result of another shape', step: gives({ text: 'x' }),                    reason: 'wrong-shape',  calls: 1 },
    { rule: 'nothing',           step: gives(undefined),                                reason: 'wrong-shape',  calls: 1 },
  ])('fails by type for $rule, after $calls calls', async ({ step, reason, calls }) => {
    const given = sdkModel(step);
    const error: unknown = await complete(given.model).catch((thrown: unknown) => thrown);

    expect(given.calls).toHaveLength(calls);
    expect(error).toMatchObject({ details: { reason, model: 'small' } });
    expect(OssatureError.is(error, reason === 'wrong-shape' ? 'MODEL_UNREADABLE' : 'MODEL_UNAVAILABLE')).toBe(true);
    const { message, cause, details } = error as OssatureError;
    expect(JSON.stringify([message, cause, details])).not.toMatch(/4711|One\?/);
  });

  it('succeeds after a failure that passes', async () => {
    const { model } = sdkModel(throws({ statusCode: 500 }), throws({ statusCode: 429 }), gives(V3));

    expect((await complete(model)).text).toBe('{"a":1}');
  });

  it('is left when the time is up, though it hears no signal', async () => {
    const { model } = sdkModel(() => new Promise(() => {}));

    await expect(complete(model, AbortSignal.timeout(30))).rejects.toMatchObject({
      details: { reason: 'timeout' },
    });
  });

  it.each([{ model: 'gpt-5-mini' }, { model: {} }, { model: null }])(
    'is INVALID_CONFIG where it is $model',
    ({ model }) => {
      expect(() => aiSdkLanguageModel(model as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG' }),
      );
    },
  );
});
