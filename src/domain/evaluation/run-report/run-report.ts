/** Answers, marks and survival of one run as a report. What a model marked stands apart from what a rule did. */
import { GRADER_LIMITS } from '../grading/grade-answer.js';
import type { Probe } from '../probe.js';
import {
  EMPTY_REPORT,
  type EvaluationReport,
  type NotAssessed,
} from '../report/evaluation-report.js';
import { tooFewToRank } from '../statistics/bootstrap.js';
import { differenceTables } from './differences-part.js';
import { markedArms, type MarkedArm, markFigures, marksPlots, marksTables } from './marks-part.js';
import type { RunReportInput } from './run-results.js';
import { qualityPlots, sizeFigures, sizeTables } from './sizes-part.js';
import { survivalFigures, survivalTable } from './survival-part.js';

export function runReport(input: RunReportInput): EvaluationReport {
  const { probes, answers, marks, judgements, sizes, seed } = input;
  const arms = [...new Set(answers.map(({ arm }) => arm))];
  const sessions = [...new Set(answers.map(({ sessionId }) => sessionId))];
  const points = new Set(answers.map(({ sessionId, cycle }) => `${sessionId} ${cycle}`));
  const marked = markedArms(arms, marks);
  const figures = new Map(
    arms.map((arm) => [
      arm,
      {
        ...survivalFigures(arm, answers, sessions, seed),
        ...sizeFigures(arm, input),
        ...markFigures(arm, marked, sessions, seed),
      },
    ]),
  );
  const few = tooFewToRank(sessions.length);
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
      answers: answers.filter(({ text }) => text !== null).length,
      missing_answers: answers.filter(({ text, answerer }) => text === null && answerer !== null)
        .length,
      judgements: judgements.filter(({ outcome }) => outcome === 'judged').length,
      unreadable_judgements: judgements.filter(({ outcome }) => outcome === 'unreadable').length,
      failed_judgements: judgements.filter(({ outcome }) => outcome === 'failed').length,
      failed_passes: sizes.filter(({ failure }) => failure !== null).length,
    },
    arms: arms.map((name) => ({ name, figures: figures.get(name) ?? {} })),
    tables: [
      survivalTable(arms, answers, probes),
      ...marksTables(marked, figures),
      ...sizeTables(sizes, figures),
      ...differenceTables(arms, answers, marked, sessions, seed),
    ],
    plots: [...qualityPlots(arms, figures), ...marksPlots(marked, figures)],
    notAssessed: notAssessed(input, marked, arms),
    failures: failuresOf(input),
    costs: costsOf(input),
    warnings: [...input.warnings, ...(few === null ? [] : [few])],
    quotes: quotesOf(probes, input.quotes),
    again: input.again,
  };
}

function failuresOf({ failures, sizes, answers, judgements }: RunReportInput) {
  return [
    ...failures,
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
    ...judgements.flatMap(({ arm, probeId, outcome, reason }) =>
      reason === null
        ? []
        : [
            {
              what: `${outcome === 'unreadable' ? 'unreadable judgement' : 'judgement'} on ${arm}, ${probeId}`,
              reason,
              count: 1,
            },
          ],
    ),
  ];
}

function notAssessed(
  { missing, answers }: RunReportInput,
  marked: readonly MarkedArm[],
  arms: readonly string[],
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

/** Of the judge by names of their own. */
function costsOf({ answers, judgements }: RunReportInput): Record<string, number> {
  const costs: Record<string, number> = {};
  const add = (name: string, tokens: number): void => {
    costs[name] = (costs[name] ?? 0) + tokens;
  };
  for (const { usage } of answers) {
    for (const [name, tokens] of Object.entries(usage)) add(name, tokens);
  }
  for (const { usage } of judgements) {
    for (const [name, tokens] of Object.entries(usage)) add(`judge_${name}`, tokens);
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
