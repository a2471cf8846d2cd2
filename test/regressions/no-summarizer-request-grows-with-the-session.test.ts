/** S03: requests are bounded by construction, and a session of any size over its limit comes under it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, type SummaryRequest } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { failed, faithfulPatch, scriptedSummarizer } from '../support/scripted-summarizer.js';
import { append, appendTurns, aStoredSession, turnEntries } from '../support/stored-session.js';

const counter = createEstimateCounter();
const CEILING = 2_000;

function tokensOf({ window, reference, schema, focus, complaints }: SummaryRequest): number {
  return [window.text, reference, JSON.stringify(schema), focus ?? '', ...complaints]
    .map((text) => counter.count(text))
    .reduce((sum, tokens) => sum + tokens, OVERHEAD);
}

const OVERHEAD = 150;

describe('a session larger than the window of its summarizer', () => {
  let core: Ossature;
  const summarizer = scriptedSummarizer(
    (request) => (tokensOf(request) > CEILING ? failed('unavailable') : faithfulPatch(request)),
    { windowTokens: 2 * CEILING, overheadTokens: OVERHEAD },
  );
  beforeAll(async () => {
    core = await createOssature({
      store: { kind: 'in-memory' },
      summarizer,
      tokenCounter: counter,
    });
  });
  afterAll(() => core.close());

  it.each([2, 10, 100])(
    'is folded by requests under the ceiling, at %i windows',
    async (windows) => {
      const key = await aStoredSession(core);
      const perTurn = turnEntries(1)
        .map(({ content }) => counter.count(content))
        .reduce((sum, tokens) => sum + tokens, 0);
      await appendTurns(core, key, 1, Math.ceil((windows * CEILING) / perTurn));
      const asked = summarizer.requests.length;
      const report = await core.sessions.summaries.compact({
        ...key,
        settings: {
          windowTokens: Math.max(8_000, windows * 3_000),
          outputReserveTokens: 0,
          keepTurns: 1,
          keepTokens: 1_000,
          summaryTokens: 1_000,
          summarizerWindowTokens: CEILING,
          fallback: 'none',
        },
        now: true,
      });
      expect(report).toMatchObject({ outcome: 'adopted', strategy: 'anchored' });
      const own = summarizer.requests.slice(asked);
      expect(own.length).toBeGreaterThanOrEqual(windows);
      expect(Math.max(...own.map(tokensOf))).toBeLessThanOrEqual(CEILING);
      const shown = own.flatMap(({ window }) => window.seqs);
      expect(new Set(shown).size).toBe(shown.length);
      const { from, to } = report.span[0] ?? { from: 0, to: 0 };
      expect(shown).toEqual(Array.from({ length: to - from + 1 }, (_, at) => from + at));
    },
    60_000,
  );

  it('shows a unit larger than a window as a preview, and one of many calls in part', async () => {
    const key = await aStoredSession(core);
    const [prompt, call, result, answer] = turnEntries(1, { words: 40_000 });
    const many = Array.from({ length: 400 }, (_, at) => ({
      ...call,
      sourceKey: `many${at}`,
      messageKey: 'many',
      callId: `many-${at}`,
    }));
    const entries = [prompt, call, result, answer, ...many].flatMap((entry) => entry ?? []);
    await append(core, key, entries as ReturnType<typeof turnEntries>);
    await appendTurns(core, key, 2, 4);
    const asked = summarizer.requests.length;
    const report = await core.sessions.summaries.compact({
      ...key,
      settings: {
        windowTokens: 400_000,
        keepTurns: 1,
        keepTokens: 1_000,
        summarizerWindowTokens: CEILING,
        oversizeTokens: 300_000,
        fallback: 'none',
      },
      now: true,
    });
    expect(report.outcome).toBe('adopted');
    const own = summarizer.requests.slice(asked);
    expect(Math.max(...own.map(tokensOf))).toBeLessThanOrEqual(CEILING);
    expect(own.some(({ window }) => window.text.includes('left out here'))).toBe(true);
  });

  it.each([2, 10, 100])(
    'comes under its own window after an overflow, at %i windows, without a model',
    async (windows) => {
      const key = await aStoredSession(core);
      const settings = { windowTokens: 6_000, outputReserveTokens: 1_000 };
      await appendTurns(core, key, 1, windows * 25, { words: 40 });
      const asked = summarizer.requests.length;
      const { usedTokens } = await core.sessions.summaries.status({ ...key, settings });
      expect(usedTokens).toBeGreaterThan(windows * 5_000);
      const report = await core.sessions.summaries.recoverOverflow({
        ...key,
        settings,
        refused: { inputTokens: usedTokens + 10, windowTokens: 6_000 },
      });
      expect(report.outcome).toBe('adopted');
      expect(report.tokensAfter ?? Infinity).toBeLessThanOrEqual(5_000);
      expect(report.steps.map(({ step }) => step)).toContain('offline-pass');
      expect(summarizer.requests.length).toBe(asked);
      const again = await core.sessions.summaries.recoverOverflow({ ...key, settings });
      expect(again).toMatchObject({ outcome: 'unchanged', steps: [] });
    },
    60_000,
  );

  it('ends in a typed stop with the size of every part where nothing can make it fit', async () => {
    const key = await aStoredSession(core);
    await appendTurns(core, key, 1, 20);
    const request = {
      ...key,
      settings: { windowTokens: 4_000, outputReserveTokens: 0 },
      frame: { systemTokens: 3_000, toolTokens: 1_200 },
    };
    const report = await core.sessions.summaries.recoverOverflow(request);
    expect(report).toMatchObject({
      outcome: 'stopped',
      reasons: [{ code: 'floor-over-budget' }],
      breakdown: { systemTokens: 3_000, toolTokens: 1_200 },
    });
  });

  it('learns from what the provider counted: factor by model and counter, on both sides', async () => {
    const key = await aStoredSession(core, {
      model: 'gpt-4o',
      counterName: counter.name,
      counterVersion: counter.version,
    });
    await appendTurns(core, key, 1, 10);
    const { summaries } = core.sessions;
    const before = await summaries.status(key);
    const told = await summaries.reportUsage({ ...key, inputTokens: 2 * before.usedTokens });
    expect(told).toMatchObject({ model: 'gpt-4o', reports: 1 });
    expect(told.factor).toBeCloseTo(1.2, 6);
    const after = await summaries.status(key);
    expect(after.calibration.factor).toBe(told.factor);
    expect(after.usedTokens / before.usedTokens).toBeCloseTo(1.2, 1);
    for (let report = 0; report < 40; report += 1) {
      await summaries.reportUsage({ ...key, inputTokens: 50 * before.usedTokens });
    }
    expect((await summaries.status(key)).calibration.factor).toBe(2);
    const other = await aStoredSession(core, { model: 'gpt-4o' });
    expect((await summaries.status(other)).calibration.factor).toBe(1);
  });
});
