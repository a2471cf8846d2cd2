import { describe, expect, it } from '@jest/globals';
import { DEFAULT_WEIGHTS } from '../../../src/domain/assembly/assembly-request.js';
import { rankFragments } from '../../../src/domain/assembly/rank-fragments.js';
import { anOffer } from '../../support/assembly-builders.js';

const by = {
  query: 'why?',
  weights: DEFAULT_WEIGHTS,
  scoreRelevance: (_query: string, fragments: readonly unknown[]) => fragments.map(() => 0.25),
};

describe('rankFragments', () => {
  it('keeps the parts of a score beside their weighted sum', () => {
    const offer = anOffer(
      { relevance: 0.5, relevanceTo: 'query', hierarchy: 0.5, recency: 1 },
      { quality: 0.8 },
    );

    expect(rankFragments([offer], by)[0]?.score).toEqual({
      relevance: 0.5,
      hierarchy: 0.5,
      quality: 0.8,
      recency: 1,
      total: 0.4 * 0.5 + 0.3 * 0.5 + 0.2 * 0.8 + 0.1,
    });
  });

  it('measures the relevance that no source measured', () => {
    const [first] = rankFragments([anOffer({ relevance: 0.9 })], by);

    expect(first?.score.relevance).toBe(0.25);
  });

  it('takes the relevance of the source where there is no query', () => {
    const [first] = rankFragments([anOffer({ relevance: 0.9 })], { ...by, query: ' ' });

    expect(first?.score.relevance).toBe(0.9);
  });

  it('puts the best first and lets ids decide between equals', () => {
    const offers = [
      anOffer({ fragmentId: 'c' }),
      anOffer({ fragmentId: 'b' }),
      anOffer({ fragmentId: 'd', hierarchy: 0.2 }),
    ];

    expect(rankFragments(offers, by).map(({ fragment }) => fragment.fragmentId)).toEqual([
      'b',
      'c',
      'd',
    ]);
  });
});
