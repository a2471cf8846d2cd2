import { describe, expect, it } from '@jest/globals';
import { check, integer, property } from 'fast-check';
import {
  DEFAULT_SKELETON_RATIO,
  parseCompressionRatio,
  parseReserveRatio,
  tokensLeft,
  tokensReserved,
} from '../../../src/domain/context/compression-ratio.js';
import { OssatureError } from '../../../src/domain/kernel/errors.js';

const SEED = 20_260_101;

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (OssatureError.is(error)) return error.code;
    throw error;
  }
  return 'nothing thrown';
}

describe('parseCompressionRatio and parseReserveRatio', () => {
  it.each([0, 1, 0.15, Number.MIN_VALUE, 1 - Number.EPSILON])('%d is a ratio', (value) => {
    expect([parseCompressionRatio(value), parseReserveRatio(value)]).toEqual([value, value]);
  });

  it('−0 is 0', () => {
    expect(Object.is(parseCompressionRatio(-0), 0)).toBe(true);
    expect(Object.is(parseReserveRatio(-0), 0)).toBe(true);
  });

  // prettier-ignore
  it.each([
    { value: 1.0001,    named: '1.0001' },
    { value: -1e-9,     named: '-1e-9' },
    { value: NaN,       named: 'NaN' },
    { value: Infinity,  named: 'Infinity' },
    { value: '0.5',     named: '"0.5"' },
    { value: undefined, named: 'undefined' },
    { value: null,      named: 'null' },
    { value: 1n,        named: 'bigint' },
  ])('$named is refused, named together with the closed interval', ({ value, named }) => {
    for (const parse of [parseCompressionRatio, parseReserveRatio]) {
      expect(codeOf(() => parse(value))).toBe('INVALID_RATIO');
      expect(() => parse(value)).toThrow(`in the closed interval [0, 1], got ${named}.`);
    }
  });

  it('the default is 0.15', () => {
    expect(DEFAULT_SKELETON_RATIO).toBe(0.15);
  });
});

describe('tokensLeft', () => {
  // prettier-ignore
  it.each([
    { total: 1000,                    ratio: 0.9,     left: 100 },
    { total: 25,                      ratio: 0.56,    left: 11 },
    { total: 23_308_400,              ratio: 0.93,    left: 1_631_588 },
    { total: 999_999_999,             ratio: 0.999,   left: 999_999 },
    { total: 1000,                    ratio: 0,       left: 1000 },
    { total: 1000,                    ratio: 1,       left: 0 },
    { total: 0,                       ratio: 0.5,     left: 0 },
    { total: 1,                       ratio: 0.5,     left: 0 },
    { total: 10_000_000,              ratio: 1e-7,    left: 9_999_999 },
    { total: 10_000_000,              ratio: 1.5e-7,  left: 9_999_998 },
    { total: 9,                       ratio: 5e-324,  left: 8 },
    { total: Number.MAX_SAFE_INTEGER, ratio: 0,       left: Number.MAX_SAFE_INTEGER },
    { total: Number.MAX_SAFE_INTEGER, ratio: 0.15,    left: 7_656_119_366_529_842 },
  ])('$total tokens at ratio $ratio leave $left', ({ total, ratio, left }) => {
    expect(tokensLeft(total, parseCompressionRatio(ratio))).toBe(left);
  });

  it.each([0.15, 0.5, 0.8])('ratio %d keeps the rest of 100,000 tokens', (ratio) => {
    expect(tokensLeft(100_000, parseCompressionRatio(ratio))).toBe(
      Math.round(100_000 * (1 - ratio)),
    );
  });

  it.each([-1, 0.5, NaN, Number.MAX_SAFE_INTEGER + 1])('%d is no number of tokens', (total) => {
    expect(codeOf(() => tokensLeft(total, parseCompressionRatio(0.5)))).toBe('INVALID_BUDGET');
    expect(codeOf(() => tokensReserved(total, parseReserveRatio(0.5)))).toBe('INVALID_BUDGET');
  });
});

describe('tokensReserved', () => {
  // prettier-ignore
  it.each([
    { available: 100,     ratio: 0.29, reserved: 29 },
    { available: 120_304, ratio: 0.15, reserved: 18_045 },
    { available: 3584,    ratio: 0,    reserved: 0 },
    { available: 3584,    ratio: 1,    reserved: 3584 },
  ])('$available tokens at ratio $ratio reserve $reserved', ({ available, ratio, reserved }) => {
    expect(tokensReserved(available, parseReserveRatio(ratio))).toBe(reserved);
  });
});

describe('both, against exact fractions', () => {
  it('every k/1000 is exact for totals up to the largest safe integer', () => {
    const law = property(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (total) => {
      for (let k = 0; k <= 1000; k += 1) {
        const left = Number((BigInt(total) * BigInt(1000 - k)) / 1000n);
        const reserved = Number((BigInt(total) * BigInt(k)) / 1000n);
        if (tokensLeft(total, parseCompressionRatio(k / 1000)) !== left) return false;
        if (tokensReserved(total, parseReserveRatio(k / 1000)) !== reserved) return false;
      }
      return true;
    });
    const examples: [number][] = [[0], [1], [999_999_999], [Number.MAX_SAFE_INTEGER]];

    expect(check(law, { seed: SEED, numRuns: 40, examples })).toMatchObject({
      failed: false,
      counterexample: null,
    });
  });
});
