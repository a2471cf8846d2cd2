/** A report as Markdown. Equal runs give equal bytes; the time stands in one line. */
import type { EvaluationReport, ReportPlot } from './evaluation-report.js';
import { showFigure, showNumber } from './show-figure.js';
import type { ReportHead } from './report-head.js';

export function renderMarkdown(report: EvaluationReport, head: ReportHead): string {
  const blocks = [
    `# ${report.question}`,
    fields({ run_id: head.runId, kind: report.kind, time: head.time, ...report.settings }),
    ...report.warnings.map((text) => `> ${escape(text)}`),
    '## Data and n',
    fields(numbersAsText({ ...report.n, ...report.costs })),
    ...(Object.keys(report.versions).length === 0 ? [] : ['## Versions', fields(report.versions)]),
    '## Figures',
    table(
      ['arm', 'figure', 'value'],
      report.arms.flatMap(({ name, figures }) =>
        Object.entries(figures).map(([key, figure]) => [name, key, showFigure(figure)]),
      ),
    ),
    ...report.tables.flatMap(({ title, columns, rows }) => [`## ${title}`, table(columns, rows)]),
    ...report.plots.flatMap((plot) => [`## Plot: ${plot.title}`, plotTable(plot)]),
    '## Not assessed',
    table(
      ['criterion', 'reason', 'count'],
      report.notAssessed.map(({ criterion, reason, count }) => [criterion, reason, String(count)]),
    ),
    '## Failures',
    table(
      ['what', 'reason', 'count'],
      report.failures.map(({ what, reason, count }) => [what, reason, String(count)]),
    ),
    ...(report.quotes.length === 0
      ? []
      : [
          '## Quotes',
          ...report.quotes.map(({ label, text }) => `- ${escape(label)}: ${quoted(text)}`),
        ]),
    '## Run it again',
    `    ${report.again}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function fields(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `- ${name}: ${escape(value)}`)
    .join('\n');
}

function numbersAsText(values: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, showNumber(value)]),
  );
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'none';
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

function plotTable({ xLabel, yLabel, series }: ReportPlot): string {
  return table(
    ['series', xLabel, yLabel],
    series.flatMap(({ name, points }) =>
      points.map(({ x, y, low, high }) => [
        name,
        showNumber(x),
        low === null || high === null
          ? showNumber(y)
          : `${showNumber(y)} [${showNumber(low)}, ${showNumber(high)}]`,
      ]),
    ),
  );
}

function cell(text: string): string {
  return escape(text).replaceAll('|', '\\|');
}

/** Texts of sessions are shown, never interpreted. */
function escape(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/[\\`*_<>[\]#]/g, (sign) => `\\${sign}`);
}

function quoted(text: string): string {
  return `“${escape(text)}”`;
}
