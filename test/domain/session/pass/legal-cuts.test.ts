import { describe, expect, it } from '@jest/globals';
import { assert as assertProperty, property } from 'fast-check';
import { legalCutAtOrBefore, legalCuts } from '../../../../src/domain/session/pass/legal-cuts.js';
import { randomTranscript } from '../random-transcript.js';

/** Entries by the letters of their units, numbered from 1. */
const places = (units: string) =>
  units.split('').map((unitId, index) => ({ seq: index + 1, unitId }));

describe('legalCuts', () => {
  // prettier-ignore
  it.each([
    { rule: 'nothing to cut, no cut but none',             units: '',       cuts: [0] },
    { rule: 'the last unit always stays',                  units: 'a',      cuts: [0] },
    { rule: 'a cut falls between units',                   units: 'abc',    cuts: [0, 1, 2] },
    { rule: 'a unit stays whole',                          units: 'aaabb',  cuts: [0, 3] },
    { rule: 'what stands inside a unit stays with it',     units: 'abacd',  cuts: [0, 3, 4] },
    { rule: 'units that cross stay together',              units: 'ababcc', cuts: [0, 4] },
    { rule: 'a result that comes last holds all before it', units: 'abcda',  cuts: [0] },
  ])('$rule', ({ units, cuts }) => {
    expect(legalCuts(places(units))).toEqual(cuts);
  });

  it('no unit of a random transcript has entries on both sides', () => {
    assertProperty(
      property(randomTranscript, (entries) => {
        for (const cut of legalCuts(entries)) {
          const left = new Set(entries.filter(({ seq }) => seq <= cut).map(({ unitId }) => unitId));
          const kept = entries.filter(({ seq }) => seq > cut);
          expect(kept.some(({ unitId }) => left.has(unitId))).toBe(false);
        }
      }),
      { seed: 20261101, numRuns: 200 },
    );
  });

  it('the nearest legal cut is never behind the one asked for', () => {
    expect([0, 2, 3, 9].map((seq) => legalCutAtOrBefore([0, 3, 4], seq))).toEqual([0, 0, 3, 4]);
  });
});
