/** A model behind an endpoint writes summaries; whatever the endpoint does, nothing is lost. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, httpLanguageModel, type Ossature, TOKENS } from '../../src/index.js';
import {
  answers,
  type Behaviour,
  cutOffJson,
  fails,
  hangs,
  hangsMidBody,
  type ModelServer,
  resets,
  sends,
  sendsWithoutEnd,
  startModelServer,
} from '../support/model-server.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { appendTurns, aStoredSession } from '../support/stored-session.js';
import {
  emptyPatch,
  errorPatch,
  goodDocument,
  goodPatch,
  inventedPatch,
} from '../support/summary-answers.js';

/** A window of the summarizer holds the whole span. */
const settings = {
  windowTokens: 24_000,
  outputReserveTokens: 0,
  keepTurns: 2,
  keepTokens: 1_500,
  summaryTokens: 800,
  minFreedTokens: 100,
};

describe.each(['in memory', 'on Postgres'])('a model behind an endpoint, %s', (kind) => {
  let server: ModelServer;
  let database: TestDatabase | null = null;
  let core: Ossature;
  beforeAll(async () => {
    server = await startModelServer();
    if (kind === 'on Postgres') database = await createTestDatabase();
    core = await createOssature({
      store: database === null ? { kind: 'in-memory' } : { kind: 'url', url: database.url },
      checkSchema: false,
      languageModel: httpLanguageModel({
        baseUrl: server.baseUrl,
        model: 'served',
        retries: { retryDelaysMs: [1, 1] },
        maxAnswerBytes: 200_000,
      }),
    });
    if (database !== null) await core.migrate();
  });
  afterAll(async () => {
    await core.close();
    await database?.drop();
    await server.close();
  });

  async function withSession(...behaviours: readonly Behaviour[]) {
    server.behave(...behaviours);
    const key = await aStoredSession(core, { sessionId: core.resolve(TOKENS.newId)() });
    await appendTurns(core, key, 1, 12);
    const { summaries, exports } = core.sessions;
    return {
      compact: (more = {}) =>
        summaries.compact({ ...key, now: true, settings: { ...settings, ...more } }),
      attempts: () => core.resolve(TOKENS.summaryRepository).listAttempts(key, 20),
      state: async () => ({
        entries: await core
          .resolve(TOKENS.sessionRepository)
          .listEntries(key, { from: 1, to: null }),
        view: await summaries.read(key),
        exported: await exports.export({ ...key, provider: 'anthropic' }),
      }),
    };
  }

  it('writes the patch of a pass, and every call is recorded with what it cost', async () => {
    const { compact, attempts, state } = await withSession(goodPatch);

    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'anchored', cycle: 1 });

    const [attempt] = await attempts();
    expect(attempt).toMatchObject({ outcome: 'adopted', producer: 'model:served' });
    expect(attempt?.modelCalls[0]).toMatchObject({
      answer: 'taken',
      usage: { uncachedInputTokens: 40, cachedInputTokens: 60, outputTokens: 20 },
    });
    const written = (await state()).view.summary.items.filter(
      ({ producer }) => producer === 'model:served',
    );
    expect(written.map(({ text }) => text)).toContain('Beginning: the work went on');
  });

  it('writes every section anew where that is wanted', async () => {
    const { compact, attempts } = await withSession(goodDocument);

    expect(await compact({ strategy: 'regenerative' })).toMatchObject({
      outcome: 'adopted',
      strategy: 'regenerative',
    });
    expect((await attempts())[0]).toMatchObject({ producer: 'model:served' });
  });

  it('may do better the second time, with the complaint before it', async () => {
    const { compact } = await withSession(answers('I would rather talk.'), goodPatch);

    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'anchored' });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.body.messages?.[1]?.content).toMatch(
      /BEGIN complaints (\w+)\n.*not JSON.*\nEND complaints \1$/,
    );
  });

  // prettier-ignore
  const misbehaviours: readonly { rule: string; behaviour: Behaviour; outcome: string; code: string }[] = [
    { rule: 'a server error',          behaviour: fails(500),                              outcome: 'failed',   code: 'unavailable' },
    { rule: 'too many requests',       behaviour: fails(429, { 'retry-after': '0' }),      outcome: 'failed',   code: 'unavailable' },
    { rule: 'a wrong key',             behaviour: fails(401),                              outcome: 'failed',   code: 'unavailable' },
    { rule: 'a connection reset',      behaviour: resets,                                  outcome: 'failed',   code: 'unavailable' },
    { rule: 'no answer',               behaviour: hangs,                                   outcome: 'failed',   code: 'timed-out' },
    { rule: 'an answer that stops',    behaviour: hangsMidBody,                            outcome: 'failed',   code: 'timed-out' },
    { rule: 'cut-off JSON',            behaviour: cutOffJson,                              outcome: 'failed',   code: 'unreadable' },
    { rule: 'a page',                  behaviour: sends('<html></html>', { type: 'text/html' }), outcome: 'failed', code: 'unreadable' },
    { rule: 'an empty body',           behaviour: sends(''),                               outcome: 'failed',   code: 'unreadable' },
    { rule: 'an endless body',         behaviour: sendsWithoutEnd,                         outcome: 'failed',   code: 'unreadable' },
    { rule: 'an error text',           behaviour: answers('Error: rate limit exceeded'),   outcome: 'failed',   code: 'unreadable' },
    { rule: 'another schema',          behaviour: answers({ summary: 'All is well.' }),    outcome: 'failed',   code: 'unreadable' },
    { rule: 'an answer cut by length', behaviour: answers({ operations: [] }, 'length'),   outcome: 'failed',   code: 'truncated' },
    { rule: 'a filtered answer',       behaviour: answers('', 'content_filter'),           outcome: 'failed',   code: 'filtered' },
    { rule: 'an operation without fields', behaviour: answers({ operations: [{ operation: 'add' }] }), outcome: 'rejected', code: 'invalid-answer' },
    { rule: 'an empty patch',          behaviour: emptyPatch,                              outcome: 'rejected', code: 'sections' },
    { rule: 'an error text as statement', behaviour: errorPatch,                           outcome: 'rejected', code: 'text' },
    { rule: 'an invention',            behaviour: inventedPatch,                           outcome: 'rejected', code: 'identifiers' },
  ];

  it.each(misbehaviours)(
    'leaves the history byte for byte as it was after $rule, with an attempt that says $code',
    async ({ behaviour, outcome, code }) => {
      const { compact, attempts, state } = await withSession(behaviour);
      const before = await state();

      const report = await compact({
        fallback: 'none',
        passTimeoutMs: code === 'timed-out' ? 1_000 : 60_000,
      });

      expect(report).toMatchObject({ outcome, cycle: 0 });
      expect(report.reasons.map((reason) => reason.code)).toContain(code);
      expect(await state()).toEqual(before);
      const [attempt, ...others] = await attempts();
      expect(others).toEqual([]);
      expect(attempt).toMatchObject({ outcome, producer: 'model:served' });
      expect(attempt?.modelCalls.length).toBeGreaterThan(0);
    },
  );

  it('is followed by the summary from structure, where that is allowed', async () => {
    const { compact, attempts, state } = await withSession(answers('Error: overloaded'));

    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'offline', cycle: 1 });

    const [second, first] = await attempts();
    expect(first).toMatchObject({ outcome: 'failed', producer: 'model:served' });
    expect(second).toMatchObject({ outcome: 'adopted', fallbackOf: first?.attemptId });
    expect(JSON.stringify((await state()).view.summary)).not.toContain('overloaded');
  });
});
