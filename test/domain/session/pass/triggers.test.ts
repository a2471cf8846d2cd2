import { describe, expect, it } from '@jest/globals';
import {
  askTrigger,
  firingTrigger,
  type TriggerSizes,
} from '../../../../src/domain/session/pass/triggers.js';
import { scoreUnits } from '../../../../src/domain/session/pass/unit-score.js';
import { aUnit, someSettings } from './pass-fixture.js';

const someSizes = (more: Partial<TriggerSizes> = {}): TriggerSizes => ({
  usedTokens: 1_000,
  tailTurns: 3,
  slidingTokens: 0,
  minFreedTokens: 500,
  hasEndedTask: false,
  ...more,
});

describe('askTrigger', () => {
  // prettier-ignore
  it.each([
    { trigger: 'fixed_threshold' as const, sizes: someSizes({ usedTokens: 7_499 }),                   answer: 'below-fill-line' },
    { trigger: 'fixed_threshold' as const, sizes: someSizes({ usedTokens: 7_500 }),                   answer: 'due fill-line-reached' },
    { trigger: 'importance' as const,      sizes: someSizes({ usedTokens: 7_500 }),                   answer: 'due fill-line-reached' },
    { trigger: 'sliding_window' as const,  sizes: someSizes({ usedTokens: 7_500 }),                   answer: 'due fill-line-reached' },
    { trigger: 'sliding_window' as const,  sizes: someSizes({ tailTurns: 23, slidingTokens: 900 }),   answer: 'below-fill-line' },
    { trigger: 'sliding_window' as const,  sizes: someSizes({ tailTurns: 24, slidingTokens: 499 }),   answer: 'frees-too-little' },
    { trigger: 'sliding_window' as const,  sizes: someSizes({ tailTurns: 24, slidingTokens: 500 }),   answer: 'due enough-turns' },
    { trigger: 'task_boundary' as const,   sizes: someSizes({ usedTokens: 9_000 }),                   answer: 'no-task-ended' },
    { trigger: 'task_boundary' as const,   sizes: someSizes({ hasEndedTask: true }),                  answer: 'below-boundary-line' },
    { trigger: 'task_boundary' as const,   sizes: someSizes({ hasEndedTask: true, usedTokens: 4_000 }), answer: 'due task-ended' },
  ])('$trigger answers $answer', ({ trigger, sizes, answer }) => {
    const { due, reason } = askTrigger(trigger, sizes, someSettings());
    expect(`${due ? 'due ' : ''}${reason}`).toBe(answer);
  });
});

describe('firingTrigger', () => {
  // prettier-ignore
  it.each([
    { rule: 'all of one list must be due',          groups: [['fixed_threshold', 'task_boundary']] as const,                   fired: null },
    { rule: 'one list of several is enough',        groups: [['task_boundary'], ['importance']] as const,                      fired: 'importance' },
    { rule: 'the first list that fires chooses',    groups: [['sliding_window', 'fixed_threshold'], ['importance']] as const,  fired: 'sliding_window' },
  ])('$rule', ({ groups, fired }) => {
    const sizes = someSizes({ usedTokens: 8_000 });
    expect(firingTrigger(groups, sizes, someSettings()).fired).toBe(fired);
  });
});

describe('scoreUnits', () => {
  const scoreOf = (units: Parameters<typeof scoreUnits>[0], index = 0) =>
    scoreUnits(units)[index]?.score ?? Number.NaN;

  it('relevance halves with eight turns', () => {
    expect(scoreOf([aUnit(1, 1, 9, { kind: 'change' }), aUnit(2, 9, 9)])).toBeCloseTo(0.35, 10);
  });

  it('what later units refer to counts more, up to a limit', () => {
    const units = (count: number) =>
      Array.from({ length: count }, (_, index) => aUnit(index, 1, 9, { references: ['src/a.ts'] }));
    expect(scoreOf(units(3))).toBeCloseTo(0.6, 10);
    expect(scoreOf(units(20))).toBeCloseTo(0.8, 10);
  });

  it('what is seen again unchanged counts less, what changed does not', () => {
    const seen = (hash: string) => ({ contents: [{ path: 'src/a.ts', hash }] });
    expect(scoreOf([aUnit(1, 1, 9, seen('x')), aUnit(2, 1, 9, seen('x'))])).toBeCloseTo(0.1, 10);
    expect(scoreOf([aUnit(1, 1, 9, seen('x')), aUnit(2, 1, 9, seen('y'))])).toBeCloseTo(0.5, 10);
  });

  it('shows its parts', () => {
    expect(scoreUnits([aUnit(1, 1, 9)])).toEqual([
      { unitId: 'u1', base: 0.5, recency: 1, references: 0, redundancy: 0, score: 0.5 },
    ]);
  });
});
