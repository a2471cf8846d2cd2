/** Stored sessions are summarized by a model, or what a host takes for one; whatever it does, nothing is lost. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createOssature,
  type Ossature,
  type Summarizer,
  type SummaryAnswer,
  type SummaryRequest,
  TOKENS,
} from '../../src/index.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import {
  failed,
  faithfulPatch,
  patchAnswer,
  type ScriptedSummarizer,
  scriptedSummarizer,
} from '../support/scripted-summarizer.js';
import { appendTurns, aStoredSession } from '../support/stored-session.js';

/** Fill line 4,500; a window of the summarizer holds a part of the span only. */
const settings = {
  windowTokens: 6_000,
  outputReserveTokens: 0,
  keepTurns: 2,
  keepTokens: 1_500,
  summarizerWindowTokens: 2_000,
  summaryTokens: 800,
};

describe.each(['in memory', 'on Postgres'])('a summarizer %s', (kind) => {
  let database: TestDatabase | null = null;
  const opened: Ossature[] = [];
  beforeAll(async () => {
    if (kind === 'on Postgres') database = await createTestDatabase();
  });
  afterAll(async () => {
    for (const core of opened) await core.close();
    await database?.drop();
  });

  async function withSession(summarizer: Summarizer | undefined, turns = 12) {
    const core = await createOssature({
      store: database === null ? { kind: 'in-memory' } : { kind: 'url', url: database.url },
      checkSchema: false,
      ...(summarizer !== undefined && { summarizer }),
    });
    if (database !== null) await core.migrate();
    opened.push(core);
    const key = await aStoredSession(core);
    await appendTurns(core, key, 1, turns);
    const { summaries, exports } = core.sessions;
    const compact = (more = {}) => summaries.compact({ ...key, settings, now: true, ...more });
    const attempts = () => core.resolve(TOKENS.summaryRepository).listAttempts(key, 20);
    const state = async () => ({
      entries: await core.resolve(TOKENS.sessionRepository).listEntries(key, { from: 1, to: null }),
      session: await core.resolve(TOKENS.sessionRepository).get(key),
      view: await summaries.read(key),
      exported: await exports.export({ ...key, provider: 'anthropic' }),
    });
    return { core, key, summaries, compact, attempts, state };
  }

  it('folds a span of several windows by one merge, and no request is above its ceiling', async () => {
    const summarizer = scriptedSummarizer(faithfulPatch);
    const { compact, attempts, state, core } = await withSession(summarizer);
    const report = await compact();
    expect(report).toMatchObject({ outcome: 'adopted', cycle: 1, strategy: 'anchored' });
    expect(summarizer.requests.length).toBeGreaterThan(1);
    const counter = core.resolve(TOKENS.tokenCounter);
    for (const { window, reference, schema, limits } of summarizer.requests) {
      const tokens = [window.text, reference, JSON.stringify(schema)]
        .map((text) => counter.count(text))
        .reduce((sum, count) => sum + count, 0);
      expect(tokens).toBeLessThanOrEqual(limits.requestTokens);
      expect(limits.requestTokens).toBe(2_000);
    }
    const shown = summarizer.requests.flatMap(({ window }) => window.seqs);
    const covered = report.span.flatMap(({ from, to }) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    );
    expect(shown).toEqual(covered);
    const { view } = await state();
    const written = view.summary.items.filter(({ producer }) => producer === 'model:scripted');
    expect(written.length).toBe(3 * summarizer.requests.length);
    const [attempt] = await attempts();
    expect(attempt).toMatchObject({ outcome: 'adopted', producer: 'model:scripted' });
    expect(attempt?.modelCalls).toHaveLength(summarizer.requests.length);
    expect(attempt?.modelCalls[0]).toMatchObject({
      answer: 'taken',
      usage: { uncachedInputTokens: 100, outputTokens: 10 },
    });
  });

  const NEVER_TAKEN: readonly (readonly [
    string,
    (request: SummaryRequest) => SummaryAnswer,
    string,
    string,
  ])[] = [
    ['an error text', () => answerOf('Error: 429 Too Many Requests'), 'rejected', 'invalid-answer'],
    ['an empty patch', () => patchAnswer([]), 'rejected', 'sections'],
    ['a failure', () => failed('unavailable'), 'failed', 'unavailable'],
    ['a cut answer', () => failed('truncated'), 'failed', 'truncated'],
    ['another kind', () => documentOf({}), 'rejected', 'invalid-answer'],
    [
      'an invented file',
      (request) => adding('The bug is in src/nowhere/invented.ts', request),
      'rejected',
      'identifiers',
    ],
    [
      'a text that is an error',
      (request) => adding('Error: failed to generate a summary', request),
      'rejected',
      'text',
    ],
    ['a source of its own', () => adding('The work went on', 999), 'rejected', 'invalid-answer'],
  ];

  it.each(NEVER_TAKEN)(
    '%s is refused once more with reasons, and the history stays as it was',
    async (_, answer, outcome, code) => {
      const summarizer = scriptedSummarizer(answer);
      const { compact, attempts, state } = await withSession(summarizer, 8);
      const before = await state();
      const report = await compact({ settings: { ...settings, fallback: 'none' } });
      expect(report).toMatchObject({ outcome, cycle: 0 });
      expect(report.reasons.map((reason) => reason.code)).toContain(code);
      expect(await state()).toEqual(before);
      const told = await attempts();
      expect(told.map((attempt) => attempt.outcome)).toEqual([outcome]);
      expect(told[0]?.reasons.map((reason) => reason.code)).toContain(code);
      const complained = summarizer.requests.filter(({ complaints }) => complaints.length > 0);
      expect(complained.length > 0).toBe(code !== 'unavailable');
      expect(complained.length).toBeLessThanOrEqual(summarizer.requests.length / 2);
    },
  );

  it('a summarizer that throws is unavailable, and the fallback is an attempt of its own', async () => {
    const summarizer = scriptedSummarizer(() => {
      throw new Error('the line is dead');
    });
    const { compact, attempts } = await withSession(summarizer);
    const report = await compact();
    expect(report).toMatchObject({ outcome: 'adopted', strategy: 'offline' });
    expect(report.notes.join(' ')).toContain('the line is dead');
    const [second, first] = await attempts();
    expect(first).toMatchObject({
      outcome: 'failed',
      strategy: 'anchored',
      reasons: [{ code: 'unavailable' }],
    });
    expect(second).toMatchObject({
      outcome: 'adopted',
      strategy: 'offline',
      fallbackOf: first?.attemptId,
    });
  });

  it('a strategy that needs a model fails by type without one, and the fallback follows', async () => {
    const { compact, attempts } = await withSession(undefined);
    const report = await compact({ settings: { ...settings, strategy: 'anchored' } });
    expect(report).toMatchObject({ outcome: 'adopted', strategy: 'offline' });
    expect((await attempts())[1]).toMatchObject({
      outcome: 'failed',
      reasons: [{ code: 'unavailable' }],
    });
  });

  it('an answer that can be taken after the reasons went back is adopted', async () => {
    const summarizer = scriptedSummarizer((request, number) =>
      number === 0 ? adding('no source', 999) : faithfulPatch(request),
    );
    const { compact, attempts } = await withSession(summarizer);
    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'anchored' });
    expect(summarizer.requests[1]?.complaints[0]).toContain('source-outside-span');
    expect((await attempts())[0]?.modelCalls[0]?.answer).toBe('invalid');
  });

  it('a summarizer that never answers is cut off by the time of the pass', async () => {
    const summarizer = scriptedSummarizer(() => new Promise<never>(() => {}));
    const { compact, attempts } = await withSession(summarizer, 8);
    const report = await compact({
      settings: { ...settings, passTimeoutMs: 1_000, fallback: 'none' },
    });
    expect(report).toMatchObject({ outcome: 'failed', reasons: [{ code: 'timed-out' }] });
    expect((await attempts())[0]).toMatchObject({ outcome: 'failed' });
  });

  it('is asked about the focus, and shown open items of earlier cycles', async () => {
    const summarizer = scriptedSummarizer(faithfulPatch);
    const { core, key, compact } = await withSession(summarizer);
    await compact();
    const asked = summarizer.requests.length;
    await appendTurns(core, key, 13, 10);
    await compact({ focus: 'the harbor' });
    const later = summarizer.requests.slice(asked);
    expect(later.length).toBeGreaterThan(0);
    expect(later.every(({ focus }) => focus === 'the harbor')).toBe(true);
    expect(later[0]?.reference).toContain('## current_state');
    expect(later[0]?.reference).toMatch(/^#\d+ /m);
  });

  it('regenerative writes every section anew from the whole history', async () => {
    const summarizer = scriptedSummarizer(({ window }) =>
      documentOf({
        current_state: [
          { text: `Written by window ${'abcdefghij'[window.index]}`, sources: [] },
          'A statement without a source',
        ],
      }),
    );
    const { core, key, compact, state } = await withSession(summarizer);
    const regenerative = { settings: { ...settings, strategy: 'regenerative' } };
    expect(await compact(regenerative)).toMatchObject({
      outcome: 'adopted',
      strategy: 'regenerative',
    });
    await appendTurns(core, key, 13, 10);
    const asked = summarizer.requests.length;
    expect(await compact(regenerative)).toMatchObject({ outcome: 'adopted', cycle: 2 });
    expect(summarizer.requests[asked]?.window.seqs[0]).toBe(1);
    const { view } = await state();
    const own = view.summary.items.filter(
      ({ section, producer }) => section === 'current_state' && producer.startsWith('model:'),
    );
    const shown = own.filter(({ state: itemState, archived }) => itemState === 'open' && !archived);
    expect(shown).toHaveLength(2);
    expect(own.length).toBeGreaterThan(2);
    expect(own.every(({ sourceEntryIds }) => sourceEntryIds.length === 0)).toBe(true);
  });

  it('opaque stands for the span, is not portable, and gives way to another strategy', async () => {
    const summarizer: ScriptedSummarizer = scriptedSummarizer((request) =>
      request.approach === 'opaque'
        ? {
            kind: 'opaque',
            blob: {
              provider: 'openai',
              format: 'text/plain',
              payload: 'blob of the provider',
              expiresAt: null,
            },
            end: 'complete',
            usage: null,
          }
        : faithfulPatch(request),
    );
    const { core, key, compact, state } = await withSession(summarizer);
    const opaque = { settings: { ...settings, strategy: 'opaque' } };
    const report = await compact(opaque);
    expect(report).toMatchObject({ outcome: 'adopted', strategy: 'opaque' });
    const { view } = await state();
    expect(view.cycles[0]).toMatchObject({
      strategy: 'opaque',
      blob: { inspectable: false, portable: false, probeableOffline: false },
    });
    const { exports, summaries } = core.sessions;
    const own = await exports.export({ ...key, provider: 'openai-chat' });
    expect(JSON.stringify(own.messages)).toContain('blob of the provider');
    const other = await exports.export({ ...key, provider: 'anthropic' });
    expect(JSON.stringify(other.messages)).not.toContain('blob of the provider');
    expect(other.messages.length).toBeGreaterThan(own.messages.length);

    await appendTurns(core, key, 13, 10);
    expect(await compact()).toMatchObject({ outcome: 'adopted', strategy: 'anchored', cycle: 2 });
    const later = await state();
    expect(later.view.cycles.map(({ state: cycleState }) => cycleState)).toEqual([
      'replaced',
      'live',
    ]);
    expect(later.view.cycles[1]?.span[0]).toEqual({
      from: 1,
      to: later.view.cycles[1]?.cutSeq,
    });
    expect(JSON.stringify(later.exported.messages)).not.toContain('blob of the provider');
    await summaries.rollback({ ...key, toCycle: 1 });
    const back = await state();
    expect(back.view.cycles.map(({ state: cycleState }) => cycleState)).toEqual([
      'live',
      'rolled-back',
    ]);
  });

  function adding(text: string, source: number | SummaryRequest): SummaryAnswer {
    const seq = typeof source === 'number' ? source : source.window.seqs[0];
    const section = 'current_state';
    return patchAnswer([
      { operation: 'add', section, text, refs: [], sources: [seq], state: 'open' },
    ]);
  }

  function answerOf(patch: unknown): SummaryAnswer {
    return { kind: 'patch', patch, end: 'complete', usage: null };
  }

  function documentOf(sections: unknown): SummaryAnswer {
    return { kind: 'document', document: { sections }, end: 'complete', usage: null };
  }
});
