import { describe, expect, it } from '@jest/globals';
import {
  bootstrapInterval,
  meanOf,
  type Observation,
  pairedDifference,
} from '../../../../src/domain/evaluation/statistics/bootstrap.js';

const ones = (...values: number[]): readonly Observation[] =>
  values.map((sum) => ({ sum, weight: 1 }));

describe('bootstrapInterval', () => {
  it('holds the mean between its ends', () => {
    const observed = ones(0, 1, 0, 1, 1, 0, 1, 1, 0, 1);
    const interval = bootstrapInterval(observed, 1);
    const mean = meanOf(observed) ?? 0;
    expect(interval?.low).toBeLessThan(mean);
    expect(interval?.high).toBeGreaterThan(mean);
  });

  it('is the same for the same seed, and another for another', () => {
    const observed = ones(0.1, 0.9, 0.4, 0.3, 0.8, 0.2);
    expect(bootstrapInterval(observed, 7)).toEqual(bootstrapInterval(observed, 7));
    expect(bootstrapInterval(observed, 7)).not.toEqual(bootstrapInterval(observed, 8));
  });

  it('has no width where nothing varies, and is none for one observation', () => {
    expect(bootstrapInterval(ones(0.5, 0.5, 0.5), 1)).toEqual({ low: 0.5, high: 0.5 });
    expect(bootstrapInterval(ones(0.5), 1)).toBeNull();
  });

  it('weighs a case by its questions', () => {
    expect(
      meanOf([
        { sum: 9, weight: 9 },
        { sum: 0, weight: 1 },
      ]),
    ).toBe(0.9);
  });
});

describe('pairedDifference', () => {
  it('sees what is better in every session, however much sessions differ', () => {
    const first = ones(0.9, 0.5, 0.2, 0.7, 0.6);
    const second = ones(0.8, 0.4, 0.1, 0.6, 0.5);
    const paired = pairedDifference(first, second, 1);
    expect(paired?.difference).toBeCloseTo(0.1);
    expect(paired?.interval.low).toBeGreaterThan(0);
    expect(paired?.p).toBeLessThan(0.01);
  });

  it('leaves out sessions that one arm does not have', () => {
    const second = [
      { sum: 1, weight: 1 },
      { sum: 0, weight: 0 },
      { sum: 1, weight: 1 },
    ];
    expect(pairedDifference(ones(1, 1, 1), second, 1)).toMatchObject({ n: 2, difference: 0, p: 1 });
  });
});
