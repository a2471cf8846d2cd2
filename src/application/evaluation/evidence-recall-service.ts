/** Evidence recall over a stream of cases, one at a time, with the time of each arm. */
import { EVIDENCE_ARMS, type EvidenceArm } from '../../domain/evaluation/evidence/evidence-task.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { EvidenceTask } from '../../domain/evaluation/evidence/evidence-task.js';
import type { EvidenceCase } from '../../domain/evaluation/evidence/evidence-case.js';
import {
  type MeasuredCase,
  measureCase,
} from '../../domain/evaluation/evidence/evidence-recall.js';
import { evidenceReport } from '../../domain/evaluation/evidence/evidence-report.js';
import type {
  EvaluationReport,
  ReportFailure,
} from '../../domain/evaluation/report/evaluation-report.js';
import type { Clock } from '../ports/system.js';

/** A case, or why a line is none. */
export type EvidenceLine =
  | { readonly line: number; readonly evidence: EvidenceCase }
  | { readonly line: number; readonly fault: string };

export interface EvidenceRequest {
  readonly lines: AsyncIterable<EvidenceLine>;
  /** Names the data in the report. */
  readonly source: string;
  readonly task: EvidenceTask;
  readonly arms?: readonly EvidenceArm[];
  /** In percent of a case's tokens, above 0 and at most 100. */
  readonly budgets: readonly number[];
  readonly seed: number;
  readonly isTuningData: boolean;
}

export interface MeasuredEvidence {
  readonly report: EvaluationReport;
  /** Milliseconds per question, by arm. */
  readonly timing: Readonly<Record<string, number>>;
}

export class EvidenceRecallService {
  constructor(
    private readonly counter: TokenCounter,
    private readonly score: FragmentScorer,
    private readonly clock: Clock,
  ) {}

  /** @throws OssatureError INVALID_INPUT where a budget is out of bounds or no line is usable. */
  async measure(request: EvidenceRequest): Promise<MeasuredEvidence> {
    const { lines, task, budgets, seed, source, isTuningData, arms = EVIDENCE_ARMS } = request;
    requireBudgets(budgets);
    const cases: MeasuredCase[] = [];
    const unreadable: ReportFailure[] = [];
    const spent = new Map<EvidenceArm, number>();
    let began = 0;
    let questions = 0;
    for await (const one of lines) {
      if ('fault' in one) {
        unreadable.push({ what: `line ${one.line}`, reason: one.fault, count: 1 });
        continue;
      }
      const measured = measureCase(one.evidence, {
        task,
        arms: arms.filter((arm) => task === 'aware' || arm !== 'bm25'),
        budgets,
        counter: this.counter,
        score: this.score,
        onArm: (arm, event) => {
          const now = this.clock().getTime();
          if (event === 'begins') began = now;
          else spent.set(arm, (spent.get(arm) ?? 0) + now - began);
        },
      });
      questions += measured.tallies[0]?.questions ?? 0;
      cases.push(measured);
    }
    if (questions === 0) {
      throw new OssatureError('INVALID_INPUT', nothingUsable(source, unreadable), {
        details: { source, unreadable },
      });
    }
    const versions = { counter: `${this.counter.name}@${this.counter.version}` };
    return {
      report: evidenceReport(cases, {
        task,
        arms,
        budgets,
        seed,
        isTuningData,
        source,
        versions,
        unreadable,
      }),
      timing: Object.fromEntries(
        [...spent].map(([arm, milliseconds]) => [
          `${arm}_ms_per_question`,
          Math.round((1000 * milliseconds) / questions) / 1000,
        ]),
      ),
    };
  }
}

function requireBudgets(budgets: readonly number[]): void {
  const wrong = budgets.find((budget) => !(budget > 0 && budget <= 100));
  if (budgets.length > 0 && wrong === undefined) return;
  throw new OssatureError(
    'INVALID_INPUT',
    `A budget is a percentage above 0 and at most 100, not ${wrong ?? 'none at all'}.`,
    { details: { field: 'budgets' } },
  );
}

function nothingUsable(source: string, unreadable: readonly ReportFailure[]): string {
  const [first] = unreadable;
  const why = first === undefined ? 'no question has evidence' : `${first.what}: ${first.reason}`;
  return `Nothing in ${source} can be measured (${why}). Give JSONL, one case a line, with case_id, turns and questions.`;
}
