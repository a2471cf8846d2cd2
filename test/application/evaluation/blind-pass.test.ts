/** What real passes keep of conversations that nobody has a question about yet. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blindPasses } from '../../../src/application/evaluation/blind-pass.js';
import { costsOfCase } from '../../../src/domain/evaluation/evidence/evidence-recall.js';
import { seededNumbers } from '../../../src/domain/evaluation/seeded-numbers.js';
import { createOssature, type Ossature, TOKENS } from '../../../src/index.js';

/** Two people who talk in turn, about nothing that repeats. */
function conversation(length: number, seed: number) {
  const draw = seededNumbers(seed);
  const word = () => `w${Math.floor(draw() * 4_000).toString(36)}`;
  return Array.from({ length }, (_, at) => ({
    turnId: String(at),
    speaker: at % 2 === 0 ? 'Ada' : 'Ben',
    text: Array.from({ length: 4 + Math.floor(draw() * 30) }, word).join(' '),
  }));
}

describe('a pass without a question', () => {
  let core: Ossature;
  beforeAll(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
  });
  afterAll(() => core.close());

  it.each([1, 2, 3])(
    'seed %i: keeps the newest turns within the budget, and reaches more than recency keeps',
    async (seed) => {
      const turns = conversation(160, seed);
      const parts = core.resolve(TOKENS.probeParts);
      const budgets = [15, 30, 50];
      const { costs, budgetsTokens } = costsOfCase({ turns }, budgets, parts.counter);
      const passes = await blindPasses(turns, costs, budgetsTokens, parts);
      expect([...passes.keys()]).toEqual(budgetsTokens);
      for (const [budget, { kept, reachable, usedTokens }] of passes) {
        expect(usedTokens).toBeLessThanOrEqual(budget);
        const first = Math.min(...kept);
        expect(kept.size).toBe(turns.length - first);
        let [recency, free] = [0, budget];
        for (const cost of [...costs].reverse()) {
          free -= cost;
          if (free < 0) break;
          recency += 1;
        }
        expect(reachable.size).toBeGreaterThanOrEqual(recency);
        expect([...kept].every((place) => reachable.has(place))).toBe(true);
      }
      const again = await blindPasses(turns, costs, budgetsTokens, parts);
      expect(again).toEqual(passes);
    },
  );

  it('makes none where no window is so small', async () => {
    const turns = conversation(6, 1);
    const parts = core.resolve(TOKENS.probeParts);
    const { costs, budgetsTokens } = costsOfCase({ turns }, [10], parts.counter);
    expect(await blindPasses(turns, costs, budgetsTokens, parts)).toEqual(new Map());
  });
});
