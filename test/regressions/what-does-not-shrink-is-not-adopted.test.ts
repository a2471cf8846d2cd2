/** S07: a summary that is as large as what it stands for, or slightly less, is refused, and over the window something follows. */
import { describe, expect, it } from '@jest/globals';
import { createOssature, type SummaryAnswer, type SummaryRequest } from '../../src/index.js';
import { scriptedSummarizer } from '../support/scripted-summarizer.js';
import { appendTurns, aStoredSession } from '../support/stored-session.js';

const settings = {
  windowTokens: 8_000,
  outputReserveTokens: 0,
  keepTurns: 1,
  keepTokens: 1_000,
  strategy: 'opaque',
  fallback: 'none',
} as const;

/** A text of this share of what it was shown, as a compressor of somebody else's might answer. */
const blobOf =
  (share: number) =>
  ({ window }: SummaryRequest): SummaryAnswer => {
    const whole = window.text;
    const text = whole.repeat(Math.ceil(share)).slice(0, Math.floor(whole.length * share));
    const blob = { provider: 'openai', format: 'text/plain', payload: text, expiresAt: null };
    return { kind: 'opaque', blob, end: 'complete', usage: null };
  };

async function session(share: number, turns: number) {
  const summarizer = scriptedSummarizer(blobOf(share));
  const core = await createOssature({ store: { kind: 'in-memory' }, summarizer });
  const key = await aStoredSession(core);
  await appendTurns(core, key, 1, turns, { words: 25 });
  const state = async () => {
    const { summary, cycles, session: stored } = await core.sessions.summaries.read(key);
    const { messages } = await core.sessions.exports.export({ ...key, provider: 'anthropic' });
    return JSON.stringify([summary, cycles, stored.revision, stored.cycle, messages]);
  };
  return { core, key, state, summarizer };
}

describe('a summarizer that returns', () => {
  it.each([
    ['two and a half times as much', 2.5],
    ['the same', 1],
    ['slightly less', 0.97],
  ])('%s is refused by size, and the history stays byte for byte', async (_what, share) => {
    const { core, key, state } = await session(share, 10);
    const before = await state();
    const report = await core.sessions.summaries.compact({ ...key, settings, now: true });
    expect(report).toMatchObject({ outcome: 'rejected', cycle: 0 });
    expect(report.reasons.map(({ code }) => code)).toContain('size');
    expect(await state()).toBe(before);
    const { lastAttempt } = await core.sessions.summaries.status({ ...key, settings });
    expect(lastAttempt).toMatchObject({ outcome: 'rejected', strategy: 'opaque' });
    await core.close();
  });

  it.each([
    ['two and a half times as much', 2.5],
    ['the same', 1],
    ['slightly less', 0.97],
  ])(
    '%s of a session over its window is followed by steps without a model',
    async (_what, share) => {
      const { core, key } = await session(share, 40);
      const { usedTokens } = await core.sessions.summaries.status({ ...key, settings });
      expect(usedTokens).toBeGreaterThan(settings.windowTokens);
      const report = await core.sessions.summaries.compact({ ...key, settings, now: true });
      expect(report).toMatchObject({ outcome: 'adopted', strategy: 'offline' });
      expect(report.tokensAfter).toBeLessThan(settings.windowTokens);
      expect(report.notes.join(' ')).toMatch(/refused before: (?:size|invalid-answer): /);
      await core.close();
    },
  );
});

describe('a session that only one provider can read', () => {
  it('is refused for another one where what can be read is above the window', async () => {
    const { core, key } = await session(0.02, 40);
    const { summaries, exports } = core.sessions;
    await summaries.configure({ ...key, settings: { window_tokens: settings.windowTokens } });
    const report = await summaries.compact({ ...key, settings, now: true });
    expect(report).toMatchObject({ outcome: 'adopted', strategy: 'opaque' });
    const own = await exports.export({ ...key, provider: 'openai-chat' });
    expect(own.messages.length).toBeGreaterThan(0);
    await expect(exports.export({ ...key, provider: 'anthropic' })).rejects.toMatchObject({
      code: 'NOT_PORTABLE',
      message: expect.stringContaining('offline or anchored'),
    });
    await core.close();
  });
});
