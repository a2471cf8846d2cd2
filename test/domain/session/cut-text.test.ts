import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, constantFrom, integer, property } from 'fast-check';
import { boundaryBefore } from '../../../src/domain/session/cut-text.js';

const CLUSTERS = ['a', ' ', '\n', 'é', 'e\u0301', '한', '😀', '👩‍👩‍👧', '🇩🇪', '👍🏽', 'क्षि', '\r\n'];

describe('boundaryBefore', () => {
  it('never falls inside a character as a reader sees it, and moves back by less than one', () => {
    assertProperty(
      property(
        array(constantFrom(...CLUSTERS), { maxLength: 60 }),
        integer({ min: -3, max: 400 }),
        (clusters, index) => {
          const text = clusters.join('');
          const segments = [
            ...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text),
          ];
          const boundaries = [...segments.map((segment) => segment.index), text.length];
          const expected = Math.max(0, ...boundaries.filter((boundary) => boundary <= index));
          expect(boundaryBefore(text, index)).toBe(expected);
        },
      ),
      { seed: 20260131, numRuns: 400 },
    );
  });

  it('reads a long row of flags from where it begins', () => {
    const text = `${'x '.repeat(3_000)}${'🇩🇪'.repeat(600)}`;
    expect([6_001, 6_002, 6_003, 6_004].map((index) => boundaryBefore(text, index))).toEqual([
      6_000, 6_000, 6_000, 6_004,
    ]);
  });

  it('falls between code points in a character without end', () => {
    const text = `a${'\u0301'.repeat(10_000)}`;
    expect(boundaryBefore(text, 6_000)).toBe(6_000);
  });
});
