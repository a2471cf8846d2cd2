/** Through the SDK's own packages, which are no dependency of ours, against a server that misbehaves. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV2, LanguageModelV3 } from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import {
  type AiSdkModel,
  aiSdkLanguageModel,
} from '../../../src/infrastructure/models/ai-sdk-language-model.js';
import type { ModelRequest } from '../../../src/infrastructure/models/language-model.js';
import {
  answers,
  cutOffJson,
  fails,
  hangs,
  hangsMidBody,
  type ModelServer,
  resets,
  sends,
  startModelServer,
} from '../../support/model-server.js';

const KEY = 'key-4711-private';
const QUESTION: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Confidential question' }],
  format: 'json',
};

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

function complete(timeoutMs = 5_000) {
  const provider = createOpenAICompatible({ name: 'harbor', baseURL: server.baseUrl, apiKey: KEY });
  const model = aiSdkLanguageModel(provider.chatModel('served'), {
    retries: { retryDelaysMs: [1, 1], timeoutMs },
  });
  return model.complete(QUESTION, AbortSignal.timeout(10_000));
}

describe('the packages of the AI SDK', () => {
  it('give models of a shape that fits', () => {
    const takes = (model: AiSdkModel): string => model.modelId;
    const v2: (model: LanguageModelV2) => string = takes;
    const v3: (model: LanguageModelV3) => string = takes;

    expect([v2, v3]).toEqual([takes, takes]);
  });

  it('carry a question to the endpoint, and its answer back', async () => {
    server.behave(answers('{"a":1}'));

    expect(await complete()).toEqual({
      text: '{"a":1}',
      usage: { inputTokens: 100, cachedInputTokens: 60, outputTokens: 20 },
      finishReason: 'stop',
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject({
      model: 'served',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Confidential question' },
      ],
      response_format: { type: 'json_object' },
    });
  });

  it('tell what ended the answer', async () => {
    server.behave(answers('{"a', 'length'), answers('', 'content_filter'));

    expect((await complete()).finishReason).toBe('length');
    expect((await complete()).finishReason).toBe('filtered');
  });

  it('let us wait as long as the server wants', async () => {
    server.behave(fails(429, { 'retry-after': '1' }), answers('late'));
    const before = Date.now();

    expect((await complete()).text).toBe('late');
    expect(Date.now() - before).toBeGreaterThan(950);
  });

  // prettier-ignore
  it.each([
    { rule: 'a server error',       behaviour: fails(500),                     reason: 'server-error', calls: 3 },
    { rule: 'a connection reset',   behaviour: resets,                         reason: 'network',      calls: 3 },
    { rule: 'a wrong key',          behaviour: fails(401),                     reason: 'refused',      calls: 1 },
    { rule: 'cut-off JSON',         behaviour: cutOffJson,                     reason: 'wrong-shape',  calls: 1 },
    { rule: 'a page',               behaviour: sends('<html>Sign in</html>', { type: 'text/html' }), reason: 'wrong-shape', calls: 1 },
    { rule: 'an empty body',        behaviour: sends(''),                      reason: 'wrong-shape',  calls: 1 },
    { rule: 'JSON of another kind', behaviour: sends('{"ok":true}'),           reason: 'wrong-shape',  calls: 1 },
    { rule: 'no answer',            behaviour: hangs,                          reason: 'timeout',      calls: 1 },
    { rule: 'an answer that stops', behaviour: hangsMidBody,                   reason: 'timeout',      calls: 1 },
  ])('fail by type for $rule, after $calls calls', async ({ behaviour, reason, calls }) => {
    server.behave(behaviour);
    const error: unknown = await complete(reason === 'timeout' ? 600 : 5_000).catch((thrown: unknown) => thrown);

    expect(OssatureError.is(error)).toBe(true);
    expect(error).toMatchObject({ details: { reason, model: 'served' } });
    expect(server.requests).toHaveLength(calls);
    const { message, details, cause } = error as OssatureError;
    expect(JSON.stringify([message, details, cause])).not.toMatch(/4711|Confidential/);
  });
});
