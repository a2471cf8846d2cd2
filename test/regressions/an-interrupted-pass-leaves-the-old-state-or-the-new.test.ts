/** S14: cancelled or killed at any access to the store, or while a model answers, nothing of a session is lost. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, TOKENS } from '../../src/index.js';
import { Interruption } from '../support/interrupted-store.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { faithfulPatch, scriptedSummarizer } from '../support/scripted-summarizer.js';
import { appendTurns, aStoredSession } from '../support/stored-session.js';

const settings = {
  windowTokens: 6_000,
  outputReserveTokens: 0,
  keepTurns: 1,
  keepTokens: 1_000,
  summaryTokens: 600,
};

/** Far above the accesses of a pass; reached, the test would say so. */
const MOST_ACCESSES = 100;

describe.each(['in memory', 'on Postgres'])('a pass %s', (kind) => {
  let database: TestDatabase | null = null;
  let core: Ossature;
  let now = new Date('2026-05-01T00:00:00.000Z');
  const interruption = new Interruption();
  let whileAsked = (): void => {};
  const summarizer = scriptedSummarizer((request) => {
    whileAsked();
    return faithfulPatch(request);
  });

  beforeAll(async () => {
    if (kind === 'on Postgres') database = await createTestDatabase();
    core = await createOssature({
      store: database === null ? { kind: 'in-memory' } : { kind: 'url', url: database.url },
      checkSchema: false,
      repositories: interruption.wrap,
      clock: () => now,
      summarizer,
    });
    if (database !== null) await core.migrate();
  });
  afterAll(async () => {
    await core.close();
    await database?.drop();
  });

  async function aSessionToCompact() {
    const key = await aStoredSession(core);
    await appendTurns(core, key, 1, 6, { words: 25 });
    return key;
  }

  const entriesOf = (key: Parameters<Ossature['sessions']['summaries']['read']>[0]) =>
    core.resolve(TOKENS.sessionRepository).listEntries(key, { from: 1, to: null });

  async function stateOf(key: Parameters<Ossature['sessions']['summaries']['read']>[0]) {
    const { summary, cycles, session } = await core.sessions.summaries.read(key);
    const { messages } = await core.sessions.exports.export({ ...key, provider: 'anthropic' });
    return { items: summary.items, cycles, revision: session.revision, messages };
  }

  /** Every entry is in the tail, or covered by exactly one live cycle. */
  async function expectCovered(key: Parameters<Ossature['sessions']['summaries']['read']>[0]) {
    const { cycles } = await core.sessions.summaries.read(key);
    const live = cycles.filter(({ state }) => state === 'live');
    const covered = live.flatMap(({ span }) =>
      span.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
    );
    expect(new Set(covered).size).toBe(covered.length);
    const cutSeq = live.at(-1)?.cutSeq ?? 0;
    const entries = await entriesOf(key);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
    expect(covered.length).toBe(cutSeq);
  }

  /** One pass after another, each interrupted one access later, until one comes through. */
  async function interruptEverywhere(way: 'crash' | 'cancel') {
    const outcomes: string[] = [];
    for (let at = 1; at < MOST_ACCESSES; at += 1) {
      const key = await aSessionToCompact();
      const before = { ...(await stateOf(key)), entries: await entriesOf(key) };
      const cancelling = new AbortController();
      interruption.arm(at, way === 'crash' ? 'crash' : () => cancelling.abort());
      let outcome = 'crashed';
      try {
        const request = { ...key, settings, now: true, signal: cancelling.signal };
        outcome = (await core.sessions.summaries.compact(request)).outcome;
      } catch (error) {
        expect((error as Error).message).toContain('the process is gone');
      }
      const reached = interruption.accesses >= at;
      interruption.disarm();
      outcomes.push(outcome);
      const after = { ...(await stateOf(key)), entries: await entriesOf(key) };
      if (after.cycles.length === 0) expect(after).toEqual(before);
      else expect(after).toMatchObject({ cycles: [{ cycle: 1, state: 'live' }], revision: 2 });
      await expectCovered(key);

      // What a crash left blocks until its lease ran out, and no longer.
      now = new Date(now.getTime() + 31_000);
      const { outcome: next } = await core.sessions.summaries.compact({
        ...key,
        settings,
        now: true,
      });
      expect(['adopted', 'unchanged']).toContain(next);
      await expectCovered(key);
      const attempts = await core.resolve(TOKENS.summaryRepository).listAttempts(key, 10);
      expect(attempts.every((attempt) => attempt.outcome !== 'started')).toBe(true);
      if (!reached) return outcomes;
    }
    throw new Error('the pass has more accesses than are tried');
  }

  it('that crashes at any access is as if it had not begun, or is done', async () => {
    const outcomes = await interruptEverywhere('crash');
    expect(outcomes.length).toBeGreaterThan(15);
    expect(outcomes.at(-1)).toBe('adopted');
    expect(outcomes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'crashed'));
  }, 240_000);

  it('that is cancelled at any access is as if it had not begun, or is done', async () => {
    const outcomes = await interruptEverywhere('cancel');
    expect(new Set(outcomes)).toEqual(new Set(['cancelled', 'adopted']));
  }, 240_000);

  it('that is cancelled while a model answers ends at once, with an attempt that says so', async () => {
    const key = await aSessionToCompact();
    const cancelling = new AbortController();
    whileAsked = () => cancelling.abort();
    const before = await stateOf(key);
    const request = { ...key, settings, now: true, signal: cancelling.signal };
    const report = await core.sessions.summaries.compact(request);
    whileAsked = () => {};
    expect(report).toMatchObject({ outcome: 'cancelled', cycle: 0 });
    expect(await stateOf(key)).toEqual(before);
    const [attempt] = await core.resolve(TOKENS.summaryRepository).listAttempts(key, 1);
    expect(attempt).toMatchObject({ outcome: 'cancelled', attemptId: report.attemptId });
  });

  it('that lost its lease to another adopts nothing', async () => {
    const key = await aSessionToCompact();
    const { summaries } = core.sessions;
    const others: Promise<{ readonly outcome: string }>[] = [];
    whileAsked = () => {
      whileAsked = () => {};
      now = new Date(now.getTime() + 31_000);
      others.push(
        summaries.compact({
          ...key,
          settings: { ...settings, strategy: 'offline' },
          now: true,
        }),
      );
    };
    const first = await summaries.compact({ ...key, settings, now: true });
    const outcomes = [first, ...(await Promise.all(others))].map(({ outcome }) => outcome);
    expect(outcomes).toHaveLength(2);
    expect(outcomes.filter((one) => one === 'adopted')).toHaveLength(1);
    await expectCovered(key);
    const attempts = await core.resolve(TOKENS.summaryRepository).listAttempts(key, 9);
    expect(attempts.filter(({ outcome }) => outcome === 'adopted')).toHaveLength(1);
  });
});
