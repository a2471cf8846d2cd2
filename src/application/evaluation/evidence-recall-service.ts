/** Evidence recall over a stream of cases, one at a time, with the time of each arm. */
import { EVIDENCE_ARMS, type EvidenceArm } from '../../domain/evaluation/evidence/evidence-task.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { EvidenceTask } from '../../domain/evaluation/evidence/evidence-task.js';
import type { EvidenceCase } from '../../domain/evaluation/evidence/evidence-case.js';
import {
  costsOfCase,
  type MeasuredCase,
  measureCase,
} from '../../domain/evaluation/evidence/evidence-recall.js';
import { evidenceReport } from '../../domain/evaluation/evidence/evidence-report.js';
import type {
  EvaluationReport,
  ReportFailure,
} from '../../domain/evaluation/report/evaluation-report.js';
import { type BlindPassParts, blindPasses } from './blind-pass.js';

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
    private readonly parts: BlindPassParts,
    private readonly score: FragmentScorer,
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
    let unmade = 0;
    for await (const one of lines) {
      if ('fault' in one) {
        unreadable.push({ what: `line ${one.line}`, reason: one.fault, count: 1 });
        continue;
      }
      const passes =
        task === 'blind' && arms.includes('ours')
          ? await this.#passes(one.evidence, budgets, spent)
          : null;
      if (passes !== null) unmade += budgets.length - passes.made;
      const measured = measureCase(one.evidence, {
        task,
        arms: arms.filter((arm) => task === 'aware' || arm !== 'bm25'),
        budgets,
        ...(passes === null ? {} : { passes: passes.passes }),
        counter: this.parts.counter,
        score: this.score,
        onArm: (arm, event) => {
          const now = this.parts.clock().getTime();
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
    if (unmade > 0) {
      const reason = 'no pass comes down to the budget; the newest turns stand for it';
      unreadable.push({ what: 'pass of ours', reason, count: unmade });
    }
    const versions = { counter: `${this.parts.counter.name}@${this.parts.counter.version}` };
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

  /** Passes of one case, by budget in tokens; their time is that of `ours`. */
  async #passes(
    evidence: EvidenceCase,
    budgets: readonly number[],
    spent: Map<EvidenceArm, number>,
  ) {
    const began = this.parts.clock().getTime();
    const { costs, budgetsTokens } = costsOfCase(evidence, budgets, this.parts.counter);
    const passes = await blindPasses(evidence.turns, costs, budgetsTokens, this.parts);
    spent.set('ours', (spent.get('ours') ?? 0) + this.parts.clock().getTime() - began);
    return { passes, made: budgetsTokens.filter((budget) => passes.has(budget)).length };
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
