import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, constantFrom, property, record } from 'fast-check';
import { QUARTERS, randomTranscript } from '../random-transcript.js';
import { planBothWays } from './plan-both-ways.js';

const cases = record({
  settings: record({
    windowTokens: constantFrom(2_000, 6_000, 20_000),
    keepTurns: constantFrom(1, 4),
    keepTokens: constantFrom(100, 2_000),
    minFreedTokens: constantFrom(1, 200),
    summaryTokens: constantFrom(60, 300),
    oversizeTokens: constantFrom(50, 1_500),
    triggers: constantFrom<
      readonly (readonly (
        'importance' | 'sliding_window' | 'task_boundary' | 'fixed_threshold'
      )[])[]
    >([['sliding_window']], [['importance']], [['task_boundary']], [['fixed_threshold']]),
  }),
  cutShare: constantFrom(0, 0.2, 0.5),
  previewEvery: constantFrom(3, 1_000),
});

/** One after the other, numbered on. */
const longTranscript = array(randomTranscript, { minLength: 1, maxLength: 6 }).map((parts) => {
  let seq = 0;
  return parts.flatMap((entries, part) =>
    entries.map((entry) => ({
      ...entry,
      seq: (seq += 1),
      unitId: `${part} ${entry.unitId}`,
      turn: entry.turn + part * 100,
    })),
  );
});

describe('a plan', () => {
  it('is the same from marks as from whole entries, on random sessions', () => {
    const outcomes = new Set<string>();
    assertProperty(
      property(longTranscript, cases, (entries, given) => {
        const { fromContents, fromMarks } = planBothWays(entries, QUARTERS, given);
        expect(fromMarks).toEqual(fromContents);
        outcomes.add(fromMarks.verdict.outcome);
      }),
      { seed: 20261130, numRuns: 300 },
    );
    expect(outcomes).toContain('pass');
    expect(outcomes.size).toBeGreaterThan(1);
  });
});
