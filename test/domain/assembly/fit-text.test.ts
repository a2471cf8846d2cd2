import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitPayload } from '../../../src/domain/assembly/fit-text.js';
import { jointTokensOf, textTokens } from '../../../src/domain/assembly/text-tokens.js';
import { countWords } from '../../support/assembly-builders.js';

const part = (content: string, tokenCount = countWords(content)) => ({ content, tokenCount });

describe('textTokens', () => {
  // prettier-ignore
  it.each([
    { rule: 'nothing has no tokens',                             parts: [],                             joint: 1, tokens: 0 },
    { rule: 'one text needs no blank line',                      parts: [part('a b')],                  joint: 1, tokens: 2 },
    { rule: 'a blank line stands between two',                   parts: [part('a b'), part('c')],       joint: 1, tokens: 4 },
    { rule: 'a count that stands for more than its text holds',  parts: [part('a b', 90), part('c')],   joint: 1, tokens: 92 },
    { rule: 'the whole holds where it counts more than its parts', parts: [part('a b', 1), part('c d', 1)], joint: 1, tokens: 4 },
  ])('$rule', ({ parts, joint, tokens }) => {
    expect(textTokens(parts, joint, countWords)).toBe(tokens);
  });

  it('has one blank line fewer than texts', () => {
    expect([0, 1, 2, 5].map((texts) => jointTokensOf(texts, 2))).toEqual([0, 0, 2, 8]);
  });
});

describe('fitPayload', () => {
  const room = (roomTokens: number, preambleBudget = 0) => ({
    roomTokens,
    preambleBudget,
    joints: { tokens: 1, textsBefore: 0 },
  });

  /** Packs all there is room for; a text counts so many times what its parts are said to count. */
  const fitted = (times: number, skeletonTokens: number, roomTokens: number) => {
    const tries: number[] = [];
    const payload = fitPayload(
      (within) => {
        tries.push(within.roomTokens);
        const fragmentTokens = within.roomTokens;
        const totalTokens = skeletonTokens + Math.ceil(times * fragmentTokens);
        const budget = { fragmentTokens, skeletonTokens, preambleTokens: 0, jointTokens: 0 };
        return { totalTokens, budget };
      },
      room(roomTokens),
      skeletonTokens + roomTokens,
    );
    return { tries, ...payload };
  };

  // prettier-ignore
  it.each([
    { rule: 'what fits is tried once',                             times: 1,     skeleton: 0,      roomTokens: 100,     tries: [100] },
    { rule: 'one token too much takes one token of the room',      times: 1.005, skeleton: 0,      roomTokens: 200,     tries: [200, 199] },
    { rule: 'twice too much takes half of the room',               times: 2,     skeleton: 0,      roomTokens: 100,     tries: [100, 50] },
    { rule: 'what the skeleton takes is not held against it',      times: 2,     skeleton: 10_000, roomTokens: 100,     tries: [100, 50] },
  ])('$rule', ({ times, skeleton, roomTokens, tries }) => {
    expect(fitted(times, skeleton, roomTokens).tries).toEqual(tries);
  });

  it('takes a few tries at most, and leaves little unused, however wrong the counts', () => {
    const numbers = fc.record({
      times: fc.double({ min: 1, max: 50, noNaN: true }),
      skeleton: fc.nat({ max: 100_000 }),
      roomTokens: fc.integer({ min: 1, max: 100_000 }),
    });
    fc.assert(
      fc.property(numbers, ({ times, skeleton, roomTokens }) => {
        const { tries, totalTokens } = fitted(times, skeleton, roomTokens);
        expect(tries.length).toBeLessThanOrEqual(4);
        expect(totalTokens).toBeLessThanOrEqual(skeleton + roomTokens);
        expect(totalTokens).toBeGreaterThanOrEqual(skeleton + roomTokens - 3 * times - 2);
      }),
      { seed: 23 },
    );
  });

  it('goes without the preamble where there is no room left to take from', () => {
    const tried: (readonly number[])[] = [];
    const { totalTokens } = fitPayload(
      ({ roomTokens, preambleBudget }) => {
        tried.push([roomTokens, preambleBudget]);
        const budget = {
          fragmentTokens: roomTokens,
          preambleTokens: preambleBudget,
          skeletonTokens: 0,
          jointTokens: 0,
        };
        return { totalTokens: roomTokens + 2 * preambleBudget, budget };
      },
      room(2, 9),
      9,
    );

    expect(tried).toEqual([
      [2, 9],
      [0, 9],
      [0, 0],
    ]);
    expect(totalTokens).toBe(0);
  });

  it('stops at a packer that fills a room of nothing', () => {
    const budget = { fragmentTokens: 110, skeletonTokens: 0, preambleTokens: 0, jointTokens: 0 };
    expect(() => fitPayload(() => ({ totalTokens: 110, budget }), room(100), 109)).toThrow(
      expect.objectContaining({
        code: 'STAGE_BREACH',
        details: { stage: 'budgetPacker', over: 1 },
      }),
    );
  });
});
