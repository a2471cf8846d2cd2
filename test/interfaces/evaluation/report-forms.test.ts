/** A report in its three forms: equal bytes, one file, no network, and a published shape. */
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { drawPlot } from '../../../src/domain/evaluation/report/draw-plot.js';
import { renderHtml } from '../../../src/domain/evaluation/report/render-html.js';
import { renderMarkdown } from '../../../src/domain/evaluation/report/render-markdown.js';
import { reportHead, withoutQuotes } from '../../../src/domain/evaluation/report/report-head.js';
import {
  reportDocument,
  reportSchema,
} from '../../../src/interfaces/evaluation/report-document.js';
import { aReport } from '../../contracts/evaluation-values.js';

const REPORT = aReport({
  question: 'Does <b>it</b> hold?',
  quotes: [{ label: 'q', text: 'a secret of the session <script>alert(1)</script>' }],
  plots: [
    {
      title: 'Curve',
      xLabel: 'cycle',
      yLabel: 'share',
      form: 'line',
      series: [
        { name: 'ours', points: [1, 2, 3].map((x) => ({ x, y: 1 / x, low: 0.1, high: 1 })) },
      ],
    },
  ],
});
const HEAD = reportHead('01J8ZQ4Q2M7V0C3K5T9N6R1W8X', new Date(0), { elapsed_ms: 7 });

/** A browser of this machine, on its path or in the usual places, where there is one. */
const BROWSER = [
  process.env['CHROMIUM_PATH'] ?? '',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
].find((name) => name !== '' && spawnSync(name, ['--version']).status === 0);

describe('a report', () => {
  const html = renderHtml(REPORT, HEAD);

  it('is equal bytes for an equal run, in every form', () => {
    expect(renderHtml(REPORT, HEAD)).toBe(html);
    expect(renderMarkdown(REPORT, HEAD)).toBe(renderMarkdown(REPORT, HEAD));
    expect(reportDocument(REPORT, HEAD)).toEqual(reportDocument(REPORT, HEAD));
  });

  it('as HTML asks the network for nothing, runs nothing, and shows texts as they are', () => {
    expect(html).not.toMatch(/<script|<link|<img|<iframe|src=|href=|url\(|@import|https?:/i);
    expect(html).toContain('Does &lt;b&gt;it&lt;/b&gt; hold?');
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).toContain('@media print');
  });

  it('as HTML has a title, a text and a table for each plot', () => {
    expect(html).toMatch(/<svg [^>]*role="img" aria-labelledby="plot-1-title plot-1-text">/);
    expect(html).toContain('<title id="plot-1-title">Curve</title>');
    expect(html).toContain('Curve. share by cycle. ours: 1 at 1, 0.333 at 3.');
    expect(html).toContain('<tr><td>ours</td><td>2</td><td>0.500 [0.100, 1]</td></tr>');
    const opened = html.match(/<(section|table|dl|svg|main)[ >]/g)?.length;
    expect(html.match(/<\/(section|table|dl|svg|main)>/g)?.length).toBe(opened);
  });

  it('says nothing of the session where quotes are left out', () => {
    for (const text of [
      renderHtml(withoutQuotes(REPORT), HEAD),
      renderMarkdown(withoutQuotes(REPORT), HEAD),
      JSON.stringify(reportDocument(withoutQuotes(REPORT), HEAD)),
    ]) {
      expect(text).not.toContain('a secret of the session');
    }
  });

  it('as Markdown holds time in one line and breaks no table', () => {
    const markdown = renderMarkdown(REPORT, HEAD);
    expect(markdown.match(/1970-01-01/g)).toHaveLength(1);
    expect(markdown).toContain('| ours | 2 | 0.500 \\[0.100, 1\\] |');
  });

  it('says when the run ended and what it took in words with their units', () => {
    const { time } = reportHead('R', new Date(0), {
      elapsed_ms: 7.123_4,
      ours_ms_per_question: 12,
      questions: 3,
    });
    expect(time).toBe(
      '1970-01-01 00:00:00 UTC, elapsed 7.12 ms, ours 12 ms per question, questions 3',
    );
  });

  it('keeps the names of points off the axis and inside of the plot', () => {
    const names = ['none', 'least', 'all', 'most'];
    const svg = drawPlot(
      {
        title: 'Quality',
        xLabel: 'tokens',
        yLabel: 'share',
        form: 'points',
        series: [0, 0, 1, 1].map((y, at) => ({
          name: names[at] ?? '',
          points: [{ x: 100 + at, y, low: null, high: null }],
        })),
      },
      'plot',
    );
    const axis = Number(/class="axis"[^>]* y1="([\d.]+)"/.exec(svg)?.[1]);
    const places = names.map((name) =>
      Number(
        new RegExp(`<text class="legend" x="[\\d.]+" y="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1],
      ),
    );
    for (const place of places) {
      expect(place).toBeLessThanOrEqual(axis - 8);
      expect(place).toBeGreaterThan(12);
    }
  });

  it('as JSON has the shape that is published', () => {
    const published = JSON.parse(
      readFileSync('docs/evaluation-report.schema.json', 'utf8'),
    ) as unknown;
    expect(published).toEqual(z.toJSONSchema(reportSchema));
  });
});

const describeWithBrowser = BROWSER === undefined ? describe.skip : describe;

/** Told by the page itself, through its title; only in the copy that the test opens. */
const MEASURE = `<script>
const style = getComputedStyle(document.body);
document.title = JSON.stringify({
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  resources: performance.getEntriesByType('resource').length,
  text: style.color, page: style.backgroundColor,
  hidden: [...document.querySelectorAll('h1, h2, td, dd')].filter((one) => one.getBoundingClientRect().height === 0).length,
});
</script>`;

interface Measured {
  readonly overflow: number;
  readonly resources: number;
  readonly text: string;
  readonly page: string;
  readonly hidden: number;
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.039_28 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describeWithBrowser('a report in a browser', () => {
  it.each([
    { rule: 'in light, wide', size: '1280,900', scheme: '1' },
    { rule: 'in light, on a phone', size: '500,900', scheme: '1' },
    { rule: 'in dark, wide', size: '1280,900', scheme: '0' },
    { rule: 'in dark, on a phone', size: '500,900', scheme: '0' },
  ])(
    '$rule: all is there, in contrast, and nothing overflows or is fetched',
    ({ size, scheme }) => {
      const folder = mkdtempSync(join(tmpdir(), 'ossature-report-'));
      const file = join(folder, 'report.html');
      writeFileSync(file, renderHtml(REPORT, HEAD).replace('</body>', `${MEASURE}</body>`));
      const argv = [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--user-data-dir=${join(folder, 'profile')}`,
        `--window-size=${size}`,
        `--blink-settings=preferredColorScheme=${scheme}`,
        '--dump-dom',
        `file://${file}`,
      ];
      const { stdout } = spawnSync(BROWSER ?? '', argv, { encoding: 'utf8', timeout: 60_000 });
      rmSync(folder, { recursive: true, force: true });
      expect(stdout).toContain('<polyline');
      expect(stdout.match(/<circle/g)).toHaveLength(3);
      const title = /<title>(\{.*?\})<\/title>/.exec(stdout)?.[1] ?? '{}';
      const measured = JSON.parse(title.replaceAll('&quot;', '"')) as Measured;
      expect(measured).toMatchObject({ overflow: 0, resources: 0, hidden: 0 });
      expect(contrast(measured.text, measured.page)).toBeGreaterThan(7);
      expect(contrast(measured.page, 'rgb(0, 0, 0)') > 10).toBe(scheme === '1');
    },
  );
});
