import { describe, expect, it } from '@jest/globals';
import { array, check, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { packIds } from '../../../src/domain/skeleton/pack-ids.js';

const SEED = 20_260_103;

const pack = (ids: readonly string[]) => packIds(ids.map((fragmentId) => ({ fragmentId })));

describe('packIds', () => {
  // prettier-ignore
  it.each([
    { rule: 'a shorter id comes first',               ids: ['ab', 'a'] },
    { rule: 'digits come before letters',             ids: ['xa', 'x1'] },
    { rule: 'upper case comes before lower case',     ids: ['xa', 'xB'] },
    { rule: 'what is not ASCII comes last',           ids: ['xé', 'xz'] },
    { rule: 'a character of the last code comes last', ids: ['x\u007F', 'x}'] },
  ])('$rule', ({ ids }) => {
    const [greater = 0, lesser = 0] = pack(ids);

    expect(greater).toBeGreaterThan(lesser);
  });

  it('ids that lack the prefix of most ids come before or behind all that have it', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `shared-${index + 1000}`);
    const packed = pack(ids.with(333, 'other').with(334, 'sharee').with(335, 'shared'));
    const rest = packed.filter((_, row) => row < 333 || row > 335);

    expect(Math.min(...rest)).toBeGreaterThan(Math.max(packed[333] ?? 0, packed[335] ?? 0));
    expect(Math.max(...rest)).toBeLessThan(packed[334] ?? 0);
    expect(new Set(rest).size).toBeGreaterThan(1);
  });

  it('never orders two ids against their code units', () => {
    const prefix = constantFrom('', 'p', 'plan/', '𝒜');
    const ids = tuple(
      prefix,
      array(oneof(string({ unit: 'binary' }), string()), { maxLength: 90 }),
    );
    const law = property(ids, ([start, ends]) => {
      const given = ends.map((end) => start + end).toSorted((a, b) => (a < b ? -1 : 1));
      const packed = pack(given);
      return packed.every((number, row) => row === 0 || (packed[row - 1] ?? 0) <= number);
    });

    expect(check(law, { seed: SEED, numRuns: 500 })).toMatchObject({ failed: false });
  });
});
