/** A plot as inline SVG: axes, lines, intervals, a legend. Colours come from the page. */
import type { PlotPoint, ReportPlot } from './evaluation-report.js';
import { escapeHtml } from './escape-html.js';
import { showNumber } from './show-figure.js';

const WIDTH = 720;
const HEIGHT = 340;
const MARGIN = { left: 64, right: 40, top: 16, bottom: 48 };
const LEGEND_LINE = 20;

/** Distinct on white and on black, and by dash where colours are not seen. */
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 4', '10 4'];

/** Colours that the page names `--series-1` and so on. */
export const SERIES_COLOURS = 6;

export function drawPlot(plot: ReportPlot, id: string): string {
  const points = plot.series.flatMap((series) => series.points);
  if (points.length === 0) return '';
  const xs =
    plot.categories === undefined
      ? scaleOf(
          points.map(({ x }) => x),
          MARGIN.left,
          WIDTH - MARGIN.right,
        )
      : categoryScale(plot.categories.length);
  const ys = scaleOf(
    points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y, 0]),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  );
  const height = HEIGHT + plot.series.length * LEGEND_LINE;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-title ${id}-text">`,
    `<title id="${id}-title">${escapeHtml(plot.title)}</title>`,
    `<desc id="${id}-text">${escapeHtml(textOf(plot))}</desc>`,
    ...axes(plot, xs, ys),
    ...plot.series.flatMap(({ name, points: own }, at) => drawSeries(plot, name, own, at, xs, ys)),
    '</svg>',
  ].join('\n');
}

/** The plot in words, for who does not see it. */
export function textOf({ title, xLabel, yLabel, series, categories }: ReportPlot): string {
  const at = (x: number): string => categories?.[Math.round(x)] ?? showNumber(x);
  const told = series.map(({ name, points }) => {
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return `${name}: no points`;
    return `${name}: ${showNumber(first.y)} at ${at(first.x)}, ${showNumber(last.y)} at ${at(last.x)}`;
  });
  return `${title}. ${yLabel} by ${xLabel}. ${told.join('; ')}.`;
}

interface Scale {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Names stand in the middle of their share of the width. */
function categoryScale(count: number): Scale {
  const share = (WIDTH - MARGIN.right - MARGIN.left) / count;
  return {
    place: (value) => round(MARGIN.left + (value + 0.5) * share),
    ticks: Array.from({ length: count }, (_, at) => at),
  };
}

/** Ticks at round numbers; one value alone stands in the middle. */
function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const width = high - low || 1;
  const raw = width / 5;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * unit >= raw) ?? 10) * unit;
  const start = Math.floor(low / step) * step;
  const end = Math.max(start + step, Math.ceil(high / step) * step);
  const count = Math.round((end - start) / step);
  return {
    place: (value) => round(from + ((value - start) / (end - start)) * (to - from)),
    ticks: Array.from({ length: count + 1 }, (_, at) =>
      Number((start + at * step).toPrecision(10)),
    ),
  };
}

function axes({ xLabel, yLabel, categories }: ReportPlot, xs: Scale, ys: Scale): readonly string[] {
  const bottom = HEIGHT - MARGIN.bottom;
  const middle = (MARGIN.left + WIDTH - MARGIN.right) / 2;
  return [
    ...ys.ticks.flatMap((tick) => [
      `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${ys.place(tick)}" y2="${ys.place(tick)}"/>`,
      `<text class="tick" x="${MARGIN.left - 8}" y="${ys.place(tick) + 4}" text-anchor="end">${tick}</text>`,
    ]),
    ...xs.ticks.map(
      (tick) =>
        `<text class="tick" x="${xs.place(tick)}" y="${bottom + 18}" text-anchor="middle">${escapeHtml(categories?.[tick] ?? String(tick))}</text>`,
    ),
    `<line class="axis" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${bottom}" y2="${bottom}"/>`,
    `<text class="label" x="${middle}" y="${HEIGHT - 8}" text-anchor="middle">${escapeHtml(xLabel)}</text>`,
    `<text class="label" transform="translate(14 ${(MARGIN.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escapeHtml(yLabel)}</text>`,
  ];
}

function drawSeries(
  { form }: ReportPlot,
  name: string,
  points: readonly PlotPoint[],
  at: number,
  xs: Scale,
  ys: Scale,
): readonly string[] {
  const colour = `series series-${(at % SERIES_COLOURS) + 1}`;
  const dash = DASHES[at % DASHES.length] ?? '';
  const stroke = dash === '' ? '' : ` stroke-dasharray="${dash}"`;
  const path = points.map(({ x, y }) => `${xs.place(x)},${ys.place(y)}`).join(' ');
  const legend = HEIGHT + at * LEGEND_LINE + 8;
  return [
    ...(form === 'line' ? [`<polyline class="${colour}" points="${path}"${stroke}/>`] : []),
    ...points.flatMap(({ x, y, low, high }) => [
      ...(low === null || high === null || low === high
        ? []
        : [
            `<line class="${colour}" x1="${xs.place(x)}" x2="${xs.place(x)}" y1="${ys.place(low)}" y2="${ys.place(high)}"/>`,
          ]),
      `<circle class="${colour}" cx="${xs.place(x)}" cy="${ys.place(y)}" r="3"/>`,
      ...(form === 'points' && points.length === 1
        ? [
            // Colours alone do not tell points apart.
            nameBeside(name, xs.place(x), labelHeight(ys.place(y), at)),
          ]
        : []),
    ]),
    `<line class="${colour}" x1="${MARGIN.left}" x2="${MARGIN.left + 28}" y1="${legend}" y2="${legend}"${stroke}/>`,
    `<text class="legend" x="${MARGIN.left + 36}" y="${legend + 4}">${escapeHtml(name)}</text>`,
  ];
}

/** Pixels from a point to the foot of its name: neighbours stand above and below. */
const [ABOVE, BELOW, FAR_ABOVE] = [-8, 14, -22];

/** Room that a name keeps from the axis and from the upper end. */
const CLEAR = 8;

/** A name never reaches the axis or leaves the plot: near one of them both neighbours stand on the other side. */
function labelHeight(y: number, at: number): number {
  const isBelow = at % 2 === 1;
  const top = MARGIN.top + CLEAR;
  const bottom = HEIGHT - MARGIN.bottom - CLEAR;
  const wanted = isBelow ? y + BELOW : y + ABOVE;
  if (wanted > bottom) return Math.min(bottom, isBelow ? y + FAR_ABOVE : y + ABOVE);
  return wanted < top ? y + BELOW : wanted;
}

/** On the side where there is room. */
function nameBeside(name: string, x: number, y: number): string {
  const isRight = x > WIDTH / 2;
  const place = `x="${isRight ? x - 7 : x + 7}" y="${y}"${isRight ? ' text-anchor="end"' : ''}`;
  return `<text class="legend" ${place}>${escapeHtml(name)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
