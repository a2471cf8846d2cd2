/** A model looks over what a model wrote: it may refuse what the gate let through, and lifts nothing. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, httpLanguageModel, type Ossature, TOKENS } from '../../src/index.js';
import {
  answers,
  type Behaviour,
  cutOffJson,
  fails,
  hangs,
  type ModelServer,
  type ModelServerRequest,
  startModelServer,
} from '../support/model-server.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { appendTurns, aStoredSession } from '../support/stored-session.js';
import { goodDocument, goodPatch, inventedPatch } from '../support/summary-answers.js';

const settings = {
  windowTokens: 24_000,
  outputReserveTokens: 0,
  keepTurns: 2,
  keepTokens: 1_500,
  summaryTokens: 800,
  minFreedTokens: 100,
  review: true,
};

const REASON = 'The entries say nothing of going on.';

const refusesNothing = answers({ refusals: [] });
const refusesTheFirst = answers((request) => ({
  refusals: [{ item: itemsIn(request)[0], reason: REASON }],
}));

function quoted({ body }: ModelServerRequest | { readonly body: { readonly messages: never[] } }) {
  return body.messages?.find(({ role }) => role === 'user')?.content ?? '';
}

function itemsIn(request: ModelServerRequest): readonly string[] {
  return [...quoted(request).matchAll(/^(#\d+) \{/gm)].map(([, handle = '']) => handle);
}

describe.each(['in memory', 'on Postgres'])('the review of a summary, %s', (kind) => {
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
    const { summaries } = core.sessions;
    return {
      compact: (more = {}) =>
        summaries.compact({ ...key, now: true, settings: { ...settings, ...more } }),
      attempts: () => core.resolve(TOKENS.summaryRepository).listAttempts(key, 20),
      read: () => summaries.read(key),
    };
  }

  it('sees each item that the model wrote beside the entries that it cites, and nothing else', async () => {
    const { compact, attempts, read } = await withSession(goodPatch, refusesNothing);

    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'anchored', notes: [] });

    const written = (await read()).summary.items.filter(({ producer }) =>
      producer.startsWith('model:'),
    );
    expect(server.requests).toHaveLength(2);
    const [, review] = server.requests;
    if (review === undefined) throw new Error('There was no review.');
    expect(itemsIn(review)).toEqual(written.map(({ itemNo }) => `#${itemNo}`));
    const cited = [...quoted(review).matchAll(/^\[entry:(\d+)\]/gm)].map(([, seq]) => Number(seq));
    const entries = await core
      .resolve(TOKENS.sessionRepository)
      .listEntries((await read()).session, { from: 1, to: null });
    const sources = new Set(written.flatMap(({ sourceEntryIds }) => sourceEntryIds));
    expect(cited).toEqual(
      entries.filter(({ entryId }) => sources.has(entryId)).map(({ seq }) => seq),
    );
    expect((await attempts())[0]?.modelCalls.map(({ answer }) => answer)).toEqual([
      'taken',
      'taken',
    ]);
  });

  it('reviews a summary that was written anew, too', async () => {
    const { compact } = await withSession(goodDocument, refusesNothing);

    expect(await compact({ strategy: 'regenerative' })).toMatchObject({ outcome: 'adopted' });
    expect(server.requests.map((request) => itemsIn(request).length > 0)).toEqual([false, true]);
  });

  it('sends its reasons back once, as the gate does', async () => {
    const { compact } = await withSession(goodPatch, refusesTheFirst, goodPatch, refusesNothing);

    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'anchored' });
    expect(server.requests).toHaveLength(4);
    expect(quoted(server.requests[2] ?? { body: { messages: [] } })).toMatch(
      /BEGIN complaints (\w+)\nreview, #\d+: The entries say nothing of going on\.\nEND complaints \1/,
    );
  });

  it('refuses what stays wrong, and the history stays as it was', async () => {
    const { compact, attempts, read } = await withSession(goodPatch, refusesTheFirst);
    // What is written the second time is refused again.
    server.behave(goodPatch, refusesTheFirst, goodPatch, refusesTheFirst);
    const before = await read();

    const report = await compact({ fallback: 'none' });

    expect(report).toMatchObject({
      outcome: 'rejected',
      reasons: [{ code: 'review', reason: REASON }],
    });
    expect(await read()).toEqual(before);
    expect(await attempts()).toMatchObject([
      { outcome: 'rejected', reasons: [{ code: 'review' }], checks: { identifiers: 'passed' } },
    ]);
  });

  it('is followed by the fallback, which code writes and nobody reviews', async () => {
    const { compact } = await withSession(
      goodPatch,
      refusesTheFirst,
      goodPatch,
      refusesTheFirst,
      fails(500),
    );

    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'offline' });
    expect(server.requests).toHaveLength(4);
  });

  it('is not asked of what the gate refused, and cannot lift it', async () => {
    const { compact } = await withSession(inventedPatch, refusesNothing);
    server.behave(inventedPatch, inventedPatch, refusesNothing);

    const report = await compact({ fallback: 'none' });

    expect(report.outcome).toBe('rejected');
    expect(report.reasons.map(({ code }) => code)).not.toContain('review');
    expect(server.requests).toHaveLength(2);
  });

  // prettier-ignore
  it.each([
    { rule: 'a server error',         review: fails(500),                                                        answer: 'failed', said: 'unavailable' },
    { rule: 'cut-off JSON',           review: cutOffJson,                                                        answer: 'failed', said: 'unreadable' },
    { rule: 'a page of praise',       review: answers('Well done!'),                                             answer: 'failed', said: 'unreadable' },
    { rule: 'an item of its own',     review: answers({ refusals: [{ item: '#99999', reason: 'no' }] }),         answer: 'failed', said: 'unreadable' },
    { rule: 'a refusal without words',review: answers((request) => ({ refusals: [{ item: itemsIn(request)[0], reason: ' ' }] })), answer: 'failed', said: 'unreadable' },
    { rule: 'no answer',              review: hangs,                                                             answer: 'failed', said: 'timed-out' },
  ])('refuses nothing by $rule; that it came to nothing is told and recorded', async ({ review, answer, said }) => {
    const { compact, attempts } = await withSession(goodPatch, review);

    const report = await compact({ passTimeoutMs: said === 'timed-out' ? 1_500 : 60_000 });

    expect(report).toMatchObject({ outcome: 'adopted', strategy: 'anchored' });
    expect(report.notes).toEqual([expect.stringMatching(`^The review of 2 items by served came to nothing: ${said}`)]);
    expect((await attempts())[0]?.modelCalls.map((call) => call.answer)).toEqual(['taken', answer]);
  });

  it('is kept with a session as the setting `review`', async () => {
    const key = await aStoredSession(core, { sessionId: core.resolve(TOKENS.newId)() });
    const { summaries } = core.sessions;
    await summaries.configure({ ...key, settings: { review: true } });
    expect(
      (await summaries.status({ ...key, settings: { windowTokens: 24_000 } })).settings,
    ).toMatchObject({ review: true });
    await expect(
      summaries.configure({ ...key, settings: { review: 'yes' } }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIG', details: { field: 'review' } });
  });
});

describe('without anybody to review', () => {
  it('a session that wants it is refused before a model is asked, and nothing is written', async () => {
    let asked = 0;
    const core = await createOssature({
      store: { kind: 'in-memory' },
      summarizer: {
        name: 'own',
        windowTokens: null,
        overheadTokens: 0,
        summarise: async () => {
          asked += 1;
          throw new Error('down');
        },
      },
    });
    const key = await aStoredSession(core, { sessionId: core.resolve(TOKENS.newId)() });
    await appendTurns(core, key, 1, 12);

    await expect(
      core.sessions.summaries.compact({ ...key, now: true, settings }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIG', details: { field: 'review' } });
    expect(asked).toBe(0);
    expect(await core.resolve(TOKENS.summaryRepository).listAttempts(key, 5)).toEqual([]);
    await core.close();
  });

  it('a host brings its own, and its reasons are redacted', async () => {
    const secret = `sk-${'a1B2'.repeat(12)}`;
    const core = await createOssature({
      store: { kind: 'in-memory' },
      summarizer: {
        name: 'own',
        windowTokens: null,
        overheadTokens: 0,
        summarise: async ({ window: { seqs } }) => ({
          kind: 'patch',
          end: 'complete',
          usage: null,
          patch: {
            operations: [
              {
                operation: 'add',
                section: 'current_state',
                text: 'Beginning: the work went on',
                refs: [],
                sources: [`entry:${seqs[0]}`],
                state: 'open',
              },
            ],
          },
        }),
      },
      reviewer: {
        name: 'rule',
        overheadTokens: 0,
        review: async ({ items }) => ({
          kind: 'review',
          usage: null,
          refusals: items.map(({ itemNo }) => ({ itemNo, reason: `It says ${secret}.` })),
        }),
      },
    });
    const key = await aStoredSession(core, { sessionId: core.resolve(TOKENS.newId)() });
    await appendTurns(core, key, 1, 12);

    const report = await core.sessions.summaries.compact({
      ...key,
      now: true,
      settings: { ...settings, fallback: 'none' },
    });

    expect(report).toMatchObject({ outcome: 'rejected', reasons: [{ code: 'review' }] });
    expect(JSON.stringify(report)).not.toContain(secret);
    await core.close();
  });
});
