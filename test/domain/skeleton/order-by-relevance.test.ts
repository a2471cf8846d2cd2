import { describe, expect, it } from '@jest/globals';
import {
  array,
  check,
  constantFrom,
  double,
  integer,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check';
import { orderByRelevance } from '../../../src/domain/skeleton/order-by-relevance.js';

const SEED = 20_260_104;

interface Ranked {
  readonly fragmentId: string;
  readonly relevance: number;
}

function ordered(ranked: readonly Ranked[]): readonly Ranked[] {
  const relevances = Float64Array.from(ranked, ({ relevance }) => relevance);
  return Array.from(orderByRelevance(ranked, relevances), (row) => ranked[row] as Ranked);
}

/** The obvious code that the fast one must equal. */
function plainly(ranked: readonly Ranked[]): readonly Ranked[] {
  return ranked.toSorted(
    (a, b) =>
      b.relevance - a.relevance ||
      (a.fragmentId < b.fragmentId ? -1 : a.fragmentId > b.fragmentId ? 1 : 0),
  );
}

/** Numbers from 0 to 2³² in an order that looks random and is the same every time. */
function scrambled(index: number): number {
  const mixed = Math.imul(index + 1, 0x9e3779b1);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77) ^ (mixed >>> 13)) >>> 0;
}

const RELEVANCES: Readonly<Record<string, (index: number) => number>> = {
  'spread evenly': (index) => scrambled(index) / 2 ** 32,
  'of two decimals': (index) => (scrambled(index) % 101) / 100,
  'all equal': () => 0.5,
  'all equal but one': (index) => (index === 1 ? 1 : 0.25),
  'tied in pairs': (index) => scrambled(index >> 1) / 2 ** 32,
  'tied in scores': (index) => scrambled(Math.floor(index / 20)) / 2 ** 32,
  'next to each other': (index) => 0.5 + (scrambled(index) % 4096) * Number.EPSILON,
  'halved again and again': (index) => 2 ** -(scrambled(index) % 1074),
  denormal: (index) => (scrambled(index) % 1000) * Number.MIN_VALUE,
  'dense beside one far away': (index) => (index === 0 ? 1 : (scrambled(index) % 999) * 1e-12),
  'dense at every scale': (index) =>
    (scrambled(index) % 97) * 1e3 ** -(scrambled(index) % 19) * 1e-2,
  rising: (index) => index / 2 ** 20,
  falling: (index) => 1 - index / 2 ** 20,
  'zero of both signs': (index) => (scrambled(index) % 2 === 0 ? 0 : -0),
};

const IDS: Readonly<Record<string, (index: number) => string>> = {
  'ULIDs of one moment': (index) => `01ARZ3NDEK${String(scrambled(index)).padStart(16, '0')}`,
  'short numbers': (index) => String(scrambled(index)),
  'a long shared prefix': (index) => `src/domain/skeleton/order/${scrambled(index)}`,
  'equal in the packed characters': (index) =>
    `${'x'.repeat(index % 3)}same-same-${scrambled(index)}`,
  'not ASCII': (index) =>
    `é𝒜\uFFFF${String.fromCodePoint(0x1f300 + (scrambled(index) % 700))}${index}`,
};

/** Around the short span, the share of ties, the long span and the parts of the first spread. */
const SIZES = [0, 1, 2, 16, 17, 64, 65, 513, 1100, 4096, 4097, 5000];

describe('orderByRelevance', () => {
  const cases = Object.keys(RELEVANCES).flatMap((relevances) =>
    Object.keys(IDS).map((ids) => ({ relevances, ids })),
  );

  it.each(cases)('relevances $relevances, ids $ids: equals the obvious sort', (given) => {
    const relevanceAt = RELEVANCES[given.relevances] ?? Number;
    const idAt = IDS[given.ids] ?? String;
    for (const length of SIZES) {
      const ranked = Array.from({ length }, (_, index) => ({
        fragmentId: idAt(index),
        relevance: relevanceAt(index),
      }));
      const expected = plainly(ranked);

      expect(ordered(ranked).findIndex((one, at) => one !== expected[at])).toBe(-1);
    }
  });

  it('equals the obvious sort for whatever is thrown at it, in any arrival order', () => {
    const relevance = oneof(
      double({ min: 0, max: 1, noNaN: true }),
      constantFrom(0, -0, 1, 0.5, Number.MIN_VALUE, 1e-310, 1 - Number.EPSILON / 2),
      integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20),
    );
    const id = tuple(
      constantFrom('', 'a', '01ARZ3NDEK', 'é', '𝒜', '\uD835'),
      oneof(string({ unit: 'binary', maxLength: 6 }), integer({ min: 0, max: 99 }).map(String)),
    ).map(([start, end]) => start + end);
    const ranked = tuple(
      integer({ min: 0, max: 700 }),
      array(tuple(id, relevance), { maxLength: 90 }),
    );
    const law = property(ranked, ([copies, some]) => {
      const ids = new Map(some);
      for (let copy = 0; copy < copies && some.length > 0; copy += 1) {
        const [start, relevance] = some[copy % some.length] ?? ['', 0];
        ids.set(`${start}${copy}`, relevance);
      }
      const given = Array.from(ids, ([fragmentId, relevance]) => ({ fragmentId, relevance }));
      const expected = plainly(given);
      const shuffled = given
        .map((one, index) => ({ one, at: scrambled(index) }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ one }) => one);
      return [given, given.toReversed(), shuffled].every((arrival) =>
        ordered(arrival).every((one, at) => one === expected[at]),
      );
    });

    expect(check(law, { seed: SEED, numRuns: 300 })).toMatchObject({ failed: false });
  });
});
