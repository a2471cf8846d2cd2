import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TextNumbers, TextSet } from '../../../src/domain/kernel/text-set.js';

/** Few enough to come again, of every kind that is kept differently. */
const texts = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.string({ unit: 'binary', maxLength: 2 }),
  fc.nat(40).map((length) => 'x'.repeat(240 + length)),
  fc.nat(400).map((number) => `toolu_${number}`),
);

describe('a set of very many texts', () => {
  it('numbers each text once, in the order of its coming, and gives it back', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 600 }), (given) => {
        const set = new TextSet();
        const numbers = given.map((text) => set.add(text));
        const distinct = [...new Set(given)];
        expect(numbers).toEqual(given.map((text) => distinct.indexOf(text)));
        expect(distinct.map((_, number) => set.textAt(number))).toEqual(distinct);
        expect(set.size).toBe(distinct.length);
      }),
      { seed: 11, numRuns: 60 },
    );
  });

  it('knows no text that was not added', () => {
    fc.assert(
      fc.property(fc.uniqueArray(texts, { maxLength: 300 }), texts, (given, other) => {
        const set = new TextSet();
        for (const text of given) set.add(text);
        expect(set.has(other)).toBe(given.includes(other));
      }),
      { seed: 12, numRuns: 100 },
    );
  });

  it('holds keys by the ten thousand', () => {
    const set = new TextSet();
    for (let number = 0; number < 20_000; number += 1) set.add(keyAt(number));
    expect(set.size).toBe(20_000);
    for (let number = 0; number < 20_000; number += 1) {
      if (set.numberOf(keyAt(number)) !== number) throw new Error(keyAt(number));
    }
    expect(set.has('0000/1')).toBe(false);
  });
});

describe('numbers of very many texts', () => {
  it('are those of a map', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, fc.double()), { maxLength: 400 }), (given) => {
        const numbers = new TextNumbers();
        for (const [text, value] of given) numbers.set(text, value);
        for (const [text, value] of new Map(given)) expect(numbers.get(text)).toBe(value);
        expect(numbers.size).toBe(new Map(given).size);
        expect(numbers.get('never set')).toBeUndefined();
      }),
      { seed: 13, numRuns: 60 },
    );
  });
});

function keyAt(number: number): string {
  return `${(number * 7_919).toString(16).padStart(32, '0')}/${number % 3}`;
}
