/** S15: window, lines and counter belong to the agent that sends the request, whatever its parent has. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, TOKENS } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { appendTurns, aStoredSession } from '../support/stored-session.js';

describe('a child session', () => {
  let core: Ossature;
  beforeAll(async () => {
    core = await createOssature({
      store: { kind: 'in-memory' },
      tokenCounter: createEstimateCounter(),
    });
  });
  afterAll(() => core.close());

  it.each([
    ['gpt-4.1', 'gpt-4', 1_047_576, 8_192],
    ['claude-sonnet-4-5', 'gpt-4o', 200_000, 128_000],
    ['gpt-4', 'claude-sonnet-4-5', 8_192, 200_000],
  ])('of %s on %s', async (parentModel, childModel, parentWindow, childWindow) => {
    const parent = await aStoredSession(core, { model: parentModel });
    const child = await aStoredSession(core, {
      tenantId: parent.tenantId,
      model: childModel,
      parentSessionId: parent.sessionId,
      agentName: 'explorer',
    });
    const { summaries } = core.sessions;
    expect((await summaries.status(parent)).settings.windowTokens).toBe(parentWindow);
    expect((await summaries.status(child)).settings.windowTokens).toBe(childWindow);
    await summaries.configure({ ...parent, settings: { window_tokens: 30_000, keep_turns: 3 } });
    const { settings } = await summaries.status(child);
    expect(settings).toMatchObject({ windowTokens: childWindow, keepTurns: 8 });
  });

  it('on a small model is compacted by the same engine, long before the window of its parent', async () => {
    const parent = await aStoredSession(core, { model: 'gpt-4.1' });
    const child = await aStoredSession(core, {
      tenantId: parent.tenantId,
      model: 'gpt-4',
      parentSessionId: parent.sessionId,
    });
    const { summaries } = core.sessions;
    for (let turn = 1; turn <= 120; turn += 1) {
      await appendTurns(core, child, turn, 1, { words: 15 });
      await summaries.compact(child);
      const { usedTokens } = await summaries.status(child);
      expect(usedTokens).toBeLessThan(8_192);
    }
    expect((await summaries.read(child)).cycles.length).toBeGreaterThan(1);
    expect((await summaries.read(parent)).cycles).toEqual([]);
  }, 60_000);

  it('counted by another counter leaves the counts of its parent as they are', async () => {
    const store = core.resolve(TOKENS.repositories);
    const exact = await createOssature({
      store: { kind: 'in-memory' },
      repositories: () => store,
      tokenCounter: { name: 'letters', version: '1', count: (text) => text.length },
    });
    const parent = await aStoredSession(core, { model: 'gpt-4.1', counterName: 'estimate' });
    const child = await aStoredSession(exact, {
      tenantId: parent.tenantId,
      model: 'gpt-4o',
      parentSessionId: parent.sessionId,
      counterName: 'letters',
      counterVersion: '1',
    });
    await appendTurns(core, parent, 1, 3);
    await appendTurns(exact, child, 1, 3);
    const ofParent = await core.sessions.summaries.status(parent);
    const ofChild = await exact.sessions.summaries.status(child);
    expect(ofChild.usedTokens).toBeGreaterThan(1.5 * ofParent.usedTokens);
    expect(ofChild.session.counterName).toBe('letters');
    const again = await core.sessions.summaries.status(parent);
    expect(again.session.counterName).toBe(ofParent.session.counterName);
    expect(again.usedTokens).toBe(ofParent.usedTokens);
    await exact.close();
  });
});
