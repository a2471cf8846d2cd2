/** What a rendered report says beside the report: whose it is, and when it was made. */
import type { EvaluationReport } from './evaluation-report.js';

export interface ReportHead {
  readonly runId: string;
  /** When it ended and how long it took, in words; the one place where time stands. */
  readonly time: string;
}

export function reportHead(
  runId: string,
  finishedAt: Date,
  timing: Readonly<Record<string, number>>,
): ReportHead {
  const ended = finishedAt.toISOString();
  const took = Object.entries(timing).map(([name, value]) => inWords(name, value));
  return { runId, time: [`${ended.slice(0, 10)} ${ended.slice(11, 19)} UTC`, ...took].join(', ') };
}

/** `ours_ms_per_question` 7 is "ours 7 ms per question"; a name without a unit is told as it is. */
function inWords(name: string, value: number): string {
  const [, what = name, unit = '', per = ''] = /^(.+?)_(ms|s|us)((?:_per_\w+)?)$/.exec(name) ?? [];
  const sign = unit === 'us' ? 'µs' : unit;
  return `${what} ${Number(value.toPrecision(3))} ${sign}${per}`.replaceAll('_', ' ').trim();
}

/** The report without a word of the session. */
export function withoutQuotes(report: EvaluationReport): EvaluationReport {
  return { ...report, quotes: [] };
}
