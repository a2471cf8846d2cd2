/** A report as the answer of a command, and the assertions that turn figures into an exit code. */
import type { RecordedRun } from '../../../application/evaluation/evaluation-runs.js';
import {
  type CheckedAssertion,
  checkAssertion,
  figureNames,
  parseAssertion,
} from '../../../domain/evaluation/report/check-assertion.js';
import type { EvaluationReport } from '../../../domain/evaluation/report/evaluation-report.js';
import { showFigure } from '../../../domain/evaluation/report/show-figure.js';
import { UsageError } from '../failure.js';
import type { Block, CommandResult, Message } from '../view.js';
import { Verbatim } from '../wire-names.js';

export interface AssertOptions {
  readonly assert?: readonly string[];
}

/** @throws UsageError for a text that is no assertion, before any work. */
export function requireAssertions({ assert: texts = [] }: AssertOptions): void {
  for (const text of texts) {
    if (parseAssertion(text) === null) {
      throw new UsageError(
        `--assert takes NAME>=VALUE, such as ours.share@10>=0.5, not ${JSON.stringify(text.slice(0, 80))}.`,
      );
    }
  }
}

export function reportResult(
  { runId, report, timing }: RecordedRun,
  { assert: texts = [] }: AssertOptions,
): CommandResult {
  const checked = texts.flatMap((text) => {
    const assertion = parseAssertion(text);
    return assertion === null ? [] : [checkAssertion(assertion, report)];
  });
  const missed = checked.filter(({ held }) => !held);
  return {
    data: {
      runId,
      kind: report.kind,
      question: report.question,
      n: new Verbatim(report.n),
      arms: report.arms.map(({ name, figures }) => ({ name, figures: new Verbatim(figures) })),
      notAssessed: report.notAssessed,
      failures: report.failures,
      costs: new Verbatim(report.costs),
      settings: new Verbatim(report.settings),
      versions: new Verbatim(report.versions),
      timing: new Verbatim(timing),
      warnings: report.warnings,
      assertions: checked,
    },
    view: reportView({ runId, report, timing }, checked),
    messages: [
      ...report.warnings.map((text): Message => ({ level: 'warning', text })),
      ...missed.map((one): Message => ({ level: 'warning', text: missedText(one, report) })),
    ],
    exitCode: missed.length === 0 ? 0 : 1,
  };
}

function reportView(
  { runId, report, timing }: RecordedRun,
  checked: readonly CheckedAssertion[],
): readonly Block[] {
  const counts = Object.entries({ ...report.n, ...report.costs, ...timing });
  return [
    {
      block: 'fields',
      title: report.question,
      fields: [
        ['run_id', runId],
        ...Object.entries(report.settings),
        ...counts.map(([name, count]) => [name, String(count)] as const),
        ...checked.map((one) => ['assertion', assertionText(one)] as const),
      ],
    },
    ...report.tables.map(({ title, columns, rows }): Block => ({
      block: 'table',
      title,
      isPart: true,
      columns: columns.map((column, at) => ({ title: column, isElastic: at > 1 })),
      rows,
      none: `${title}: nothing to show.`,
    })),
    {
      block: 'table',
      title: 'Not assessed and failed',
      isPart: true,
      columns: [{ title: 'what' }, { title: 'count' }, { title: 'reason', isElastic: true }],
      rows: [
        ...report.notAssessed.map(({ criterion, count, reason }) => [
          criterion,
          String(count),
          reason,
        ]),
        ...report.failures.map(({ what, count, reason }) => [what, String(count), reason]),
      ],
      none: 'Everything was assessed, and nothing failed.',
    },
  ];
}

function assertionText({ name, comparison, bound, held, figure }: CheckedAssertion): string {
  const said = figure === null ? 'no such figure' : showFigure(figure);
  return `${held ? 'held' : 'missed'}: ${name}${comparison}${bound} (${said})`;
}

/** Names listed where an assertion names none that is there. */
const LISTED_NAMES = 12;

function missedText(one: CheckedAssertion, report: EvaluationReport): string {
  if (one.figure !== null) return `Assertion ${assertionText(one)}.`;
  const names = figureNames(report);
  const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : '';
  return `Assertion ${assertionText(one)}. There are ${names.slice(0, LISTED_NAMES).join(', ')}${more}.`;
}
