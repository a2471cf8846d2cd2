/** Marks by arm and dimension, of the grader and of the judge apart; of several judgements their median. */
import { type Dimension, DIMENSIONS } from '../criteria.js';
import {
  type AggregatedMarks,
  aggregateMarks,
  dimensionOfAnswer,
} from '../grading/aggregate-marks.js';
import type { Mark, MarkOrigin } from '../grading/mark.js';
import {
  type ArmReport,
  plainFigure,
  type ReportPlot,
  type ReportTable,
} from '../report/evaluation-report.js';
import { showFigure, showNumber } from '../report/show-figure.js';
import type { StoredMark } from '../repositories.js';
import { intervalFigure, type Observation } from '../statistics/bootstrap.js';
import { medianOf } from '../statistics/median.js';

/** One answer with its marks, at most one for a criterion. */
interface MarkedAnswer {
  readonly sessionId: string;
  readonly marks: readonly (Mark & { readonly spread: number })[];
}

export interface MarkedArm {
  readonly arm: string;
  readonly origin: MarkOrigin;
  readonly answers: readonly MarkedAnswer[];
  readonly aggregated: AggregatedMarks;
  /** Judgements of one answer at most. */
  readonly runs: number;
}

export const MARK_ORIGINS = ['grader', 'judge'] as const satisfies readonly MarkOrigin[];

export function markedArms(
  arms: readonly string[],
  marks: readonly StoredMark[],
): readonly MarkedArm[] {
  return MARK_ORIGINS.flatMap((origin) =>
    arms.flatMap((arm): readonly MarkedArm[] => {
      const own = marks.filter((mark) => mark.arm === arm && mark.origin === origin);
      if (own.length === 0) return [];
      const answers = byAnswer(own);
      const aggregated = aggregateMarks(answers.map((answer) => answer.marks));
      const runs = own.reduce((most, { judgeRun }) => Math.max(most, judgeRun), 1);
      return [{ arm, origin, answers, aggregated, runs }];
    }),
  );
}

/** Marks of one answer by several judgements become their median, with their spread beside it. */
function byAnswer(marks: readonly StoredMark[]): readonly MarkedAnswer[] {
  const answers = new Map<string, { sessionId: string; byCriterion: Map<string, StoredMark[]> }>();
  for (const mark of marks) {
    const { sessionId, cycle, probeId, criterionId } = mark;
    const key = JSON.stringify([sessionId, cycle, probeId]);
    const own = answers.get(key) ?? { sessionId, byCriterion: new Map<string, StoredMark[]>() };
    answers.set(key, own);
    own.byCriterion.set(criterionId, [...(own.byCriterion.get(criterionId) ?? []), mark]);
  }
  return [...answers.values()].map(({ sessionId, byCriterion }) => ({
    sessionId,
    marks: [...byCriterion.values()].flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const scores = same.flatMap(({ score }) => score ?? []);
      const spread = scores.length === 0 ? 0 : Math.max(...scores) - Math.min(...scores);
      return [{ ...first, score: medianOf(scores), spread }];
    }),
  }));
}

export function markFigures(
  arm: string,
  marked: readonly MarkedArm[],
  sessions: readonly string[],
  seed: number,
): ArmReport['figures'] {
  const figures = marked
    .filter((one) => one.arm === arm)
    .flatMap((one) => {
      const { origin, aggregated, runs } = one;
      const { dimensions, overall } = aggregated;
      return [
        ...dimensions.map(
          ({ dimension }) =>
            [`${origin}_${dimension}`, dimensionFigure(one, dimension, sessions, seed)] as const,
        ),
        [
          `${origin}_overall`,
          plainFigure(overall, overall === null ? 0 : dimensions.length),
        ] as const,
        ...(runs > 1 ? [[`${origin}_spread`, spreadFigure(one)] as const] : []),
      ];
    });
  return Object.fromEntries(figures);
}

function dimensionFigure(
  { answers }: MarkedArm,
  dimension: Dimension,
  sessions: readonly string[],
  seed: number,
) {
  const observed = sessions.map((sessionId): Observation => {
    const means = answers
      .filter((answer) => answer.sessionId === sessionId)
      .flatMap(({ marks }) => dimensionOfAnswer(dimension, marks) ?? []);
    return { sum: means.reduce((sum, mean) => sum + mean, 0), weight: means.length };
  });
  return intervalFigure(observed, seed);
}

/** Mean difference between the highest and the lowest mark that one criterion of one answer was given. */
function spreadFigure({ answers }: MarkedArm) {
  const spreads = answers.flatMap(({ marks }) =>
    marks.flatMap(({ score, spread }) => (score === null ? [] : [spread])),
  );
  const sum = spreads.reduce((total, spread) => total + spread, 0);
  return plainFigure(spreads.length === 0 ? null : sum / spreads.length, spreads.length);
}

/** The mean of the given dimensions by session; no weight where one of them was not assessed there. */
export function marksBySession(
  { answers }: MarkedArm,
  dimensions: readonly Dimension[],
  sessions: readonly string[],
): readonly Observation[] {
  return sessions.map((sessionId) => {
    const own = answers.filter((answer) => answer.sessionId === sessionId);
    const means = dimensions.flatMap((dimension) => {
      const each = own.flatMap(({ marks }) => dimensionOfAnswer(dimension, marks) ?? []);
      return each.length === 0 ? [] : [each.reduce((sum, one) => sum + one, 0) / each.length];
    });
    const isWhole = means.length === dimensions.length && means.length > 0;
    const sum = means.reduce((total, mean) => total + mean, 0);
    return isWhole ? { sum: sum / means.length, weight: 1 } : { sum: 0, weight: 0 };
  });
}

/** Dimensions that all of the arms have: others cannot be compared. */
export function commonDimensions(marked: readonly MarkedArm[]): readonly Dimension[] {
  return DIMENSIONS.filter((dimension) =>
    marked.every(({ aggregated }) =>
      aggregated.dimensions.some((one) => one.dimension === dimension && one.mean !== null),
    ),
  );
}

export function marksTables(
  marked: readonly MarkedArm[],
  figures: ReadonlyMap<string, ArmReport['figures']>,
): readonly ReportTable[] {
  return MARK_ORIGINS.flatMap((origin) => {
    const own = marked.filter((one) => one.origin === origin);
    if (own.length === 0) return [];
    const hasSpread = own.some(({ runs }) => runs > 1);
    const by = origin === 'grader' ? 'by rules' : `by the judge${hasSpread ? ', medians' : ''}`;
    return [
      {
        title: `Marks ${by}, 0 to 5`,
        columns: ['arm', 'dimension', 'mean', 'share assessed', ...(hasSpread ? ['spread'] : [])],
        rows: own.flatMap((one) => rowsOf(one, figures.get(one.arm) ?? {}, hasSpread)),
      },
    ];
  });
}

function rowsOf(
  { arm, origin, aggregated: { dimensions, overall, covered } }: MarkedArm,
  figures: ArmReport['figures'],
  hasSpread: boolean,
): readonly (readonly string[])[] {
  const beside = hasSpread ? ['–'] : [];
  const spread = hasSpread ? [showNumber(figures[`${origin}_spread`]?.value ?? null, 2)] : [];
  return [
    ...dimensions.map(({ dimension, mean, shareAssessed }) => {
      const figure = figures[`${origin}_${dimension}`];
      return [
        arm,
        dimension,
        mean === null || figure === undefined ? 'not-assessed' : showFigure(figure),
        `${Math.round(shareAssessed * 100)} %`,
        ...beside,
      ];
    }),
    overall === null
      ? [
          arm,
          `mean of ${covered?.of.join(', ') ?? 'nothing'}`,
          showNumber(covered?.mean ?? null, 2),
          '–',
          ...spread,
        ]
      : [arm, 'overall', showNumber(overall, 2), '100 %', ...spread],
  ];
}

/** Dimensions beside each other, arms apart by a little. */
export function marksPlots(
  marked: readonly MarkedArm[],
  figures: ReadonlyMap<string, ArmReport['figures']>,
): readonly ReportPlot[] {
  return MARK_ORIGINS.flatMap((origin) => {
    const own = marked.filter((one) => one.origin === origin);
    if (own.length === 0) return [];
    return [
      {
        title: `Marks per dimension, ${origin === 'grader' ? 'by rules' : 'by the judge'}`,
        xLabel: 'dimension',
        yLabel: 'mean mark, 0 to 5',
        form: 'points' as const,
        categories: DIMENSIONS.map((dimension) => dimension.replaceAll('_', ' ')),
        series: own.map(({ arm }, place) => ({
          name: arm,
          points: DIMENSIONS.flatMap((dimension, at) => {
            const {
              value = null,
              low = null,
              high = null,
            } = figures.get(arm)?.[`${origin}_${dimension}`] ?? {};
            const x = at + (place - (own.length - 1) / 2) * (0.6 / own.length);
            return value === null ? [] : [{ x: Number(x.toFixed(3)), y: value, low, high }];
          }),
        })),
      },
    ];
  });
}
