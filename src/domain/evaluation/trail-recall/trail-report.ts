/** Measured compactions of vendors as a report: which files each text still names. */
import {
  type ArmReport,
  EMPTY_REPORT,
  type EvaluationReport,
  type Figure,
  plainFigure,
  type ReportFailure,
} from '../report/evaluation-report.js';
import { showFigure, showNumber } from '../report/show-figure.js';
import { intervalFigure, type Observation, tooFewToRank } from '../statistics/bootstrap.js';
import { medianOf } from '../statistics/median.js';
import {
  FILE_GROUPS,
  type FileGroup,
  type MeasuredBoundary,
  TRAIL_TEXTS,
  type TrailText,
} from './measure-boundary.js';

export interface TrailReportSettings {
  readonly source: string;
  readonly seed: number;
  readonly sources: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly failures: readonly ReportFailure[];
}

export function trailReport(
  boundaries: readonly MeasuredBoundary[],
  { source, seed, sources, versions, failures }: TrailReportSettings,
): EvaluationReport {
  const sessions = [...new Set(boundaries.map(({ session }) => session))];
  const arms = TRAIL_TEXTS.map((text) => armOf(text, boundaries, sessions, seed));
  const touches = boundaries.reduce((sum, { firstTouches }) => sum + firstTouches, 0);
  const reReads = boundaries.reduce((sum, one) => sum + one.reReads, 0);
  const few = tooFewToRank(sessions.length);
  return {
    ...EMPTY_REPORT,
    kind: 'trail',
    question: 'Which files does a summary of the vendor’s size still name?',
    settings: { data: source, seed: String(seed), budget: 'tokens of the vendor’s summary' },
    versions,
    n: {
      sources,
      sessions: sessions.length,
      boundaries: boundaries.length,
      files: boundaries.reduce(
        (sum, { texts }) =>
          sum + (texts[0]?.groups.changed.files ?? 0) + (texts[0]?.groups.read.files ?? 0),
        0,
      ),
      first_touches: touches,
    },
    arms,
    tables: [
      {
        title: 'Files that are named, of all',
        columns: ['text', 'group', 'by name', 'by path', 'median by path'],
        rows: arms.flatMap(({ name, figures }) =>
          FILE_GROUPS.map((group) => [
            name,
            group,
            cell(figures[`${group}_by_name`]),
            cell(figures[`${group}_by_path`]),
            showNumber(figures[`${group}_by_path_median`]?.value ?? null),
          ]),
        ),
      },
      {
        title: 'Texts',
        columns: ['text', 'tokens, median', 'tokens, mean', 'precision'],
        rows: arms.map(({ name, figures }) => [
          name,
          showNumber(figures['tokens_median']?.value ?? null),
          showNumber(Math.round(figures['tokens']?.value ?? 0)),
          cell(figures['precision']),
        ]),
      },
      {
        title: 'After the boundary',
        columns: ['first touches of known files', 'of them read again', 'share'],
        rows: [
          [String(touches), String(reReads), showNumber(touches === 0 ? null : reReads / touches)],
        ],
      },
    ],
    failures,
    warnings: few === null ? [] : [few],
    again: `agents eval trail ${source}`,
  };
}

function cell(figure: Figure | undefined): string {
  return figure === undefined ? '–' : showFigure(figure);
}

/** Shares are of all files together; intervals are over sessions. */
function armOf(
  text: TrailText,
  boundaries: readonly MeasuredBoundary[],
  sessions: readonly string[],
  seed: number,
): ArmReport {
  const own = boundaries.flatMap(({ session, texts }) => {
    const measured = texts.find((one) => one.text === text);
    return measured === undefined ? [] : [{ session, measured }];
  });
  const figures: Record<string, Figure> = {};
  for (const group of FILE_GROUPS) {
    for (const [name, count] of [
      ['by_name', 'byName'],
      ['by_path', 'byPath'],
    ] as const) {
      const observed = sessions.map((session): Observation => {
        const files = own
          .filter((one) => one.session === session)
          .map((one) => one.measured.groups[group]);
        return {
          sum: files.reduce((sum, one) => sum + one[count], 0),
          weight: files.reduce((sum, one) => sum + one.files, 0),
        };
      });
      figures[`${group}_${name}`] = intervalFigure(observed, seed);
      figures[`${group}_${name}_median`] = medianFigure(shares(own, group, count));
    }
  }
  const tokens = own.map(({ measured }) => measured.tokens);
  figures['tokens'] = plainFigure(mean(tokens), tokens.length);
  figures['tokens_median'] = medianFigure(tokens);
  const precisions = own.flatMap(({ measured }) => measured.precision ?? []);
  figures['precision'] = plainFigure(mean(precisions), precisions.length);
  return { name: text, figures };
}

function shares(
  own: readonly { readonly measured: MeasuredBoundary['texts'][number] }[],
  group: FileGroup,
  count: 'byName' | 'byPath',
): readonly number[] {
  return own.flatMap(({ measured: { groups } }) =>
    groups[group].files === 0 ? [] : [groups[group][count] / groups[group].files],
  );
}

function medianFigure(values: readonly number[]): Figure {
  return plainFigure(medianOf(values), values.length);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;
}
