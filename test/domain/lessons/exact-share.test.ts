import { describe, expect, it } from '@jest/globals';
import {
  floorOfShare,
  isAtLeastShare,
  isWithinShare,
} from '../../../src/domain/lessons/exact-share.js';

describe('shares of tokens', () => {
  it.each([
    [45, 61, 0.75, true],
    [46, 61, 0.75, false],
    [75, 100, 0.75, true],
    [76, 100, 0.75, false],
    [290, 1_000, 0.29, true],
    [3, 10, 0.1 + 0.2, true],
  ])('%d of %d within %d: %s', (part, total, share, within) => {
    expect(isWithinShare(part, total, share)).toBe(within);
  });

  it.each([
    [15, 100, true],
    [14, 100, false],
  ])('%d of %d is 15 percent or more: %s', (part, total, enough) => {
    expect(isAtLeastShare(part, total, 0.15)).toBe(enough);
  });

  it.each([
    [60, 0.75, 45],
    [44, 0.75, 33],
    [61, 0.75, 45],
    [1_000, 0.0001, 0],
    [10_000_000, 1e-7, 1],
  ])('the floor of %d at %d is %d', (total, share, floor) => {
    expect(floorOfShare(total, share)).toBe(floor);
  });
});
