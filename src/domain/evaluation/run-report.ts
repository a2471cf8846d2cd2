/** Answers, marks and survival of one run as a report. What a model marked stands apart from what a rule did. */
import { type AggregatedMarks, aggregateMarks } from './grading/aggregate-marks.js';
import { GRADER_LIMITS } from './grading/grade-answer.js';
import type { Mark, MarkOrigin } from './grading/mark.js';
import type { Probe } from './probe.js';
import { PROBE_TYPES } from './probe-type.js';
import {
  type ArmReport,
  EMPTY_REPORT,
  type EvaluationReport,
  type Figure,
  type NotAssessed,
  plainFigure,
  type ReportFailure,
  type ReportTable,
  type RunKind,
} from './report/evaluation-report.js';
import { showFigure, showNumber } from './report/show-figure.js';
import type { StoredAnswer, StoredMark } from './repositories.js';
import {
  bootstrapInterval,
  ENOUGH_TO_RANK,
  meanOf,
  type Observation,
  pairedDifference,
} from './statistics/bootstrap.js';
import { holmRejects } from './statistics/holm.js';
import type { Survival } from './survival.js';

export interface ArmSize {
  readonly arm: string;
  readonly sessionId: string;
  readonly cycle: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Share of the span that was removed; null: the arm removed none. */
  readonly spanShare: number | null;
  /** Null: adopted, or no pass was needed; else why it failed. */
  readonly failure: string | null;
}

export interface RunReportInput {
  readonly kind: RunKind;
  readonly question: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly probes: readonly Probe[];
  readonly answers: readonly StoredAnswer[];
  readonly marks: readonly StoredMark[];
  readonly sizes: readonly ArmSize[];
  readonly missing: readonly string[];
  readonly failures: readonly ReportFailure[];
  readonly warnings: readonly string[];
  /** Facts are shown as quotes up to so many. */
  readonly quotes: number;
  readonly again: string;
  readonly seed: number;
}

export function runReport(input: RunReportInput): EvaluationReport {
  const { probes, answers, marks, sizes } = input;
  const arms = [...new Set(answers.map(({ arm }) => arm))];
  const sessions = [...new Set(answers.map(({ sessionId }) => sessionId))];
  const points = new Set(answers.map(({ sessionId, cycle }) => `${sessionId} ${cycle}`));
  const given = answers.filter(({ text }) => text !== null);
  const survivals = arms.map((arm) => survivalOfArm(arm, answers, sessions, input.seed));
  const marked = (['grader', 'judge'] as const).flatMap((origin) =>
    arms.flatMap((arm) => {
      const own = marks.filter((mark) => mark.arm === arm && mark.origin === origin);
      return own.length === 0 ? [] : [{ arm, origin, aggregated: aggregateMarks(byAnswer(own)) }];
    }),
  );
  return {
    ...EMPTY_REPORT,
    kind: input.kind,
    question: input.question,
    settings: input.settings,
    versions: input.versions,
    n: {
      sessions: sessions.length,
      points: points.size,
      probes: probes.length,
      answers: given.length,
      missing_answers: answers.filter(({ text, answerer }) => text === null && answerer !== null)
        .length,
      failed_passes: sizes.filter(({ failure }) => failure !== null).length,
    },
    arms: survivals.map(({ arm, figures }) => ({
      name: arm,
      figures: { ...figures, ...markFigures(arm, marked) },
    })),
    tables: [
      survivalTable(arms, answers, probes),
      ...(marked.length === 0 ? [] : [marksTable(marked)]),
      ...(sizes.length === 0 ? [] : [sizeTable(sizes)]),
      ...differences(arms, answers, sessions, input.seed),
    ],
    plots: qualityPlots(survivals, sizes),
    notAssessed: notAssessed(input, marked, arms, answers),
    failures: [
      ...input.failures,
      ...sizes.flatMap(({ arm, cycle, failure }) =>
        failure === null
          ? []
          : [{ what: `pass of ${arm}`, reason: `cycle ${cycle}: ${failure}`, count: 1 }],
      ),
      ...answers.flatMap(({ arm, probeId, reason, answerer }) =>
        reason === null || answerer === null
          ? []
          : [{ what: `answer of ${arm} to ${probeId}`, reason, count: 1 }],
      ),
    ],
    costs: costsOf(answers),
    warnings: [
      ...input.warnings,
      ...(sessions.length < ENOUGH_TO_RANK
        ? [`${sessions.length} sessions: too few to rank.`]
        : []),
    ],
    quotes: quotesOf(probes, input.quotes),
    again: input.again,
  };
}

function byAnswer(marks: readonly StoredMark[]): readonly (readonly Mark[])[] {
  const groups = new Map<string, StoredMark[]>();
  for (const mark of marks) {
    const key = JSON.stringify([mark.sessionId, mark.cycle, mark.probeId, mark.judgeRun]);
    const own = groups.get(key) ?? [];
    groups.set(key, own);
    own.push(mark);
  }
  return [...groups.values()];
}

const isKept = (survival: Survival): boolean => survival === 'kept';
const isThere = (survival: Survival): boolean => survival !== 'lost';

/** Facts of the arm's answers, by session. */
function observations(
  arm: string,
  answers: readonly StoredAnswer[],
  sessions: readonly string[],
  counts: (survival: Survival) => boolean,
): readonly Observation[] {
  return sessions.map((sessionId) => {
    const own = answers.filter((one) => one.arm === arm && one.sessionId === sessionId);
    const facts = own.flatMap(({ survival }) => Object.values(survival ?? {}));
    return { sum: facts.filter(counts).length, weight: facts.length };
  });
}

function survivalOfArm(
  arm: string,
  answers: readonly StoredAnswer[],
  sessions: readonly string[],
  seed: number,
): { readonly arm: string; readonly figures: Readonly<Record<string, Figure>> } {
  const figure = (counts: (survival: Survival) => boolean): Figure => {
    const observed = observations(arm, answers, sessions, counts);
    const interval = bootstrapInterval(observed, seed);
    return {
      value: meanOf(observed),
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      n: observed.reduce((sum, { weight }) => sum + weight, 0),
    };
  };
  return { arm, figures: { kept: figure(isKept), survival: figure(isThere) } };
}

interface MarkedArm {
  readonly arm: string;
  readonly origin: MarkOrigin;
  readonly aggregated: AggregatedMarks;
}

function markFigures(arm: string, marked: readonly MarkedArm[]): ArmReport['figures'] {
  return Object.fromEntries(
    marked
      .filter((one) => one.arm === arm)
      .flatMap(({ origin, aggregated: { dimensions, overall } }) => [
        ...dimensions.map(({ dimension, mean, n }) => [
          `${origin}_${dimension}`,
          plainFigure(mean, n),
        ]),
        [`${origin}_overall`, plainFigure(overall, overall === null ? 0 : dimensions.length)],
      ]),
  ) as ArmReport['figures'];
}

function survivalTable(
  arms: readonly string[],
  answers: readonly StoredAnswer[],
  probes: readonly Probe[],
): ReportTable {
  const known = new Map(probes.map((probe) => [probe.probeId, probe]));
  const rows = arms.flatMap((arm) =>
    PROBE_TYPES.flatMap((type) =>
      [false, true].flatMap((inTail) => {
        const own = answers.filter(({ arm: whose, probeId }) => {
          const probe = known.get(probeId);
          return whose === arm && probe?.type === type && probe.alsoInTail === inTail;
        });
        if (own.length === 0) return [];
        const facts = own.flatMap(({ survival }) => Object.values(survival ?? {}));
        const share = (counts: (survival: Survival) => boolean): string =>
          facts.length === 0 ? '–' : showNumber(facts.filter(counts).length / facts.length);
        return [
          [arm, type, inTail ? 'yes' : 'no', share(isKept), share(isThere), String(facts.length)],
        ];
      }),
    ),
  );
  return {
    title: 'Survival (no answers: whether the facts are there)',
    columns: ['arm', 'type', 'also in the tail', 'kept', 'kept or reachable', 'facts'],
    rows,
  };
}

function marksTable(marked: readonly MarkedArm[]): ReportTable {
  return {
    title: 'Marks, 0 to 5',
    columns: ['marked by', 'arm', 'dimension', 'mean', 'share assessed', 'answers'],
    rows: marked.flatMap(({ arm, origin, aggregated: { dimensions, overall, covered } }) => [
      ...dimensions.map(({ dimension, mean, shareAssessed, n }) => [
        origin,
        arm,
        dimension,
        mean === null ? 'not-assessed' : showNumber(mean, 2),
        `${Math.round(shareAssessed * 100)} %`,
        String(n),
      ]),
      overall === null
        ? [
            origin,
            arm,
            `mean of ${covered?.of.join(', ') ?? 'nothing'}`,
            showNumber(covered?.mean ?? null, 2),
            '–',
            '–',
          ]
        : [origin, arm, 'overall', showNumber(overall, 2), '100 %', '–'],
    ]),
  };
}

function sizeTable(sizes: readonly ArmSize[]): ReportTable {
  return {
    title: 'Sizes',
    columns: [
      'arm',
      'cycle',
      'tokens before',
      'tokens after',
      'removed of the span',
      'removed of the context',
    ],
    rows: sizes.map(({ arm, cycle, tokensBefore, tokensAfter, spanShare }) => [
      arm,
      String(cycle),
      String(tokensBefore),
      String(tokensAfter),
      spanShare === null ? '–' : `${Math.round(spanShare * 100)} %`,
      tokensBefore === 0 ? '–' : `${Math.round((1 - tokensAfter / tokensBefore) * 100)} %`,
    ]),
  };
}

/** Every arm against the first that is no control, over sessions. */
function differences(
  arms: readonly string[],
  answers: readonly StoredAnswer[],
  sessions: readonly string[],
  seed: number,
): readonly ReportTable[] {
  const compared = arms.flatMap((arm, at) =>
    arms.slice(at + 1).flatMap((other) => {
      const paired = pairedDifference(
        observations(arm, answers, sessions, isThere),
        observations(other, answers, sessions, isThere),
        seed,
      );
      return paired === null ? [] : [{ name: `${arm} – ${other}`, ...paired }];
    }),
  );
  if (compared.length === 0) return [];
  const isReal = holmRejects(compared.map(({ p }) => p));
  return [
    {
      title: 'Paired differences of survival over sessions (a difference after Holm)',
      columns: ['arms', 'difference', 'a difference'],
      rows: compared.map(({ name, difference, interval, n }, at) => [
        name,
        showFigure({ value: difference, ...interval, n }),
        sessions.length < ENOUGH_TO_RANK
          ? 'too few to rank'
          : (interval.low > 0 || interval.high < 0) && isReal[at] === true
            ? 'yes'
            : 'no',
      ]),
    },
  ];
}

function qualityPlots(
  survivals: readonly { readonly arm: string; readonly figures: ArmReport['figures'] }[],
  sizes: readonly ArmSize[],
) {
  const series = survivals.flatMap(({ arm, figures }) => {
    const own = sizes.filter((size) => size.arm === arm);
    const { value, low = null, high = null } = figures['survival'] ?? { value: null };
    if (own.length === 0 || value === null) return [];
    const x = Math.round(own.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0) / own.length);
    return [{ name: arm, points: [{ x, y: value, low, high }] }];
  });
  if (series.length === 0) return [];
  return [
    {
      title: 'Quality against tokens',
      xLabel: 'tokens of the context, mean',
      yLabel: 'share of facts kept or reachable',
      form: 'points' as const,
      series,
    },
  ];
}

function notAssessed(
  { missing }: RunReportInput,
  marked: readonly MarkedArm[],
  arms: readonly string[],
  answers: readonly StoredAnswer[],
): readonly NotAssessed[] {
  const blind = arms.filter((arm) =>
    answers.some((answer) => answer.arm === arm && answer.survival === null),
  );
  return [
    ...missing.map((type) => ({
      criterion: `probes of type ${type}`,
      reason: 'the span has no material',
      count: 1,
    })),
    ...blind.map((arm) => ({
      criterion: `survival of ${arm}`,
      reason: 'not-applicable',
      count: 1,
    })),
    ...marked.flatMap(({ arm, origin, aggregated }) =>
      aggregated.notAssessed.map(({ criterion, reason, count }) => ({
        criterion: `${criterion} (${origin}, ${arm})`,
        reason,
        count,
      })),
    ),
    ...(marked.some(({ origin }) => origin === 'grader')
      ? [{ criterion: 'the grader', reason: `does not see ${GRADER_LIMITS.join(', ')}`, count: 1 }]
      : []),
  ];
}

function costsOf(answers: readonly StoredAnswer[]): Record<string, number> {
  const costs: Record<string, number> = {};
  for (const { usage } of answers) {
    for (const [name, tokens] of Object.entries(usage)) costs[name] = (costs[name] ?? 0) + tokens;
  }
  return costs;
}

/** UTF-16 units of a quote. */
const LONGEST_QUOTE = 120;

function quotesOf(probes: readonly Probe[], count: number) {
  return probes.slice(0, count).map(({ probeId, question, facts }) => {
    const [first] = facts;
    const value = first === undefined ? '' : [first.value].flat().join('; ');
    return {
      label: `${probeId} ${question}`.slice(0, LONGEST_QUOTE),
      text: value.slice(0, LONGEST_QUOTE),
    };
  });
}
