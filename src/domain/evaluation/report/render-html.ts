/**
 * A report as one HTML file: no network, no script, readable in light and dark and on paper. Every plot
 * has its table and its text.
 */
import { drawPlot } from './draw-plot.js';
import { escapeHtml } from './escape-html.js';
import type { EvaluationReport, ReportPlot } from './evaluation-report.js';
import type { ReportHead } from './report-head.js';
import { showFigure, showNumber } from './show-figure.js';

const STYLE = `
:root { color-scheme: light dark; --text: #1b1b1b; --page: #fff; --line: #c9c9c9; --soft: #f3f3f3;
  --series-1: #0b5cad; --series-2: #b3400a; --series-3: #1c7a3d; --series-4: #7a2ea0; --series-5: #8a6d00; --series-6: #a01847; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ececec; --page: #161616; --line: #4a4a4a; --soft: #242424;
    --series-1: #7ab8ff; --series-2: #ffab7a; --series-3: #7fdc9f; --series-4: #d9a6f5; --series-5: #e6cf63; --series-6: #ff93b6; } }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: var(--text); background: var(--page); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; } th { background: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; } dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.warning { border-left: .3rem solid var(--series-2); padding-left: .75rem; }
svg { display: block; width: 100%; min-width: 36rem; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: .5; } .axis { stroke: var(--text); }
.series { fill: none; stroke-width: 2; } circle.series { stroke-width: 1; }
.series-1 { stroke: var(--series-1); } .series-2 { stroke: var(--series-2); } .series-3 { stroke: var(--series-3); }
.series-4 { stroke: var(--series-4); } .series-5 { stroke: var(--series-5); } .series-6 { stroke: var(--series-6); }
code { background: var(--soft); padding: .1rem .3rem; overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; --text: #000; --page: #fff; --line: #999; --soft: #fff;
    --series-1: #0b5cad; --series-2: #b3400a; --series-3: #1c7a3d; --series-4: #7a2ea0; --series-5: #8a6d00; --series-6: #a01847; }
  body { margin: 0; max-width: none; font-size: .8rem; } .scroll { overflow: visible; } svg { min-width: 0; }
  svg, tr, dl { break-inside: avoid; } h1, h2 { break-after: avoid; } td { overflow-wrap: anywhere; }
}
`.trim();

export function renderHtml(report: EvaluationReport, head: ReportHead): string {
  const sections = [
    section('Data and n', fields(asTexts({ ...report.n, ...report.costs }))),
    ...(Object.keys(report.versions).length === 0
      ? []
      : [section('Versions', fields(report.versions))]),
    ...report.plots.map((plot, at) =>
      section(
        plot.title,
        `<div class="scroll">\n${drawPlot(plot, `plot-${at + 1}`)}\n</div>\n${plotTable(plot)}`,
      ),
    ),
    section('Figures', figureTable(report.arms)),
    ...report.tables.map(({ title, columns, rows }) => section(title, table(columns, rows))),
    section(
      'Not assessed',
      table(
        ['criterion', 'reason', 'count'],
        report.notAssessed.map(({ criterion, reason, count }) => [
          criterion,
          reason,
          String(count),
        ]),
      ),
    ),
    section(
      'Failures',
      table(
        ['what', 'reason', 'count'],
        report.failures.map(({ what, reason, count }) => [what, reason, String(count)]),
      ),
    ),
    ...(report.quotes.length === 0
      ? []
      : [
          section(
            'Quotes',
            fields(Object.fromEntries(report.quotes.map(({ label, text }) => [label, text]))),
          ),
        ]),
    section('Run it again', `<p><code>${escapeHtml(report.again)}</code></p>`),
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(report.question)}</title>`,
    `<style>\n${STYLE}\n</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeHtml(report.question)}</h1>`,
    fields({ run_id: head.runId, kind: report.kind, time: head.time, ...report.settings }),
    ...report.warnings.map((text) => `<p class="warning">${escapeHtml(text)}</p>`),
    ...sections,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function section(title: string, content: string): string {
  return `<section>\n<h2>${escapeHtml(title)}</h2>\n${content}\n</section>`;
}

function fields(values: Readonly<Record<string, string>>): string {
  const rows = Object.entries(values).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<dl>\n${rows.join('\n')}\n</dl>`;
}

function asTexts(values: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, showNumber(value)]),
  );
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>none</p>';
  const row = (tag: 'th' | 'td', cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  return [
    '<div class="scroll"><table>',
    `<thead>${row('th', columns)}</thead>`,
    '<tbody>',
    ...rows.map((cells) => row('td', cells)),
    '</tbody>',
    '</table></div>',
  ].join('\n');
}

/** A figure a line, an arm a column: what is compared stands side by side. */
function figureTable(arms: EvaluationReport['arms']): string {
  const keys = [...new Set(arms.flatMap(({ figures }) => Object.keys(figures)))];
  return table(
    ['figure', ...arms.map(({ name }) => name)],
    keys.map((key) => [
      key,
      ...arms.map(({ figures }) => {
        const figure = figures[key];
        return figure === undefined ? '–' : showFigure(figure);
      }),
    ]),
  );
}

function plotTable({ xLabel, yLabel, series, categories }: ReportPlot): string {
  const rows = series.flatMap(({ name, points }) =>
    points.map(({ x, y, low, high }) => [
      name,
      categories?.[Math.round(x)] ?? showNumber(x),
      low === null || high === null
        ? showNumber(y)
        : `${showNumber(y)} [${showNumber(low)}, ${showNumber(high)}]`,
    ]),
  );
  return table(['series', xLabel, yLabel], rows);
}
