import { describe, expect, it } from '@jest/globals';
import { lowerBound, signTest } from '../../../src/domain/lessons/pass-rate.js';

describe('lowerBound', () => {
  it.each([
    [3, 3, 0.368],
    [5, 5, 0.549],
    [10, 10, 0.741],
    [29, 29, 0.902],
    [4, 5, 0.343],
    [0, 5, 0],
    [0, 0, 0],
  ])('%d of %d is at least %d', (passed, of, bound) => {
    expect(lowerBound(passed, of)).toBeCloseTo(bound, 3);
  });
});

describe('signTest', () => {
  it('five losses and no win happen by chance in 0.031 of all cases', () => {
    expect(signTest(0, 5)).toBeCloseTo(0.031, 3);
  });
});
