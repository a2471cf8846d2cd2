import { describe, expect, it } from '@jest/globals';
import { holmRejects } from '../../../../src/domain/evaluation/statistics/holm.js';

describe('holmRejects', () => {
  it.each([
    { rule: 'one alone is held to the level', ps: [0.04], rejected: [true] },
    {
      rule: 'the smallest is held to the level over all',
      ps: [0.04, 0.9],
      rejected: [false, false],
    },
    { rule: 'each later one to less', ps: [0.01, 0.04], rejected: [true, true] },
    {
      rule: 'after one that stays, all larger ones stay',
      ps: [0.001, 0.03, 0.031],
      rejected: [true, false, false],
    },
    { rule: 'the order given is the order answered', ps: [0.9, 0.001], rejected: [false, true] },
    { rule: 'none, none', ps: [], rejected: [] },
  ])('$rule', ({ ps, rejected }) => {
    expect(holmRejects(ps)).toEqual(rejected);
  });
});
