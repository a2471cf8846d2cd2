import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareBudget } from '../../../src/domain/assembly/share-budget.js';

/** Strategies written as `name:confidence`, a preferred one with a star. */
function shares(room: number, cap: number, ...texts: string[]): string {
  const ranked = texts.map((text) => {
    const [name = '', confidence] = text.split(':');
    const isPreferred = name.endsWith('*');
    return { name, quality: 0.5, confidence: Number(confidence), isPreferred, failure: null };
  });
  return shareBudget(ranked, room, cap)
    .map(({ name, budgetTokens }) => `${name}:${budgetTokens}`)
    .join(' ');
}

describe('shareBudget', () => {
  // prettier-ignore
  it.each([
    { rule: 'shares are as the confidences',        room: 1000, cap: 1,   given: ['a:.6', 'b:.4'],           shares: 'a:600 b:400' },
    { rule: 'they are rounded down',                room: 10,   cap: 1,   given: ['a:.5', 'b:.5', 'c:.5'],   shares: 'a:3 b:3 c:3' },
    { rule: 'none exceeds the cap',                 room: 1000, cap: 0.5, given: ['a:.9', 'b:.1'],           shares: 'a:500 b:500' },
    { rule: 'what the cap takes goes to the others', room: 1000, cap: 0.6, given: ['a:.8', 'b:.1', 'c:.1'],  shares: 'a:600 b:200 c:200' },
    { rule: 'one alone is capped too',              room: 1000, cap: 0.6, given: ['a:.3'],                   shares: 'a:600' },
    { rule: 'preferred ones are served first',      room: 1000, cap: 0.6, given: ['a*:.1', 'b:.9'],          shares: 'a*:600 b:400' },
    { rule: 'no confidence, no share',              room: 1000, cap: 1,   given: ['a:.5', 'b:0'],            shares: 'a:1000' },
    { rule: 'no room, shares of nothing',           room: 0,    cap: 0.6, given: ['a:.5', 'b:.5'],           shares: 'a:0 b:0' },
    { rule: 'no strategy, no share',                room: 1000, cap: 0.6, given: [],                         shares: '' },
  ])('$rule', ({ room, cap, given, shares: expected }) => {
    expect(shares(room, cap, ...given)).toBe(expected);
  });

  it('shares are whole, at most the cap, and sum to at most the room', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.array(
          fc.record({
            confidence: fc.double({ min: 0, max: 1, noNaN: true }),
            isPreferred: fc.boolean(),
          }),
          { maxLength: 12 },
        ),
        (room, cap, given) => {
          const ranked = given.map((one, at) => ({
            ...one,
            name: `s${at}`,
            quality: 0.5,
            failure: null,
          }));
          const tokens = shareBudget(ranked, room, cap).map(({ budgetTokens }) => budgetTokens);
          expect(tokens.every(Number.isSafeInteger)).toBe(true);
          expect(Math.max(0, ...tokens)).toBeLessThanOrEqual(room * cap + room / 1_000_000 + 1);
          expect(tokens.reduce((sum, one) => sum + BigInt(one), 0n) <= BigInt(room)).toBe(true);
        },
      ),
      { seed: 11 },
    );
  });
});
