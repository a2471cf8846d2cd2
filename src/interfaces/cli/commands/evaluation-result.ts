/** A report as the answer of a command. */
import type { RecordedRun } from '../../../application/evaluation/evaluation-runs.js';
import type { CheckedAssertion } from '../../../domain/evaluation/report/check-assertion.js';
import type { Block, CommandResult, Message } from '../view.js';
import { Verbatim } from '../wire-names.js';
import { type AssertOptions, assertionText, holdAssertions } from './evaluation-assertions.js';

export function reportResult(recorded: RecordedRun, options: AssertOptions): CommandResult {
  const { runId, report, timing } = recorded;
  const { checked, messages, exitCode } = holdAssertions(options, report);
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
    view: reportView(recorded, checked),
    messages: [
      ...report.warnings.map((text): Message => ({ level: 'warning', text })),
      ...messages,
    ],
    exitCode,
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
