import { describe, expect, it } from '@jest/globals';
import { dropDuplicates, resolveDepth } from '../../../src/domain/assembly/merge-fragments.js';
import { anAssemblyFragment, anOffer } from '../../support/assembly-builders.js';

const names = (
  offers: readonly {
    readonly strategy: string | null;
    readonly fragment?: { fragmentId: string };
    readonly fragmentId?: string;
  }[],
): string =>
  offers
    .map(
      ({ strategy, fragment, fragmentId }) => `${strategy}/${fragment?.fragmentId ?? fragmentId}`,
    )
    .join(' ');

describe('dropDuplicates', () => {
  it('keeps the more relevant of two offers of one fragment, and names the other', () => {
    const { kept, excluded } = dropDuplicates(
      [
        anOffer({ fragmentId: 'a', relevance: 0.2 }, { strategy: 'one' }),
        anOffer({ fragmentId: 'a', relevance: 0.9 }, { strategy: 'two' }),
      ],
      [],
    );

    expect(names(kept)).toBe('two/a');
    expect(names(excluded)).toBe('one/a');
    expect(excluded[0]?.reason).toBe('duplicate');
  });

  it('keeps the first where both are as relevant: its strategy is served first', () => {
    const offers = [
      anOffer({}, { strategy: 'served-first', quality: 0.3 }),
      anOffer({}, { strategy: 'served-last', quality: 0.5 }),
    ];

    expect(names(dropDuplicates(offers, []).kept)).toBe('served-first/a');
  });

  it('takes other content or another node for something else', () => {
    const offers = [
      anOffer({ fragmentId: 'a', content: 'x' }),
      anOffer({ fragmentId: 'b', content: 'x' }),
      anOffer({ fragmentId: 'a', content: 'y' }),
    ];

    expect(dropDuplicates(offers, []).kept).toHaveLength(3);
  });

  it('takes two fragments of one node and content for one thing', () => {
    const offers = [
      anOffer({ fragmentId: 'a', content: 'x', nodeId: 'file' }),
      anOffer({ fragmentId: 'b', content: 'x', nodeId: 'file' }),
    ];

    expect(names(dropDuplicates(offers, []).excluded)).toBe('keyword/b');
  });

  it('keeps no second copy of what the skeleton holds', () => {
    const { kept, excluded } = dropDuplicates([anOffer({ relevance: 1 })], [anAssemblyFragment()]);

    expect({ kept, excluded: names(excluded) }).toEqual({ kept: [], excluded: 'keyword/a' });
  });
});

describe('resolveDepth', () => {
  it.each([
    {
      rule: 'the deepest of one node wins',
      given: [
        { fragmentId: 'a', nodeId: 'n', depth: 4, relevance: 1 },
        { fragmentId: 'b', nodeId: 'n', depth: 9 },
      ],
      kept: 'keyword/b',
    },
    {
      rule: 'relevance breaks ties',
      given: [
        { fragmentId: 'a', nodeId: 'n', depth: 4, relevance: 0.1 },
        { fragmentId: 'b', nodeId: 'n', depth: 4 },
      ],
      kept: 'keyword/b',
    },
    {
      rule: 'a fragment that names no depth is whole',
      given: [
        { fragmentId: 'a', nodeId: 'n' },
        { fragmentId: 'b', nodeId: 'n', depth: 4, relevance: 1 },
      ],
      kept: 'keyword/a',
    },
    {
      rule: 'nodes do not compete with each other',
      given: [
        { fragmentId: 'a', depth: 0 },
        { fragmentId: 'b', depth: 9 },
      ],
      kept: 'keyword/a keyword/b',
    },
    {
      rule: 'one id with two contents is one node',
      given: [
        { fragmentId: 'a', content: 'x' },
        { fragmentId: 'a', content: 'y', relevance: 0.9 },
      ],
      kept: 'keyword/a',
    },
  ])('$rule', ({ given, kept }) => {
    const merge = resolveDepth(given.map((one) => anOffer(one)));

    expect(names(merge.kept)).toBe(kept);
    expect(merge.kept.length + merge.excluded.length).toBe(given.length);
  });
});
