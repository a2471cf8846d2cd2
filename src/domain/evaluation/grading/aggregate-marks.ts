/** Marks of many answers as figures: by criterion, by dimension, and over all where all were assessed. */
import {
  CRITERIA,
  type Criterion,
  type CriterionId,
  type Dimension,
  DIMENSIONS,
} from '../criteria.js';
import type { Mark } from './mark.js';

export interface DimensionFigure {
  readonly dimension: Dimension;
  /** 0 to 5; null: not assessed. */
  readonly mean: number | null;
  /** Weight of what was assessed among what applied, 0 to 1. */
  readonly shareAssessed: number;
  /** Answers with at least one assessed criterion of it. */
  readonly n: number;
}

export interface AggregatedMarks {
  readonly dimensions: readonly DimensionFigure[];
  /** Plain mean of the six; null unless all were assessed. */
  readonly overall: number | null;
  /** Plain mean of those that were, with their names; null where none was. */
  readonly covered: { readonly mean: number; readonly of: readonly Dimension[] } | null;
  readonly notAssessed: readonly {
    readonly criterion: CriterionId;
    readonly reason: string;
    readonly count: number;
  }[];
}

/** @param answers the marks of each answer, at most one for a criterion. */
export function aggregateMarks(answers: readonly (readonly Mark[])[]): AggregatedMarks {
  const dimensions = DIMENSIONS.map((dimension) => dimensionFigure(dimension, answers));
  const assessed = dimensions.flatMap(({ dimension, mean }) =>
    mean === null ? [] : [{ dimension, mean }],
  );
  const mean = assessed.reduce((sum, one) => sum + one.mean, 0) / assessed.length;
  return {
    dimensions,
    overall: assessed.length === DIMENSIONS.length ? mean : null,
    covered:
      assessed.length === 0 ? null : { mean, of: assessed.map(({ dimension }) => dimension) },
    notAssessed: countNotAssessed(answers),
  };
}

/** The mean over the assessed criteria of one answer, weights renormalized; null: none was. */
export function dimensionOfAnswer(dimension: Dimension, marks: readonly Mark[]): number | null {
  const assessed = marksOf(dimension, marks).filter(({ mark }) => mark.score !== null);
  const weight = sumOf(assessed);
  if (weight === 0) return null;
  return (
    assessed.reduce((sum, { mark, criterion }) => sum + (mark.score ?? 0) * criterion.weight, 0) /
    weight
  );
}

function dimensionFigure(
  dimension: Dimension,
  answers: readonly (readonly Mark[])[],
): DimensionFigure {
  const means = answers.flatMap((marks) => dimensionOfAnswer(dimension, marks) ?? []);
  const applied = answers.flatMap((marks) => marksOf(dimension, marks));
  const assessed = applied.filter(({ mark }) => mark.score !== null);
  return {
    dimension,
    mean: means.length === 0 ? null : means.reduce((sum, one) => sum + one, 0) / means.length,
    shareAssessed: applied.length === 0 ? 0 : sumOf(assessed) / sumOf(applied),
    n: means.length,
  };
}

interface WeighedMark {
  readonly mark: Mark;
  readonly criterion: Criterion;
}

function marksOf(dimension: Dimension, marks: readonly Mark[]): readonly WeighedMark[] {
  return CRITERIA.filter((criterion) => criterion.dimension === dimension).flatMap((criterion) => {
    const mark = marks.find(({ criterionId }) => criterionId === criterion.criterionId);
    return mark === undefined ? [] : [{ mark, criterion }];
  });
}

function sumOf(marks: readonly WeighedMark[]): number {
  return marks.reduce((sum, { criterion }) => sum + criterion.weight, 0);
}

function countNotAssessed(answers: readonly (readonly Mark[])[]): AggregatedMarks['notAssessed'] {
  const counts = new Map<string, { criterion: CriterionId; reason: string; count: number }>();
  for (const { criterionId: criterion, score, reason } of answers.flat()) {
    if (score !== null) continue;
    const key = `${criterion} ${reason}`;
    const known = counts.get(key) ?? { criterion, reason, count: 0 };
    known.count += 1;
    counts.set(key, known);
  }
  return [...counts.values()].sort((a, b) => (a.criterion < b.criterion ? -1 : 1));
}
