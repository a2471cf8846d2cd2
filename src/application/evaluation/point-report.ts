/** One point as a report, from what is stored of the run. */
import type { ProbeSet } from '../../domain/evaluation/probe.js';
import type { EvaluationRun } from '../../domain/evaluation/repositories.js';
import type {
  EvaluationReport,
  ReportFailure,
} from '../../domain/evaluation/report/evaluation-report.js';
import { runReport } from '../../domain/evaluation/run-report/run-report.js';
import { entryTokens, sizeOf } from './point-sizes.js';
import { type ProbeEvaluationParts, QUOTES } from './probe-parts.js';
import type { ReadPoint } from './read-point.js';
import type { ArmContext } from './shrink-prefix.js';

/** What the store does not know of a run. */
export interface ToldOfRun {
  readonly question: string;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly contexts: readonly ArmContext[];
  readonly failures: readonly ReportFailure[];
  readonly warnings: readonly string[];
  readonly again: string;
  readonly seed: number;
}

export async function reportOn(
  { repositories: { evaluations } }: Pick<ProbeEvaluationParts, 'repositories'>,
  { tenantId, runId, kind }: EvaluationRun,
  point: ReadPoint,
  { probes, missing }: Pick<ProbeSet, 'probes' | 'missing'>,
  { contexts, settings, ...told }: ToldOfRun,
): Promise<EvaluationReport> {
  return runReport({
    ...told,
    kind,
    settings: Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, String(value)]),
    ),
    probes,
    answers: await evaluations.listAnswers(tenantId, runId),
    marks: await evaluations.listMarks(tenantId, runId),
    judgements: await evaluations.listJudgements(tenantId, runId),
    sizes: contexts.map((context) => sizeOf(point, context)),
    entryTokens: entryTokens([point]),
    missing,
    quotes: QUOTES,
  });
}
