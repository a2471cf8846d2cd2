/** Measured cases as a report: shares by arm and budget, with intervals over cases. */
import type { EvidenceArm } from './evidence-task.js';
import {
  ENOUGH_TO_RANK,
  intervalFigure,
  type Observation,
  pairedDifference,
  tooFewToRank,
} from '../statistics/bootstrap.js';
import { holmRejects } from '../statistics/holm.js';
import {
  type ArmReport,
  EMPTY_REPORT,
  type EvaluationReport,
  type Figure,
  plainFigure,
  type ReportFailure,
} from '../report/evaluation-report.js';
import { showFigure, showNumber } from '../report/show-figure.js';
import { isOffered, RANDOM_SEEDS } from './evidence-arms.js';
import type { EvidenceTask } from './evidence-task.js';
import type { EvidenceTally, MeasuredCase } from './evidence-recall.js';

export interface EvidenceReportSettings {
  readonly task: EvidenceTask;
  readonly arms: readonly EvidenceArm[];
  readonly budgets: readonly number[];
  readonly seed: number;
  /** Data that something was tuned on is named, so that its figures are not read as a proof. */
  readonly isTuningData: boolean;
  readonly source: string;
  readonly versions: Readonly<Record<string, string>>;
  /** Lines of the data that could not be read. */
  readonly unreadable: readonly ReportFailure[];
}

type Tallies = readonly (EvidenceTally | undefined)[];

export function evidenceReport(
  cases: readonly MeasuredCase[],
  settings: EvidenceReportSettings,
): EvaluationReport {
  const { task, arms, budgets, seed } = settings;
  const offered = arms.filter((arm) => isOffered(arm, task));
  const talliesOf = (arm: EvidenceArm, budget: number): Tallies =>
    cases.map(({ tallies }) => tallies.find((one) => one.arm === arm && one.budget === budget));
  const measured = offered.map((arm) => ({
    arm,
    report: armReport(arm, budgets, (budget) => talliesOf(arm, budget), settings),
  }));
  const leftOut = cases.flatMap((one) => one.leftOut.map(({ reason }) => reason));
  const counted = [...new Set(leftOut)].map((reason) => ({
    what: 'question',
    reason,
    count: leftOut.filter((one) => one === reason).length,
  }));
  const questions = cases.reduce((sum, { tallies }) => sum + (tallies[0]?.questions ?? 0), 0);
  const few = tooFewToRank(cases.length, 'case');
  return {
    ...EMPTY_REPORT,
    kind: 'evidence',
    question:
      task === 'aware'
        ? 'Which share of marked evidence survives when the selection knows the question?'
        : 'Which share of marked evidence survives when the selection does not know the question?',
    settings: {
      data: settings.source,
      task,
      budgets: budgets.map((budget) => `${budget} %`).join(', '),
      seed: String(seed),
      random_seeds: RANDOM_SEEDS.join(', '),
      tuned_on: settings.isTuningData ? 'yes' : 'no',
    },
    versions: settings.versions,
    n: {
      cases: cases.length,
      questions,
      left_out: leftOut.length,
      turns: cases.reduce((sum, { turns }) => sum + turns, 0),
      tokens: cases.reduce((sum, { tokens }) => sum + tokens, 0),
    },
    arms: measured.map(({ report }) => report),
    tables: [
      sharesTable(measured, budgets),
      ...categoryTable(offered, budgets, talliesOf),
      ...differencesTable(offered, budgets, talliesOf, cases.length, seed),
    ],
    plots: [
      {
        title: 'Evidence recall by budget',
        xLabel: 'budget, % of the tokens',
        yLabel: 'share of evidence that survives',
        form: 'line',
        series: measured.map(({ arm, report }) => ({
          name: arm,
          points: budgets.flatMap((budget) => {
            const figure = report.figures[`share@${budget}`];
            if (figure === undefined || figure.value === null) return [];
            return [{ x: budget, y: figure.value, low: figure.low, high: figure.high }];
          }),
        })),
      },
    ],
    notAssessed: arms
      .filter((arm) => !isOffered(arm, task))
      .map((arm) => ({ criterion: arm, reason: 'needs the question, which is blind', count: 1 })),
    failures: [...settings.unreadable, ...counted],
    warnings: [
      ...(settings.isTuningData
        ? ['The data were used for tuning: the figures prove nothing.']
        : []),
      ...(few === null ? [] : [few]),
    ],
    again: `agents eval evidence ${settings.source} --task ${task} --budgets ${budgets.join(',')} --arms ${arms.join(',')} --seed ${seed}`,
  };
}

function armReport(
  arm: EvidenceArm,
  budgets: readonly number[],
  talliesAt: (budget: number) => Tallies,
  { seed }: EvidenceReportSettings,
): ArmReport {
  const figures: Record<string, Figure> = {};
  for (const budget of budgets) {
    const tallies = talliesAt(budget);
    const put = (name: string, sum: (tally: EvidenceTally) => number): void => {
      // n is the number of questions; the interval is over cases.
      figures[`${name}@${budget}`] = intervalFigure(observe(tallies, sum), seed);
    };
    put('share', ({ shares }) => shares);
    put('reachable', ({ reachableShares }) => reachableShares);
    put('complete', ({ complete }) => complete);
    const present = tallies.filter((tally) => tally !== undefined);
    const gold = present.reduce((sum, one) => sum + one.gold, 0);
    const kept = present.reduce((sum, one) => sum + one.goldKept, 0);
    figures[`micro@${budget}`] = plainFigure(gold === 0 ? null : kept / gold, gold);
    put('tokens', ({ usedTokens }) => usedTokens);
  }
  return { name: arm, figures };
}

function observe(tallies: Tallies, sum: (tally: EvidenceTally) => number): readonly Observation[] {
  return tallies.map((tally) =>
    tally === undefined ? { sum: 0, weight: 0 } : { sum: sum(tally), weight: tally.questions },
  );
}

function sharesTable(
  measured: readonly { readonly arm: EvidenceArm; readonly report: ArmReport }[],
  budgets: readonly number[],
) {
  const cell = (figure: Figure | undefined): string =>
    figure === undefined ? '–' : showFigure(figure);
  return {
    title: 'Evidence recall',
    columns: ['arm', 'budget', 'share', 'reachable', 'all evidence', 'micro', 'tokens used'],
    rows: measured.flatMap(({ arm, report: { figures } }) =>
      budgets.map((budget) => [
        arm,
        `${budget} %`,
        cell(figures[`share@${budget}`]),
        cell(figures[`reachable@${budget}`]),
        cell(figures[`complete@${budget}`]),
        showNumber(figures[`micro@${budget}`]?.value ?? null),
        showNumber(Math.round(figures[`tokens@${budget}`]?.value ?? 0)),
      ]),
    ),
  };
}

function categoryTable(
  arms: readonly EvidenceArm[],
  budgets: readonly number[],
  talliesOf: (arm: EvidenceArm, budget: number) => Tallies,
) {
  const rows = arms.flatMap((arm) =>
    budgets.flatMap((budget) => {
      const sums = new Map<string, { questions: number; shares: number }>();
      for (const tally of talliesOf(arm, budget)) {
        for (const [category, { questions, shares }] of tally?.byCategory ?? []) {
          const sum = sums.get(category) ?? { questions: 0, shares: 0 };
          sum.questions += questions;
          sum.shares += shares;
          sums.set(category, sum);
        }
      }
      return [...sums]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([category, { questions, shares }]) => [
          arm,
          `${budget} %`,
          category,
          showNumber(shares / questions),
          String(questions),
        ]);
    }),
  );
  const isTold = new Set(rows.map((row) => row[2])).size > 1;
  const columns = ['arm', 'budget', 'category', 'share', 'n'];
  return isTold ? [{ title: 'By category', columns, rows }] : [];
}

/** Ours against every other arm, at each budget, corrected over all of them. */
function differencesTable(
  arms: readonly EvidenceArm[],
  budgets: readonly number[],
  talliesOf: (arm: EvidenceArm, budget: number) => Tallies,
  cases: number,
  seed: number,
) {
  if (!arms.includes('ours')) return [];
  const compared = budgets.flatMap((budget) =>
    arms
      .filter((arm) => arm !== 'ours')
      .flatMap((arm) => {
        const shares = (name: EvidenceArm) =>
          observe(talliesOf(name, budget), (tally) => tally.shares);
        const paired = pairedDifference(shares('ours'), shares(arm), seed);
        return paired === null ? [] : [{ arm, budget, ...paired }];
      }),
  );
  const isReal = holmRejects(compared.map(({ p }) => p));
  const rows = compared.map(({ arm, budget, difference, interval, n }, at) => {
    const isOutside = interval.low > 0 || interval.high < 0;
    return [
      `ours – ${arm}`,
      `${budget} %`,
      showFigure({ value: difference, ...interval, n }),
      cases < ENOUGH_TO_RANK ? 'too few to rank' : isOutside && isReal[at] === true ? 'yes' : 'no',
    ];
  });
  return [
    {
      title: 'Paired differences over cases (a difference after Holm)',
      columns: ['arms', 'budget', 'difference of shares', 'a difference'],
      rows,
    },
  ];
}
