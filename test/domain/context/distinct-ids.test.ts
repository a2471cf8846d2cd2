import { describe, expect, it } from '@jest/globals';
import { array, check, constantFrom, oneof, property, string } from 'fast-check';
import { hashOfId, indexOfRepeatedId } from '../../../src/domain/context/distinct-ids.js';

const SEED = 20_260_102;

function indexOfRepeat(ids: readonly string[], hash: (id: string) => number = hashOfId): number {
  return indexOfRepeatedId(Int32Array.from(ids, hash), (index) => ids[index] ?? '');
}

function plainly(ids: readonly string[]): number {
  return ids.findIndex((id, index) => ids.indexOf(id) < index);
}

describe('indexOfRepeatedId', () => {
  // prettier-ignore
  it.each([
    { rule: 'no ids, no repeat',                        ids: [],                     index: -1 },
    { rule: 'one id is no repeat',                      ids: ['a'],                  index: -1 },
    { rule: 'the second of two is the repeat',          ids: ['a', 'b', 'a', 'b'],   index: 2 },
    { rule: 'ids of one ending differ by their length', ids: ['1', '01', '001'],     index: -1 },
    { rule: 'a long shared ending is no repeat',        ids: ['a', 'b', 'c'].map((id) => `${id}/long/shared/ending.ts`), index: -1 },
  ])('$rule', ({ ids, index }) => {
    expect(indexOfRepeat(ids)).toBe(index);
  });

  it('is right when no hash tells ids apart', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `id-${index}`);

    expect(indexOfRepeat(ids, () => -1)).toBe(-1);
    expect(indexOfRepeat([...ids, 'id-7'], () => -1)).toBe(500);
  });

  it.each([63, 64, 65, 5000])('finds the one repeat among %d', (length) => {
    const ids = Array.from({ length }, (_, index) => `fragment-${index}`);

    expect(indexOfRepeat(ids)).toBe(-1);
    expect(indexOfRepeat(ids.with(length - 1, 'fragment-3'))).toBe(length - 1);
  });

  it('equals the obvious search', () => {
    const ids = array(oneof(constantFrom('a', 'b', 'é', '𝒜', '𝒜𝒜'), string({ unit: 'binary' })), {
      maxLength: 80,
    });
    const law = property(ids, (given) => indexOfRepeat(given) === plainly(given));

    expect(check(law, { seed: SEED, numRuns: 500 })).toMatchObject({ failed: false });
  });
});
