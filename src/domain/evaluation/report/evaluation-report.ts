/**
 * A report as a value: what every kind of run says of itself, in one shape, so that each form of it is
 * written once. It holds no time and no id: the same run gives the same report, byte for byte. Where
 * time matters it stands in `timing` of the stored run, and nowhere else.
 */

export const RUN_KINDS = [
  'run',
  'plant',
  'compare',
  'evidence',
  'trail',
  'grade',
  'judge-check',
] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** A number with its interval of 95 % and what it was measured on. */
export interface Figure {
  /** Null where it could not be measured. */
  readonly value: number | null;
  /** Null: there is no interval. */
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
}

export interface ArmReport {
  readonly name: string;
  /** By name; `agents eval … --assert ARM.NAME>=VALUE` asks for them. */
  readonly figures: Readonly<Record<string, Figure>>;
}

export interface ReportTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface PlotSeries {
  readonly name: string;
  /** Ascending in `x`. */
  readonly points: readonly PlotPoint[];
}

export interface ReportPlot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** `line`: points are joined. `points`: each stands by itself. */
  readonly form: 'line' | 'points';
  /** Names of `x` 0, 1, 2 and so on; left out: `x` is a number. */
  readonly categories?: readonly string[];
  readonly series: readonly PlotSeries[];
}

export interface NotAssessed {
  readonly criterion: string;
  readonly reason: string;
  readonly count: number;
}

export interface ReportFailure {
  readonly what: string;
  readonly reason: string;
  readonly count: number;
}

/** A short redacted stretch of the session; left out of every form with `--no-quotes`. */
export interface ReportQuote {
  readonly label: string;
  readonly text: string;
}

export interface EvaluationReport {
  readonly kind: RunKind;
  /** What the run was to find out, in one sentence. */
  readonly question: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Of whatever the figures depend on: counter, prompts, models. */
  readonly versions: Readonly<Record<string, string>>;
  /** How much of what: sessions, points, probes, answers, unreadable marks, failed passes. */
  readonly n: Readonly<Record<string, number>>;
  readonly arms: readonly ArmReport[];
  readonly tables: readonly ReportTable[];
  readonly plots: readonly ReportPlot[];
  readonly notAssessed: readonly NotAssessed[];
  readonly failures: readonly ReportFailure[];
  /** Tokens and calls, by name. */
  readonly costs: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly quotes: readonly ReportQuote[];
  /** The command that makes it again. */
  readonly again: string;
}

/** What a report has where a kind of run has nothing to say. */
export const EMPTY_REPORT = {
  settings: {},
  versions: {},
  n: {},
  arms: [],
  tables: [],
  plots: [],
  notAssessed: [],
  failures: [],
  costs: {},
  warnings: [],
  quotes: [],
} as const satisfies Partial<EvaluationReport>;

export function plainFigure(value: number | null, n: number): Figure {
  return { value, low: null, high: null, n };
}
