import { describe, expect, it } from '@jest/globals';
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

  // prettier-ignore
  it.each([
    { rule: 'what fits is tried once',                        over: 0,  tried: [[100, 9]] },
    { rule: 'what exceeds is tried with that much less',      over: 30, tried: [[100, 9], [70, 9]] },
    { rule: 'without a room the preamble goes',               over: 108, tried: [[100, 9], [0, 9], [0, 0]] },
  ])('$rule', ({ over, tried }) => {
    const tries: (readonly number[])[] = [];

    const { totalTokens } = fitPayload(
      ({ roomTokens, preambleBudget }) => {
        tries.push([roomTokens, preambleBudget]);
        return { totalTokens: roomTokens + preambleBudget + over };
      },
      room(100, 9),
      109,
    );

    expect(tries).toEqual(tried);
    expect(totalTokens).toBeLessThanOrEqual(109);
  });

  it('stops at a packer that fills a room of nothing', () => {
    expect(() => fitPayload(() => ({ totalTokens: 110 }), room(100), 109)).toThrow(
      expect.objectContaining({
        code: 'STAGE_BREACH',
        details: { stage: 'budgetPacker', over: 1 },
      }),
    );
  });
});
