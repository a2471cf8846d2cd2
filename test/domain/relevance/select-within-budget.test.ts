import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { selectWithinBudget } from '../../../src/domain/relevance/select-within-budget.js';

/** Fragments written as `text:score:tokens`. */
function select(budgetTokens: number, ...given: string[]) {
  const parsed = given.map((text) => text.split(':'));
  return selectWithinBudget(
    'goal',
    parsed.map(([content = '', , tokens]) => ({ content, tokenCount: Number(tokens) })),
    budgetTokens,
    () => parsed.map(([, score]) => Number(score)),
  );
}

describe('selectWithinBudget', () => {
  // prettier-ignore
  it.each([
    { rule: 'the best come first',                    budget: 10, given: ['a:.1:10', 'b:.9:10'],            kept: [1] },
    { rule: 'kept ones stand in the order of time',   budget: 20, given: ['a:.1:10', 'b:.9:10'],            kept: [0, 1] },
    { rule: 'of equal ones the newer is kept',        budget: 10, given: ['a:.5:10', 'b:.5:10'],            kept: [1] },
    { rule: 'an exact fit is kept',                   budget: 10, given: ['a:.9:10'],                       kept: [0] },
    { rule: 'too large is passed over',               budget: 50, given: ['a:.9:40', 'b:.5:50', 'c:.1:10'], kept: [0, 2] },
    { rule: 'a copy waits behind all others',         budget: 90, given: ['a:.9:50', 'a:.9:50', 'b:.1:40'], kept: [1, 2] },
    { rule: 'a short turn is no copy',                budget: 20, given: ['y:.9:10', 'y:.9:10', 'b:.1:10'], kept: [0, 1] },
    { rule: 'a copy is kept where room is left',      budget: 200, given: ['a:.9:50', 'a:.9:50', 'b:.1:10'], kept: [0, 1, 2] },
    { rule: 'no budget keeps nothing',                budget: 0,  given: ['a:.9:0'],                        kept: [] },
    { rule: 'a negative budget keeps nothing',        budget: -5, given: ['a:.9:0'],                        kept: [] },
    { rule: 'no fragments, nothing kept',             budget: 10, given: [],                                kept: [] },
  ])('$rule', ({ budget, given, kept }) => {
    expect(select(budget, ...given).kept).toEqual(kept);
  });

  it('everything that is skipped is named with its reason', () => {
    expect(select(90, 'a:.9:50', 'a:.8:50', 'b:.1:40', 'c:.5:99').skipped).toEqual([
      { position: 3, reason: 'over-budget' },
      { position: 1, reason: 'copy' },
    ]);
  });

  it('every position is kept or skipped, once, and the budget holds', () => {
    const fragment = fc.record({
      content: fc.constantFrom('plan', 'budget', 'ok', 'Read {"file_path":"/a.ts"}'),
      tokenCount: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(fragment), fc.integer({ min: -5, max: 300 }), (fragments, budget) => {
        const { kept, skipped, usedTokens } = selectWithinBudget('plan', fragments, budget);
        const all = [...kept, ...skipped.map(({ position }) => position)].sort((a, b) => a - b);
        expect(all).toEqual([...fragments.keys()]);
        expect(usedTokens).toBeLessThanOrEqual(Math.max(0, budget));
        expect(kept.reduce((sum, at) => sum + (fragments[at]?.tokenCount ?? 0), 0)).toBe(
          usedTokens,
        );
      }),
      { seed: 20_261_130, numRuns: 200 },
    );
  });
});
