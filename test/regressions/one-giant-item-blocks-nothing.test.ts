/** S11, S05: an item of any size at any place is shown as a preview, cut between characters, and passes go on. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, type TranscriptEntry } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { append, aStoredSession, turnEntries } from '../support/stored-session.js';

const WINDOW = 8_000;
const settings = { windowTokens: WINDOW, outputReserveTokens: 0, keepTurns: 2, keepTokens: 1_500 };

/** What a careless cut would break: joined emoji, flags, combining marks. */
const PIECE = '👩‍👩‍👧🇪🇺e\u0301한글 ';

describe('an item of many windows', () => {
  let core: Ossature;
  beforeAll(async () => {
    core = await createOssature({
      store: { kind: 'in-memory' },
      tokenCounter: createEstimateCounter(),
    });
  });
  afterAll(() => core.close());

  function giant(turn: number, tokens: number): readonly TranscriptEntry[] {
    const counter = createEstimateCounter();
    const times = Math.ceil(tokens / counter.count(PIECE));
    return turnEntries(turn).map((entry) =>
      entry.kind === 'tool_result' ? { ...entry, content: PIECE.repeat(times) } : entry,
    );
  }

  const CASES = [0.1, 0.5, 1, 3, 10].flatMap((windows) =>
    (['alone', 'first', 'middle', 'last'] as const).map((place) => ({ windows, place })),
  );

  it.each(CASES)('of $windows windows, $place', async ({ windows, place }) => {
    const key = await aStoredSession(core);
    const before = place === 'alone' || place === 'first' ? 0 : 6;
    const after = place === 'alone' || place === 'last' ? 0 : 6;
    const turns = [
      ...Array.from({ length: before }, (_, at) => turnEntries(at + 1)),
      giant(50, windows * WINDOW),
      ...Array.from({ length: after }, (_, at) => turnEntries(at + 100)),
    ];
    await append(core, key, turns.flat());
    const { summaries, exports } = core.sessions;
    const checked = await summaries.check({ ...key, settings });
    expect(checked.previewed).toHaveLength(windows * WINDOW > 800 ? 1 : 0);
    const report = await summaries.compact({ ...key, settings, now: true });
    expect(['adopted', 'unchanged', 'not_due']).toContain(report.outcome);
    const { usedTokens } = await summaries.status({ ...key, settings });
    expect(usedTokens).toBeLessThanOrEqual(WINDOW);
    for (const provider of ['anthropic', 'openai-chat', 'openai-responses', 'langchain'] as const) {
      const { messages } = await exports.export({ ...key, provider });
      const text = JSON.stringify(messages);
      expect(text).not.toMatch(/\\ud[89a-f]/);
      expect(text.length).toBeLessThan(20 * WINDOW);
    }
    const whole = await summaries.expand({
      ...key,
      handle: `entry:${4 * before + 3}`,
      maxTokens: 1e9,
    });
    expect(whole.entries[0]?.content.length).toBeGreaterThan(windows * 400);
  });
});
