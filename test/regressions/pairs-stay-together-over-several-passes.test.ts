/** S01, S07: random transcripts over several passes keep every pair; what does not compress is refused, and something follows. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assert, asyncProperty, constantFrom } from 'fast-check';
import { createOssature, type Ossature, type TranscriptEntry } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { randomTranscript } from '../domain/session/random-transcript.js';
import { patchAnswer, scriptedSummarizer } from '../support/scripted-summarizer.js';
import { append, appendTurns, aStoredSession, turnEntries } from '../support/stored-session.js';

describe('passes on any transcript', () => {
  let core: Ossature;
  let words = 0;
  const summarizer = scriptedSummarizer(({ window }) =>
    patchAnswer(
      window.seqs.slice(0, 40).map((seq) => ({
        operation: 'add',
        section: 'current_state',
        text: `entry ${'abcdefghij'[seq % 10]}${'abcdefghij'[Math.floor(seq / 10) % 10]}: ${'said '.repeat(words)}`,
        refs: [],
        sources: [seq],
        state: 'open',
      })),
    ),
  );
  beforeAll(async () => {
    core = await createOssature({
      store: { kind: 'in-memory' },
      tokenCounter: createEstimateCounter(),
      summarizer,
    });
  });
  afterAll(() => core.close());

  const PROVIDERS = ['anthropic', 'openai-chat', 'openai-responses', 'langchain'] as const;

  it('keep every call with its results, for every provider', async () => {
    const triggers = constantFrom('importance', 'sliding_window', 'fixed_threshold');
    await assert(
      asyncProperty(randomTranscript, triggers, async (transcript, trigger) => {
        const key = await aStoredSession(core);
        const settings = {
          windowTokens: 3_000,
          outputReserveTokens: 0,
          keepTurns: 1,
          keepTokens: 400,
          summaryTokens: 500,
          strategy: 'offline' as const,
          triggers: [[trigger]],
        };
        const entries = transcript as readonly TranscriptEntry[];
        const third = Math.ceil(entries.length / 3);
        for (let part = 0; part < 3; part += 1) {
          await append(core, key, entries.slice(part * third, (part + 1) * third));
          await append(core, key, turnEntries(900 + part, { words: 60 }));
          await core.sessions.summaries.compact({ ...key, settings, now: true });
          for (const provider of PROVIDERS) {
            // Refuses by NOT_PORTABLE what breaks a rule of the provider.
            const { messages } = await core.sessions.exports.export({ ...key, provider });
            expect(messages.length).toBeGreaterThan(0);
          }
        }
      }),
      { seed: 20_260_101, numRuns: 25 },
    );
  }, 120_000);

  it.each([
    ['far too much', 400],
    ['as much as an item may hold, for every entry', 150],
  ])('a summarizer that writes %s makes nothing larger', async (_, each) => {
    words = each;
    const key = await aStoredSession(core);
    await appendTurns(core, key, 1, 40, { words: 25 });
    const settings = {
      windowTokens: 6_000,
      outputReserveTokens: 0,
      keepTurns: 1,
      keepTokens: 800,
      summaryTokens: 700,
      fallback: 'none' as const,
    };
    const { usedTokens } = await core.sessions.summaries.status({ ...key, settings });
    expect(usedTokens).toBeGreaterThan(6_000);
    const report = await core.sessions.summaries.compact({ ...key, settings, now: true });
    // Over the window, a refusal is followed by the deterministic steps in the same call.
    expect(report.outcome).toBe('adopted');
    expect(report.tokensAfter ?? Infinity).toBeLessThanOrEqual(6_000);
    if (each > 200) expect(report.notes.join(' ')).toContain('refused before');
    const after = await core.sessions.summaries.status({ ...key, settings });
    expect(after.usedTokens).toBeLessThan(usedTokens);
    expect(after.usedByPart['summary']).toBeLessThanOrEqual(700 + 4);
  });
});
