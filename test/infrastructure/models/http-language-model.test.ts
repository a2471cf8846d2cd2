import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import {
  type HttpModelOptions,
  httpLanguageModel,
} from '../../../src/infrastructure/models/http-language-model.js';
import type { ModelRequest } from '../../../src/infrastructure/models/language-model.js';
import {
  answers,
  type Behaviour,
  cutOffJson,
  fails,
  hangs,
  hangsMidBody,
  type ModelServer,
  resets,
  resetsMidBody,
  sends,
  sendsWithoutEnd,
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

function modelWith(change: Partial<HttpModelOptions> = {}) {
  return httpLanguageModel({
    baseUrl: server.baseUrl,
    model: 'served',
    apiKey: KEY,
    ...change,
    retries: { retryDelaysMs: [1, 1], timeoutMs: 5_000, ...change.retries },
  });
}

/** What the server sees and the caller gets. */
async function failureOf(behaviours: readonly Behaviour[], change: Partial<HttpModelOptions> = {}) {
  server.behave(...behaviours);
  const error: unknown = await modelWith(change)
    .complete(QUESTION, AbortSignal.timeout(10_000))
    .then(
      (answer) => answer,
      (thrown: unknown) => thrown,
    );
  if (!OssatureError.is(error)) throw new Error(`no failure: ${JSON.stringify(error)}`);
  return error;
}

describe('a model over HTTP', () => {
  it('is asked as Chat Completions are', async () => {
    server.behave(answers('{"a":1}'));

    const answer = await modelWith().complete(
      { ...QUESTION, maxOutputTokens: 50 },
      AbortSignal.timeout(5_000),
    );

    expect(answer).toEqual({
      text: '{"a":1}',
      usage: { inputTokens: 100, cachedInputTokens: 60, outputTokens: 20 },
      finishReason: 'stop',
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: {
        model: 'served',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Confidential question' },
        ],
        response_format: { type: 'json_object' },
        max_tokens: 50,
        stream: false,
      },
    });
  });

  it('is sent no key where there is none, and the query of its address', async () => {
    server.behave(answers('yes'));
    const model = httpLanguageModel({
      baseUrl: `${server.baseUrl}/?api-version=2`,
      model: 'served',
    });

    await model.complete({ ...QUESTION, format: 'text' }, AbortSignal.timeout(5_000));

    expect(server.requests[0]?.path).toBe('/v1/chat/completions?api-version=2');
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.body).not.toHaveProperty('response_format');
  });

  // prettier-ignore
  it.each([
    { stated: 'stop',           reason: 'stop' },
    { stated: 'length',         reason: 'length' },
    { stated: 'content_filter', reason: 'filtered' },
    { stated: 'tool_calls',     reason: 'other' },
    { stated: null,             reason: 'other' },
  ])('ends with $reason where the endpoint says $stated', async ({ stated, reason }) => {
    server.behave(answers('text', stated));

    const answer = await modelWith().complete(QUESTION, AbortSignal.timeout(5_000));

    expect(answer.finishReason).toBe(reason);
  });

  it('answers without the thinking before the answer', async () => {
    server.behave(answers('<think>\nIs it {"a":2}?\n</think>\n\n{"a":1}'));

    const answer = await modelWith().complete(QUESTION, AbortSignal.timeout(5_000));

    expect(answer.text).toBe('{"a":1}');
  });

  it('counts a refusal as filtered, and a missing report of usage as none', async () => {
    const message = { role: 'assistant', content: null, refusal: 'No.' };
    server.behave(sends(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] })));

    expect(await modelWith().complete(QUESTION, AbortSignal.timeout(5_000))).toEqual({
      text: '',
      usage: { inputTokens: null, cachedInputTokens: null, outputTokens: null },
      finishReason: 'filtered',
    });
  });

  it.each([
    { rule: 'a server error', behaviour: fails(500) },
    { rule: 'an overload', behaviour: fails(503) },
    { rule: 'too many requests', behaviour: fails(429) },
    { rule: 'a connection that is reset', behaviour: resets },
    { rule: 'a connection that is reset in the middle', behaviour: resetsMidBody },
    {
      rule: 'a fault behind a gateway',
      behaviour: sends(JSON.stringify({ error: { code: 502, message: 'no provider' } })),
    },
  ])('is asked again after $rule, twice at most', async ({ behaviour }) => {
    server.behave(behaviour, behaviour, answers('late'));
    const answer = await modelWith().complete(QUESTION, AbortSignal.timeout(5_000));

    expect(answer.text).toBe('late');
    expect(server.requests).toHaveLength(3);

    expect((await failureOf([behaviour])).code).toBe('MODEL_UNAVAILABLE');
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    { rule: 'seconds', wait: () => '1' },
    { rule: 'a date', wait: () => new Date(Date.now() + 1_900).toUTCString() },
  ])('is asked again when it wants to be, said in $rule', async ({ wait }) => {
    server.behave(fails(429, { 'retry-after': wait() }), answers('now'));
    const before = Date.now();

    await modelWith().complete(QUESTION, AbortSignal.timeout(5_000));

    expect(Date.now() - before).toBeGreaterThan(850);
  });

  it('is not waited for beyond the time of the call', async () => {
    const before = Date.now();
    const error = await failureOf([fails(429, { 'retry-after': '3600' })]);

    expect(Date.now() - before).toBeLessThan(2_000);
    expect(server.requests).toHaveLength(1);
    expect(error.details).toMatchObject({ reason: 'rate-limited', retryAfterMs: 3_600_000 });
  });

  it("is not waited for beyond the caller's time", async () => {
    server.behave(fails(429, { 'retry-after': '4' }));
    const before = Date.now();

    const call = modelWith().complete(QUESTION, AbortSignal.timeout(1_000));

    await expect(call).rejects.toMatchObject({ details: { reason: 'rate-limited' } });
    expect(Date.now() - before).toBeLessThan(3_500);
  });

  // prettier-ignore
  it.each([
    { rule: 'a wrong key',            behaviour: fails(401),             reason: 'refused',    says: 'the key' },
    { rule: 'a model nobody knows',   behaviour: fails(404),             reason: 'refused',    says: 'name of the model' },
    { rule: 'a request that is too large', behaviour: fails(413),        reason: 'refused',    says: 'too large' },
    { rule: 'a bad request',          behaviour: fails(400),             reason: 'refused',    says: '400' },
    { rule: 'an error under 200',     behaviour: sends('{"error":{"message":"no","code":"model_gone"}}'), reason: 'refused', says: 'model_gone' },
    { rule: 'cut-off JSON',           behaviour: cutOffJson,             reason: 'not-json',   says: 'no JSON' },
    { rule: 'an error text under 200', behaviour: sends('Internal error', { type: 'text/plain' }), reason: 'not-json', says: 'no JSON' },
    { rule: 'a page',                 behaviour: sends('<html>Sign in</html>', { type: 'text/html' }), reason: 'not-json', says: 'address' },
    { rule: 'an empty body',          behaviour: sends(''),              reason: 'empty',      says: 'empty' },
    { rule: 'JSON of another kind',   behaviour: sends('{"ok":true}'),   reason: 'wrong-shape', says: 'no chat completion' },
    { rule: 'no choice at all',       behaviour: sends('{"choices":[]}'), reason: 'wrong-shape', says: 'no chat completion' },
    { rule: 'null',                   behaviour: sends('null'),          reason: 'wrong-shape', says: 'no chat completion' },
    { rule: 'a body without end',     behaviour: sendsWithoutEnd,        reason: 'too-large',  says: 'without end' },
    { rule: 'a body said to be huge', behaviour: sends('x'.repeat(300_000)), reason: 'too-large', says: 'without end' },
  ])('gives a typed failure for $rule, and is not asked again', async ({ behaviour, reason, says }) => {
    const error = await failureOf([behaviour], { maxAnswerBytes: 200_000 });

    expect(error.code).toBe(reason === 'refused' ? 'MODEL_UNAVAILABLE' : 'MODEL_UNREADABLE');
    expect(error.details).toMatchObject({ reason, model: 'served' });
    expect(error.message).toContain(says);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    { rule: 'never answers', behaviour: hangs },
    { rule: 'stops in the middle', behaviour: hangsMidBody },
  ])('is left when the time is up, where it $rule', async ({ behaviour }) => {
    const error = await failureOf([behaviour], { retries: { timeoutMs: 600 } });

    expect(error.details).toEqual({ reason: 'timeout', model: 'served' });
    expect(server.requests).toHaveLength(1);
  });

  it('is left at once when the caller leaves', async () => {
    server.behave(hangs);
    const leaving = new AbortController();
    const call = modelWith().complete(QUESTION, leaving.signal);
    setTimeout(() => leaving.abort(), 50);

    await expect(call).rejects.toMatchObject({ details: { reason: 'cancelled' } });
  });

  it('is told apart from a server that does not run', async () => {
    const gone = await startModelServer();
    await gone.close();

    const error = await failureOf([], { baseUrl: gone.baseUrl });

    expect(error.details).toEqual({ reason: 'network', model: 'served' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('sends key and question to no other host', async () => {
    const elsewhere = await startModelServer(answers('stolen'));
    const location = `${elsewhere.baseUrl}/chat/completions`;
    const error = await failureOf([sends('', { status: 307, headers: { location } })]);

    expect(error.details).toMatchObject({ reason: 'redirected', status: 307 });
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.close();
  });

  it('is asked without the JSON mode, once it says that it has none', async () => {
    const refusal = { error: { message: "'response_format.type' must be 'text'" } };
    server.behave(sends(JSON.stringify(refusal), { status: 400 }), answers('{}'));
    const model = modelWith();

    await model.complete(QUESTION, AbortSignal.timeout(5_000));
    await model.complete(QUESTION, AbortSignal.timeout(5_000));

    expect(server.requests.map(({ body }) => 'response_format' in body)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is told the limit of the answer in the field that it wants', async () => {
    const refusal = { error: { message: "Use 'max_completion_tokens' instead." } };
    server.behave(sends(JSON.stringify(refusal), { status: 400 }), answers('{}'));
    const model = modelWith();

    await model.complete({ ...QUESTION, maxOutputTokens: 50 }, AbortSignal.timeout(5_000));

    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 50 });
    expect(server.requests[1]?.body).not.toHaveProperty('max_tokens');
  });

  it.each([
    { rule: 'echoes the key as its code', body: { error: { code: KEY } } },
    { rule: 'echoes the key', body: { error: { message: `Bad key ${KEY}`, code: `bad ${KEY}` } } },
    { rule: 'echoes the question', body: { error: { message: QUESTION.messages[0]?.text } } },
  ])('keeps key and question out of its errors, where the endpoint $rule', async ({ body }) => {
    const error = await failureOf([sends(JSON.stringify(body), { status: 401 })]);
    const told = JSON.stringify([error.message, error.details, error.stack, error.cause]);

    expect(told).not.toContain(KEY);
    expect(told).not.toContain('Confidential');
  });

  it.each([
    { rule: 'no address', change: { baseUrl: 'models' }, field: 'baseUrl' },
    { rule: 'another protocol', change: { baseUrl: 'file:///etc/passwd' }, field: 'baseUrl' },
    { rule: 'a password in it', change: { baseUrl: 'https://me:pw@host/v1' }, field: 'baseUrl' },
    { rule: 'a line end in the key', change: { apiKey: 'sk-1\n' }, field: 'apiKey' },
  ])('is INVALID_CONFIG with $rule', ({ change, field }) => {
    expect(() => modelWith(change)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', details: { field } }),
    );
  });
});
