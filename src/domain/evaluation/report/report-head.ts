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
  const took = Object.entries(timing).map(([name, value]) => `${name} ${value}`);
  return { runId, time: [finishedAt.toISOString(), ...took].join(', ') };
}

/** The report without a word of the session. */
export function withoutQuotes(report: EvaluationReport): EvaluationReport {
  return { ...report, quotes: [] };
}
