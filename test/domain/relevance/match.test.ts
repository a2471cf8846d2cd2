import { describe, expect, it } from '@jest/globals';
import { matchTopics } from '../../../src/domain/relevance/match-topics.js';
import { matchWords } from '../../../src/domain/relevance/match-words.js';
import { measureSpread } from '../../../src/domain/relevance/size-spread.js';
import { addNeighbours, scaleToOne } from '../../../src/domain/relevance/smooth-series.js';
import { tabulateTerms } from '../../../src/domain/relevance/term-table.js';

const FILLER = Array.from({ length: 20 }, (_, at) => `filler${at} remark${at}`);

describe('matchWords', () => {
  it('equals BM25 written out, scaled to 1', () => {
    const texts = ['plan budget', 'plan plan plan', 'budget house garden tree', 'nothing'];
    const table = tabulateTerms(texts);
    const lengths = [2, 3, 4, 1];
    const mean = 2.5;
    const frequencies = { plan: [1, 3, 0, 0], budget: [1, 0, 1, 0] };
    const idf = Math.log(1 + (4 - 2 + 0.5) / (2 + 0.5));
    const expected = lengths.map((length, at) => {
      const damping = 1.2 * (0.25 + (0.75 * length) / mean);
      return Object.values(frequencies).reduce((sum, counts) => {
        const count = counts[at] ?? 0;
        return sum + (idf * count * 2.2) / (count + damping);
      }, 0);
    });
    const { own } = matchWords(table, table.countIn('plan budget'));
    const largest = Math.max(...expected);
    expected.forEach((value, at) => expect(own[at]).toBeCloseTo(value / largest, 9));
  });

  it('two words of the goal side by side count more than one word twice', () => {
    const texts = [
      ...FILLER,
      'licence here',
      'agreement there',
      ...FILLER,
      'licence here',
      'licence there',
      ...FILLER,
    ];
    const table = tabulateTerms(texts);
    const { near } = matchWords(table, table.countIn('licence agreement'));
    expect(near[20] ?? 0).toBeGreaterThan(near[42] ?? 0);
  });

  it('a goal without a known word matches nothing', () => {
    const table = tabulateTerms(FILLER);
    const { own, near, far } = matchWords(table, table.countIn('xylophone'));
    expect([...own, ...near, ...far].every((value) => value === 0)).toBe(true);
  });
});

describe('matchTopics', () => {
  it('a text that shares no word with the goal is found through texts that share both', () => {
    const together = ['doctor surgeon hospital', 'doctor surgeon nurse', 'doctor surgeon'];
    const apart = ['budget margin invoice', 'budget margin profit', 'budget margin'];
    const table = tabulateTerms([...together, ...apart, 'surgeon', 'margin']);
    const nearness = matchTopics(table, table.countIn('doctor'));
    expect(nearness[6] ?? 0).toBeGreaterThan((nearness[7] ?? 0) + 0.5);
  });

  it.each([{ texts: [] }, { texts: ['one'] }, { texts: ['one', 'two', 'three'] }])(
    'texts without common words ($texts) have no topics',
    ({ texts }) => {
      const table = tabulateTerms(texts);
      expect([...matchTopics(table, table.countIn('one'))].every((value) => value === 0)).toBe(
        true,
      );
    },
  );
});

describe('measureSpread', () => {
  // prettier-ignore
  it.each([
    { rule: 'equal sizes have no price',            counts: [30, 30, 30],        prices: [1, 1, 1],  passageShare: 0 },
    { rule: 'sizes of a chat have no price',        counts: [15, 25, 40],        prices: [1, 1, 1],  passageShare: 0 },
    { rule: 'extreme sizes are paid by the token',  counts: [1, 1, 10_000],      prices: [1, 1, 10_000], passageShare: 2 },
    { rule: 'no tokens cost as much as one',        counts: [0, 1, 10_000, 1],   prices: [1, 1, 10_000, 1], passageShare: 2 },
    { rule: 'no fragments, no prices',              counts: [],                  prices: [],         passageShare: 0 },
  ])('$rule', ({ counts, prices, passageShare }) => {
    const spread = measureSpread(counts);
    prices.forEach((price, at) => expect(spread.prices[at]).toBeCloseTo(price, 6));
    expect(spread.passageShare).toBe(passageShare);
  });
});

describe('addNeighbours', () => {
  it('a value reaches both sides, weakened at each step', () => {
    expect([...addNeighbours(Float64Array.of(0, 0, 8, 0, 0), 0.5)]).toEqual([2, 4, 8, 4, 2]);
  });

  it('decay 0 leaves every value alone', () => {
    expect([...addNeighbours(Float64Array.of(1, 2, 3), 0)]).toEqual([1, 2, 3]);
  });
});

describe('scaleToOne', () => {
  it.each([
    { given: [1, 4, 2], scaled: [0.25, 1, 0.5] },
    { given: [0, 0], scaled: [0, 0] },
    { given: [], scaled: [] },
  ])('$given becomes $scaled', ({ given, scaled }) => {
    expect([...scaleToOne(Float64Array.from(given))]).toEqual(scaled);
  });
});
