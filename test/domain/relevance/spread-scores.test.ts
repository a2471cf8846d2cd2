import { describe, expect, it } from '@jest/globals';
import { spreadScores } from '../../../src/domain/relevance/spread-scores.js';

describe('spreadScores', () => {
  // prettier-ignore
  it.each([
    { rule: 'the best is 1, each other the mean of share and rank', scores: [0.1, 0.4, 0.2, 0.2], spread: [0.25, 1, 0.625, 0.625] },
    { rule: 'no score, no relevance',                               scores: [0, 0.5],             spread: [0, 1] },
    { rule: 'nothing matches, nothing is relevant',                 scores: [0, 0],               spread: [0, 0] },
    { rule: 'scores that lie close together are told apart',        scores: [0.01, 0.011, 1],     spread: [(0.01 + 1 / 3) / 2, (0.011 + 2 / 3) / 2, 1] },
    { rule: 'no fragments',                                         scores: [],                   spread: [] },
  ])('$rule', ({ scores, spread }) => {
    spreadScores(scores).forEach((value, at) => expect(value).toBeCloseTo(spread[at] ?? -1, 12));
    expect(spreadScores(scores)).toHaveLength(spread.length);
  });
});
