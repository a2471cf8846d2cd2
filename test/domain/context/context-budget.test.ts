import { describe, expect, it } from '@jest/globals';
import {
  addTokens,
  availableInWindow,
  parseContextBudget,
  shareOfTokens,
  subtractTokens,
} from '../../../src/domain/context/context-budget.js';

describe('parseContextBudget', () => {
  it.each([
    { rule: 'the defaults leave 3584', given: {}, available: 3584 },
    { rule: 'one token is a budget', given: { maxTokens: 1 }, available: 1 },
    {
      rule: 'one token with nothing reserved, too',
      given: { maxTokens: 1, reservedTokens: 0 },
      available: 1,
    },
    { rule: 'a small maximum reserves an eighth', given: { maxTokens: 400 }, available: 350 },
    { rule: 'one of 513 does so, too', given: { maxTokens: 513 }, available: 449 },
    { rule: 'one of 4095 does so, too', given: { maxTokens: 4095 }, available: 3584 },
    { rule: 'a large one reserves 512', given: { maxTokens: 128_000 }, available: 127_488 },
    {
      rule: 'the largest safe integer is a budget',
      given: { maxTokens: Number.MAX_SAFE_INTEGER, reservedTokens: 1 },
      available: Number.MAX_SAFE_INTEGER - 1,
    },
  ])('$rule', ({ given, available }) => {
    expect(parseContextBudget(given).availableTokens).toBe(available);
  });

  it.each([
    { given: { maxTokens: 512, reservedTokens: 512 }, field: 'reserved_tokens' },
    { given: { maxTokens: 10, reservedTokens: 11 }, field: 'reserved_tokens' },
    { given: { maxTokens: 10, reservedTokens: -1 }, field: 'reserved_tokens' },
    { given: { maxTokens: 0 }, field: 'max_tokens' },
    { given: { maxTokens: -5 }, field: 'max_tokens' },
    { given: { maxTokens: 1.5 }, field: 'max_tokens' },
    { given: { maxTokens: Number.NaN }, field: 'max_tokens' },
    { given: { maxTokens: Infinity }, field: 'max_tokens' },
    { given: { maxTokens: '4096' as unknown as number }, field: 'max_tokens' },
  ])('$given is refused and names $field', ({ given, field }) => {
    expect(() => parseContextBudget(given)).toThrow(
      expect.objectContaining({
        code: 'INVALID_BUDGET',
        details: expect.objectContaining({ field }),
      }),
    );
  });
});

describe('availableInWindow', () => {
  const window = {
    modelWindow: 128_000,
    responseReserve: 4096,
    toolDefinitions: 2400,
    systemPrompt: 1200,
  };

  it('is what response, tools and prompt leave of the window', () => {
    expect(availableInWindow(window)).toBe(120_304);
  });

  it('refuses a window that is taken already', () => {
    expect(() => availableInWindow({ ...window, modelWindow: 7696 })).toThrow(
      expect.objectContaining({ code: 'INVALID_BUDGET' }),
    );
  });
});

describe('token arithmetic', () => {
  it.each([
    { tokens: 100, part: 29, whole: 100, share: 29 },
    { tokens: 10, part: 1, whole: 3, share: 3 },
    {
      tokens: Number.MAX_SAFE_INTEGER,
      part: 999_999,
      whole: 1_000_000,
      share: 9_007_190_247_541_736,
    },
    { tokens: 10, part: 0, whole: 0, share: 0 },
  ])('$part / $whole of $tokens is $share', ({ tokens, part, whole, share }) => {
    expect(shareOfTokens(tokens, part, whole)).toBe(share);
  });

  it('never goes below nothing, and never beyond the safe integers', () => {
    expect(subtractTokens(5, 3, 4)).toBe(0);
    expect(() => addTokens(Number.MAX_SAFE_INTEGER, 1)).toThrow(
      expect.objectContaining({ code: 'INVALID_BUDGET' }),
    );
  });
});
