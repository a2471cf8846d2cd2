import { describe, expect, it } from '@jest/globals';
import { matchGoal } from '../../../src/domain/relevance/match-goal.js';
import { measureSpread } from '../../../src/domain/relevance/size-spread.js';
import { addNeighbours, scaleToOne } from '../../../src/domain/relevance/smooth-series.js';
import { TermRows } from '../../../src/domain/relevance/term-rows.js';

const FILLER = Array.from({ length: 20 }, (_, at) => `filler${at} remark${at}`);

describe('the words of matchGoal', () => {
  it('equals BM25 written out, scaled to 1', () => {
    const texts = ['plan budget', 'plan plan plan', 'budget house garden tree', 'nothing'];
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
    const { own } = matchGoal('plan budget', texts);
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
    const { near } = matchGoal('licence agreement', texts);
    expect(near[20] ?? 0).toBeGreaterThan(near[42] ?? 0);
  });

  it('a goal without a known word matches nothing', () => {
    const { own, near, far, topics } = matchGoal('xylophone', FILLER);
    expect([...own, ...near, ...far, ...topics].every((value) => value === 0)).toBe(true);
  });
});

describe('the topics of matchGoal', () => {
  it('a text that shares no word with the goal is found through texts that share both', () => {
    const together = ['doctor surgeon hospital', 'doctor surgeon nurse', 'doctor surgeon'];
    const apart = ['budget margin invoice', 'budget margin profit', 'budget margin'];
    const { topics } = matchGoal('doctor', [...together, ...apart, 'surgeon', 'margin']);
    expect(topics[6] ?? 0).toBeGreaterThan((topics[7] ?? 0) + 0.5);
  });

  it.each([{ texts: [] }, { texts: ['one'] }, { texts: ['one', 'two', 'three'] }])(
    'texts without common words ($texts) have no topics',
    ({ texts }) => {
      const { topics } = matchGoal('one', texts);
      expect([...topics].every((value) => value === 0)).toBe(true);
    },
  );
});

describe('a context of more fragments than topics are learnt from', () => {
  it('is matched by words that stand outside the sample', () => {
    const texts = Array.from({ length: 3000 }, (_, at) => `remark ${at % 7} of the day`);
    texts[1234] = 'the xylophone of the xylophone player';
    const { own, topics } = matchGoal('xylophone day', texts);
    expect(own.indexOf(1)).toBe(1234);
    expect(topics[1233]).toBeGreaterThan(0.5);
  });
});

describe('TermRows', () => {
  it('counts the distinct terms of a text, and those that came too late in its length alone', () => {
    const rows = new TermRows();
    const first = rows.add('plan budget plan');
    expect([first.start, first.end, first.length]).toEqual([0, 2, 3]);
    expect([...rows.counts.subarray(0, 2)]).toEqual([2, 1]);
    rows.stopLearning();
    const second = rows.add('budget house budget');
    expect([second.start, second.end, second.length]).toEqual([2, 3, 3]);
    expect([rows.terms[2], rows.counts[2], rows.termCount]).toEqual([1, 2, 2]);
  });

  it('puts the next row in the place of one that was dropped', () => {
    const rows = new TermRows();
    rows.add('plan budget');
    rows.drop(rows.add('plan house'));
    const { start, end } = rows.add('house house plan');
    expect([start, end]).toEqual([2, 4]);
    expect([...rows.counts.subarray(2, 4)]).toEqual([2, 1]);
  });
});

describe('measureSpread', () => {
  // prettier-ignore
  it.each([
    { rule: 'equal sizes have no price',            counts: [30, 30, 30],        isGroup: false, prices: [1, 1, 1],          passageShare: 0 },
    { rule: 'sizes of a chat have no price',        counts: [15, 25, 40],        isGroup: false, prices: [1, 1, 1],          passageShare: 0 },
    { rule: 'extreme sizes are paid by the token',  counts: [1, 1, 10_000],      isGroup: false, prices: [1, 1, 10_000],     passageShare: 2 },
    { rule: 'no tokens cost as much as one',        counts: [0, 1, 10_000, 1],   isGroup: false, prices: [1, 1, 10_000, 1],  passageShare: 2 },
    { rule: 'in a group every size has its price',  counts: [32, 32, 1],         isGroup: true,  prices: [4, 4, 1],          passageShare: 2 },
    { rule: 'no fragments, no prices',              counts: [],                  isGroup: false, prices: [],                 passageShare: 0 },
  ])('$rule', ({ counts, isGroup, prices, passageShare }) => {
    const spread = measureSpread(counts, isGroup);
    prices.forEach((price, at) => expect(spread.prices[at]).toBeCloseTo(price, 6));
    expect(spread.passageShare).toBe(passageShare);
  });
});

describe('addNeighbours', () => {
  it('a value reaches both sides, weakened at each step', () => {
    expect([...addNeighbours(Float64Array.of(0, 0, 8, 0, 0), 0.5)]).toEqual([2, 4, 8, 4, 2]);
  });

  it('the decay may differ by direction', () => {
    const spread = addNeighbours(Float64Array.of(0, 8, 0), 0.5, new Float64Array(3), 0.25);
    expect([...spread]).toEqual([2, 8, 4]);
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
