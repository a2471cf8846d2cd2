import { describe, expect, it } from '@jest/globals';
import type { ContextFragment } from '../../../src/domain/context/context-fragment.js';
import { parseCompressionRatio } from '../../../src/domain/context/compression-ratio.js';
import { type ErrorCode, OssatureError } from '../../../src/domain/kernel/errors.js';
import {
  compressSkeleton,
  compressToBudget,
  compressWeighed,
} from '../../../src/domain/skeleton/compress-skeleton.js';

/** Fragments written as `id:relevance:tokens` with an optional `:decision` digit. */
function fragments(...texts: readonly string[]): readonly ContextFragment[] {
  return texts.map((text) => {
    const [fragmentId = '', relevance, tokens, decision] = text.split(':');
    return {
      fragmentId,
      content: `text of ${fragmentId}`,
      tokenCount: Number(tokens),
      relevance: Number(relevance),
      ...(decision === undefined ? {} : { decisionId: decisionId(decision) }),
    };
  });
}

function decisionId(digit: string): string {
  return `01ARZ3NDEKTSV4RRFFQ69G5FA${digit}`;
}

function idsOf(list: readonly { readonly fragmentId: string }[]): string {
  return list.map(({ fragmentId }) => fragmentId).join(' ');
}

function compress(ratio: number, ...texts: readonly string[]) {
  return compressSkeleton(fragments(...texts), parseCompressionRatio(ratio));
}

function breachOf(work: () => unknown): { readonly code: ErrorCode; readonly details: unknown } {
  try {
    work();
  } catch (error) {
    if (OssatureError.is(error)) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('nothing was thrown');
}

const EXAMPLE = ['A:.9:400:A', 'B:.6:300:B', 'C:.3:300:C'] as const;

describe('compressSkeleton', () => {
  // prettier-ignore
  it.each([
    { rule: 'the most relevant come first',         ratio: 0,   given: ['a:.1:10', 'b:.9:10'],             kept: 'b a',   skipped: '' },
    { rule: 'equal relevance goes by id',           ratio: 0,   given: ['b:.5:10', 'a:.5:10'],             kept: 'a b',   skipped: '' },
    { rule: 'ids go by code unit, not by language', ratio: 0,   given: ['ä:.5:1', 'b:.5:1', 'B:.5:1'],     kept: 'B b ä', skipped: '' },
    { rule: '−0 and 0 are one relevance',           ratio: 0,   given: ['b:0:1', 'c:-0:1', 'a:-0:1'],      kept: 'a b c', skipped: '' },
    { rule: 'an exact fit is kept',                 ratio: 0.5, given: ['a:.9:50', 'b:.1:50'],             kept: 'a',     skipped: 'b' },
    { rule: 'too large is passed over',             ratio: 0.5, given: ['a:.9:40', 'b:.5:50', 'c:.1:10'],  kept: 'a c',   skipped: 'b' },
    { rule: 'the best may be passed over too',      ratio: 0.5, given: ['a:.9:60', 'b:.5:10', 'c:.1:30'],  kept: 'b c',   skipped: 'a' },
    { rule: 'ratio 0 keeps all',                    ratio: 0,   given: ['a:0:9', 'b:1:9', 'c:.5:9'],       kept: 'b c a', skipped: '' },
    { rule: 'ratio 1 keeps one, of any size',       ratio: 1,   given: ['a:.1:1', 'b:.9:9000', 'c:.5:0'],  kept: 'b',     skipped: 'c a' },
    { rule: 'ratio 1 keeps the least id of a tie',  ratio: 1,   given: ['b:1:1', 'a:1:1'],                 kept: 'a',     skipped: 'b' },
    { rule: 'nothing fits, nothing is kept',        ratio: 0.9, given: ['a:.9:500', 'b:.1:500'],           kept: '',      skipped: 'a b' },
    { rule: 'a fragment of no tokens always fits',  ratio: 0.9, given: ['a:.9:500', 'b:.1:0'],             kept: 'b',     skipped: 'a' },
    { rule: 'no tokens at all keeps all',           ratio: 0.9, given: ['a:.1:0', 'b:.9:0'],               kept: 'b a',   skipped: '' },
    { rule: 'no fragments, no skeleton (0)',        ratio: 0,   given: [],                                 kept: '',      skipped: '' },
    { rule: 'no fragments, no skeleton (1)',        ratio: 1,   given: [],                                 kept: '',      skipped: '' },
  ])('$rule', ({ ratio, given, kept, skipped }) => {
    const skeleton = compress(ratio, ...given);

    expect([idsOf(skeleton.kept), idsOf(skeleton.skipped)]).toEqual([kept, skipped]);
  });

  it('the worked example of three fragments holds', () => {
    const { kept, skipped, budgetTokens, metadata } = compress(0.5, ...EXAMPLE);

    expect([idsOf(kept), idsOf(skipped), budgetTokens]).toEqual(['A', 'B C', 500]);
    expect(metadata).toEqual({
      ratio: 0.5,
      originalTokens: 1000,
      compressedTokens: 400,
      sourceDecisionIds: [decisionId('A')],
    });
  });

  it('the worked example of four fragments holds', () => {
    const { kept, skipped, budgetTokens, metadata } = compress(0.5, ...EXAMPLE, 'D:.1:100:D');

    expect([idsOf(kept), idsOf(skipped), budgetTokens]).toEqual(['A D', 'B C', 550]);
    expect(metadata).toEqual({
      ratio: 0.5,
      originalTokens: 1100,
      compressedTokens: 500,
      sourceDecisionIds: [decisionId('A'), decisionId('D')],
    });
  });

  it.each([
    { ratio: 0, share: 1 },
    { ratio: 0.15, share: 0.85 },
    { ratio: 0.5, share: 0.5 },
    { ratio: 0.8, share: 0.2 },
  ])('ratio $ratio keeps a share of $share of the tokens', ({ ratio, share }) => {
    const texts = Array.from({ length: 200 }, (_, index) => `f${index}:${index / 200}:10`);

    expect(compress(ratio, ...texts).metadata.compressedTokens).toBe(2000 * share);
  });

  it('decisions stand in kept order, each once, none for a fragment without one', () => {
    const { metadata } = compress(0, 'a:.1:1:A', 'b:.9:1:B', 'c:.5:1', 'd:.3:1:B', 'e:.2:1:C');

    expect(metadata.sourceDecisionIds).toEqual(['B', 'C', 'A'].map(decisionId));
  });

  it('decisions of skipped fragments are not named', () => {
    expect(compress(0.5, 'a:.9:50:A', 'b:.1:50:B').metadata.sourceDecisionIds).toEqual([
      decisionId('A'),
    ]);
  });

  it('does not depend on arrival order', () => {
    const texts = ['a:.9:40:A', 'b:.5:50:B', 'c:.5:10', 'd:.1:10:A'];

    expect(compress(0.5, ...texts.toReversed())).toEqual(compress(0.5, ...texts));
  });

  it('mutates nothing and hands back the same fragments in new arrays', () => {
    const given = Object.freeze(fragments('a:.1:10', 'b:.9:10').map((one) => Object.freeze(one)));
    const { kept } = compressSkeleton(given, parseCompressionRatio(0));

    expect(kept).not.toBe(given);
    expect(kept[0]).toBe(given[1]);
    expect(kept[1]).toBe(given[0]);
  });

  it('metadata is frozen through and through and has exactly four fields', () => {
    const { metadata } = compress(0.5, ...EXAMPLE);

    expect(Object.keys(metadata)).toEqual([
      'ratio',
      'originalTokens',
      'compressedTokens',
      'sourceDecisionIds',
    ]);
    expect(Object.isFrozen(metadata)).toBe(true);
    expect(Object.isFrozen(metadata.sourceDecisionIds)).toBe(true);
  });

  const [sound] = fragments('a:.5:1');
  // prettier-ignore
  it.each([
    { breach: 'an empty id',              given: [{ ...sound, fragmentId: '' }],       field: 'fragmentId', index: 0 },
    { breach: 'a missing content',        given: [sound, { ...sound, fragmentId: 'b', content: undefined }], field: 'content', index: 1 },
    { breach: 'a fraction of a token',    given: [{ ...sound, tokenCount: 0.5 }],      field: 'tokenCount', index: 0 },
    { breach: 'a relevance above 1',      given: [{ ...sound, relevance: 2 }],         field: 'relevance',  index: 0 },
    { breach: 'a relevance that is none', given: [{ ...sound, relevance: NaN }],       field: 'relevance',  index: 0 },
    { breach: 'a decision that is none',  given: [{ ...sound, decisionId: 'd1' }],     field: 'decisionId', index: 0 },
    { breach: 'null',                     given: [sound, null],                        field: 'fragment',   index: 1 },
    { breach: 'a hole',                   given: [sound, undefined],                   field: 'fragment',   index: 1 },
  ])('$breach is a breach', ({ given, field, index }) => {
    const call = () => compressSkeleton(given as never, parseCompressionRatio(0.5));

    expect(breachOf(call)).toMatchObject({ code: 'INVALID_FRAGMENT', details: { field, index } });
  });

  it.each([null, undefined, 'abc', { length: 0 }])('%j is no array of fragments', (given) => {
    const call = () => compressSkeleton(given as never, parseCompressionRatio(0.5));

    expect(breachOf(call).code).toBe('INVALID_FRAGMENT');
  });

  it('two fragments of one id are a breach, whatever else they hold', () => {
    expect(breachOf(() => compress(0, 'a:.1:1', 'b:.5:1', 'a:.9:2'))).toEqual({
      code: 'DUPLICATE_FRAGMENT',
      details: { fragmentId: 'a', index: 2, field: 'fragmentId' },
    });
  });

  it('a sum beyond the safe integers is a breach', () => {
    const call = () => compress(0.5, `a:.1:${Number.MAX_SAFE_INTEGER}`, 'b:.5:1');

    expect(breachOf(call)).toMatchObject({
      code: 'INVALID_FRAGMENT',
      details: { fragmentId: 'b', index: 1, field: 'tokenCount' },
    });
  });

  it('a ratio that was never parsed is a breach, before any fragment is looked at', () => {
    expect(breachOf(() => compressSkeleton([null] as never, 1.5 as never)).code).toBe(
      'INVALID_RATIO',
    );
  });
});

describe('compressWeighed', () => {
  it('asks for no content and gives the same answer', () => {
    const weighed = fragments(...EXAMPLE).map(
      ({ fragmentId, tokenCount, relevance, decisionId }) => ({
        fragmentId,
        tokenCount,
        relevance,
        decisionId,
      }),
    );
    const skeleton = compressWeighed(weighed, parseCompressionRatio(0.5));

    expect([idsOf(skeleton.kept), skeleton.metadata]).toEqual([
      'A',
      compress(0.5, ...EXAMPLE).metadata,
    ]);
  });
});

describe('compressToBudget', () => {
  // prettier-ignore
  it.each([
    { rule: 'packs like the ratio entry',         budget: 500,  kept: 'A',     skipped: 'B C',   ratio: 0.5 },
    { rule: 'an exact fit is kept',               budget: 700,  kept: 'A B',   skipped: 'C',     ratio: 0.3 },
    { rule: 'too large is passed over',           budget: 300,  kept: 'B',     skipped: 'A C',   ratio: 0.7 },
    { rule: 'all that fits asks to remove none',  budget: 1000, kept: 'A B C', skipped: '',      ratio: 0 },
    { rule: 'more than enough removes none',      budget: 9000, kept: 'A B C', skipped: '',      ratio: 0 },
    { rule: 'no budget keeps nothing',            budget: 0,    kept: '',      skipped: 'A B C', ratio: 1 },
    { rule: 'a budget below 0 keeps nothing',     budget: -5,   kept: '',      skipped: 'A B C', ratio: 1 },
  ])('$rule', ({ budget, kept, skipped, ratio }) => {
    const skeleton = compressToBudget(fragments(...EXAMPLE), budget);

    expect([idsOf(skeleton.kept), idsOf(skeleton.skipped)]).toEqual([kept, skipped]);
    expect(skeleton.metadata).toMatchObject({ ratio, originalTokens: 1000 });
    expect(skeleton.budgetTokens).toBe(budget);
  });

  it('no budget keeps not even a fragment of no tokens', () => {
    const skeleton = compressToBudget(fragments('a:.5:0'), 0);

    expect([idsOf(skeleton.kept), idsOf(skeleton.skipped)]).toEqual(['', 'a']);
    expect(skeleton.metadata.ratio).toBe(0);
  });

  it.each([NaN, 0.5, Infinity, 2 ** 53, '5', undefined])('%p is no budget', (budget) => {
    expect(breachOf(() => compressToBudget([], budget as never)).code).toBe('INVALID_BUDGET');
  });
});
