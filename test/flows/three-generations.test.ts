/** A brief survives: what a root may not do is found word for word in its grandchild, passes later. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionKey } from '../../src/index.js';
import { renderSummary } from '../../src/domain/session/summary/render-summary.js';
import { activePins } from '../../src/domain/session/summary/summary-item.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { aRootWith } from '../support/builders.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const LINES = readFileSync(resolve('examples/session.jsonl'), 'utf8').split('\n');
const [reader] = transcriptReaders(sha256, createEstimateCounter());
const RULES = [
  'You may only test. Never build a feature.',
  '  Keep "quotes" and\n  line ends — and 🏗️ — as they are.  ',
];
const PASSES = 5;
const GENERATIONS = 3;

describe.each(Object.keys(STORES))('three generations %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  /** @param share of the example, from its beginning; under other names it is another session. */
  async function imported(planId: string, generation: number, share: number): Promise<SessionKey> {
    if (reader === undefined) throw new Error('no reader');
    const text = LINES.slice(0, Math.ceil(LINES.length * share))
      .join('\n')
      .replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"generation-${generation}"`);
    const source = memorySource(text);
    const request = { tenantId: 'one', source, reader, redact, planId };
    const [receipt] = await opened.core.sessions.ingestion.import(request);
    return { tenantId: 'one', sessionId: receipt?.sessionId ?? '' };
  }

  async function compactedAsItGrows(planId: string, generation: number): Promise<SessionKey> {
    const { summaries } = opened.core.sessions;
    let key = await imported(planId, generation, 0.2);
    let adopted = 0;
    for (let share = 0.25; adopted < PASSES && share <= 1; share += 0.05) {
      key = await imported(planId, generation, share);
      const { outcome } = await summaries.compact({
        ...key,
        now: true,
        // Room for what is inherited, and little more: the session has to be cut as it grows.
        settings: {
          windowTokens: 9_000,
          outputReserveTokens: 0,
          keepTurns: 1,
          keepTokens: 500,
          minFreedTokens: 50,
          summaryTokens: 1_200,
        },
      });
      if (outcome === 'adopted') adopted += 1;
    }
    expect(adopted).toBe(PASSES);
    return key;
  }

  it('hand the constraints of the root down word for word, over five passes each', async () => {
    const { core } = opened;
    const { summaries, capsules, stored } = core.sessions;
    const rootPlan = await aRootWith(core, 'a:0.9:10');
    const rootKey = await imported(rootPlan, 0, 0.2);
    for (const text of RULES) await summaries.pin({ ...rootKey, text, redact });

    let planId = rootPlan;
    let key = rootKey;
    for (let generation = 0; generation < GENERATIONS; generation += 1) {
      key = await compactedAsItGrows(planId, generation);
      const { summary } = await summaries.read(key);
      const pins = activePins(summary);
      const rendered = renderSummary(summary);
      for (const rule of RULES) {
        expect(pins.map(({ text }) => text)).toContain(rule);
        expect(rendered).toContain(rule);
      }
      const own = await capsules.ofPlan(planId);
      const kept = new Map(pins.map(({ text, textHash }) => [text, textHash]));
      for (const { text } of own?.capsule.items ?? []) expect(kept.get(text)).toBe(sha256(text));

      const goal = `Test part ${generation} of the reset flow`;
      const spawned = await core.coordinator.spawnChild(planId, { goal, ...key });
      if (spawned.outcome !== 'spawned') throw new Error('too large');
      const constraints = spawned.capsule?.items.filter(({ section }) => section === 'constraints');
      for (const rule of RULES) {
        const item = constraints?.find(({ text }) => text === rule);
        expect(item?.origin.sessionId).toBe(rootKey.sessionId);
      }
      planId = spawned.child.planId;
    }

    const grandchild = await stored.resolve('one', key.sessionId);
    expect(await capsules.ofSession(grandchild)).toMatchObject({
      received: { state: 'current' },
      given: [{ state: 'current', capsule: { childPlanId: planId } }],
    });

    const [first] = activePins((await summaries.read(rootKey)).summary).filter(
      ({ text }) => text === RULES[0],
    );
    await summaries.unpin({ ...rootKey, itemNo: first?.itemNo ?? 0 });
    expect(await capsules.ofPlan(planId)).toMatchObject({
      state: 'outdated',
      withdrawn: [{ text: RULES[0] }],
    });
    expect(activePins((await summaries.read(key)).summary).map(({ text }) => text)).toContain(
      RULES[0],
    );
  });
});
