/** S02: what cannot shrink is measured first; a session at its limit is not compacted for ever. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, TOKENS } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { faithfulPatch, patchAnswer, scriptedSummarizer } from '../support/scripted-summarizer.js';
import { appendTurns, aStoredSession } from '../support/stored-session.js';

describe('a session at its limit', () => {
  let core: Ossature;
  let answer: Parameters<typeof scriptedSummarizer>[0] = faithfulPatch;
  const summarizer = scriptedSummarizer((...asked) => answer(...asked));
  beforeAll(async () => {
    core = await createOssature({
      store: { kind: 'in-memory' },
      summarizer,
      tokenCounter: createEstimateCounter(),
    });
  });
  afterAll(() => core.close());

  const attemptsOf = (key: { tenantId: string; sessionId: string }) =>
    core.resolve(TOKENS.summaryRepository).listAttempts(key, 10_000);

  it.each([
    { windowTokens: 1_000, frame: 900 },
    { windowTokens: 4_000, frame: 2_800 },
    { windowTokens: 8_000, frame: 6_000 },
    { windowTokens: 40_000, frame: 29_000 },
  ])(
    'a frame of $frame in a window of $windowTokens is a typed stop with every size, once, and no model is asked',
    async ({ windowTokens, frame }) => {
      const key = await aStoredSession(core);
      await appendTurns(core, key, 1, 30);
      const asked = summarizer.requests.length;
      const request = {
        ...key,
        settings: { windowTokens, outputReserveTokens: 0 },
        frame: { systemTokens: frame, toolTokens: 0 },
      };
      const reports = [];
      for (let call = 0; call < 20; call += 1) {
        reports.push(await core.sessions.summaries.compact(request));
      }
      expect(reports[0]).toMatchObject({
        outcome: 'stopped',
        reasons: [{ code: 'floor-over-budget' }],
        breakdown: { systemTokens: frame },
      });
      expect(summarizer.requests.length).toBe(asked);
      expect((await attemptsOf(key)).map(({ outcome }) => outcome)).toEqual(['stopped']);
    },
  );

  it('is compacted now and then over 1,000 turns, never twice without growth, and never over its window', async () => {
    const key = await aStoredSession(core);
    const settings = {
      windowTokens: 8_000,
      outputReserveTokens: 0,
      keepTurns: 4,
      keepTokens: 2_000,
      summaryTokens: 1_000,
    };
    const { summaries } = core.sessions;
    const asked = summarizer.requests.length;
    for (let turn = 1; turn <= 1_000; turn += 1) {
      await appendTurns(core, key, turn, 1, { words: 8 });
      const report = await summaries.compact({ ...key, settings });
      expect(['adopted', 'not_due']).toContain(report.outcome);
      if (turn % 10 !== 0) continue;
      const again = await summaries.compact({ ...key, settings });
      expect(again.outcome).toBe('not_due');
      const { usedTokens, breakdown } = await summaries.status({ ...key, settings });
      expect(usedTokens).toBeLessThanOrEqual(breakdown.usableTokens);
      expect(again.tokensBefore).toBeGreaterThanOrEqual(usedTokens);
    }
    const attempts = await attemptsOf(key);
    const cycles = attempts.filter(({ outcome }) => outcome === 'adopted').length;
    expect(attempts.length).toBe(cycles);
    expect(cycles).toBeGreaterThan(20);
    expect(cycles).toBeLessThan(80);
    const calls = attempts.reduce((sum, { modelCalls }) => sum + modelCalls.length, 0);
    expect(summarizer.requests.length - asked).toBe(calls);
    const seqs = attempts.map(({ lastSeq }) => lastSeq);
    expect(new Set(seqs).size).toBe(seqs.length);
  }, 240_000);

  it('suspends automatic passes after three failures, until a manual one succeeds', async () => {
    const key = await aStoredSession(core);
    const settings = {
      windowTokens: 8_000,
      outputReserveTokens: 0,
      keepTurns: 2,
      keepTokens: 1_000,
      summaryTokens: 600,
      fallback: 'none' as const,
    };
    const { summaries } = core.sessions;
    answer = () => patchAnswer([]);
    const outcomes: string[] = [];
    for (let turn = 1; turn <= 60; turn += 1) {
      await appendTurns(core, key, turn, 1);
      const { outcome } = await summaries.compact({
        ...key,
        settings: { ...settings, windowTokens: 60_000, slideTurns: 4 },
      });
      outcomes.push(outcome);
    }
    const rejected = (await attemptsOf(key)).filter(({ outcome }) => outcome === 'rejected');
    expect(rejected).toHaveLength(3);
    expect(outcomes.at(-1)).toBe('not_due');
    const status = await summaries.status({
      ...key,
      settings: { ...settings, windowTokens: 60_000, slideTurns: 4 },
    });
    expect(status).toMatchObject({ failures: 3, automatic: { reason: 'suspended' } });
    answer = faithfulPatch;
    const manual = await summaries.compact({
      ...key,
      settings: { ...settings, windowTokens: 60_000 },
      now: true,
    });
    expect(manual.outcome).toBe('adopted');
    const lifted = await summaries.status({
      ...key,
      settings: { ...settings, windowTokens: 60_000 },
    });
    expect(lifted.failures).toBe(0);
  }, 60_000);
});
