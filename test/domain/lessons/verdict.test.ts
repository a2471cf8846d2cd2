import { describe, expect, it } from '@jest/globals';
import type { JudgeVote, ReplayOutcome } from '../../../src/domain/lessons/attempt.js';
import { readVote, tally } from '../../../src/domain/lessons/verdict.js';

describe('readVote', () => {
  it.each([
    ['{"pass": true, "reason": "same"}', 'passed'],
    ['```json\n{"pass": false, "reason": "missing: @x", "missing": ["@x"]}\n```', 'failed'],
    ['  {"pass": true, "reason": "same"}\n', 'passed'],
    ['{"pass": true, "reason": ""}', 'unreadable'],
    ['{"pass": true}', 'unreadable'],
    ['{"pass": "true", "reason": "x"}', 'unreadable'],
    ['{"pass": 1, "reason": "x"}', 'unreadable'],
    ['{"pass": null, "reason": "x"}', 'unreadable'],
    ['{"pass": true, "reason": "x", "more": 1}', 'unreadable'],
    ['{"pass": true, "reason": "x", "missing": "@x"}', 'unreadable'],
    ['It passes: {"pass": true, "reason": "x"}', 'unreadable'],
    ['{"pass": true, "reason": "x"} {"pass": true, "reason": "x"}', 'unreadable'],
    ['[{"pass": true, "reason": "x"}]', 'unreadable'],
    ['{"pass": false, "pass": true, "reason": "x"}', 'unreadable'],
    ['{"pass": true, "reason": "x", "r\\u0065ason": "y"}', 'unreadable'],
    ['{"pass": true, "reason": "\\"pass\\": false", "missing": ["pass", "pass"]}', 'passed'],
    ['', 'unreadable'],
  ])('%s is %s', (text, outcome) => {
    expect(readVote(text).outcome).toBe(outcome);
  });
});

describe('tally', () => {
  const outcomes = { p: 'passed', f: 'failed', u: 'unreadable' } as const;
  const votesOf = (text: string): readonly JudgeVote[] =>
    Array.from(text).map((letter): JudgeVote => ({
      outcome: outcomes[letter as 'p' | 'f' | 'u'],
      reason: null,
      missing: [],
      raw: null,
    }));

  it.each<readonly [string, ReplayOutcome, number]>([
    ['pp', 'passed', 2],
    ['fpp', 'passed', 3],
    ['ff', 'failed', 2],
    ['pup', 'passed', 3],
    ['uu', 'unreadable', 2],
    ['pfu', 'failed', 3],
  ])('S29: %s is %s after %d votes', (letters, outcome, asked) => {
    const votes = votesOf(letters);
    const settled = votes.findIndex((_, at) => tally(votes.slice(0, at + 1), 3) !== null) + 1;

    expect([tally(votes, 3), settled]).toEqual([outcome, asked]);
  });

  it.each([
    ['p', 'passed'],
    ['f', 'failed'],
    ['u', 'unreadable'],
  ])('a judge that is asked once settles it: %s', (letters, outcome) => {
    expect(tally(votesOf(letters), 1)).toBe(outcome);
  });
});
