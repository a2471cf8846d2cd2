/** One answer before the judge: marks, or why there are none. */
import { buildJudgeRequest } from '../../domain/evaluation/grading/judge-request.js';
import type { Mark } from '../../domain/evaluation/grading/mark.js';
import type { Probe } from '../../domain/evaluation/probe.js';
import type { EvaluationUsage, Evaluator, JudgeAnswer, Judgement } from './ports.js';

export interface JudgedOnce {
  readonly outcome: Judgement['outcome'];
  /** Null where it was judged. */
  readonly reason: string | null;
  /** None where it was not. */
  readonly marks: readonly Mark[];
  readonly usage: EvaluationUsage;
}

/** A judgement that cannot be read, or does not come, leaves no mark; what the judge throws counts as one. */
export async function judgeOnce(
  judge: Evaluator<JudgeAnswer>,
  probe: Pick<Probe, 'question' | 'type' | 'facts'>,
  answer: string,
  context: string,
  signal: AbortSignal,
): Promise<JudgedOnce> {
  const judgement: Judgement = await judge
    .work(buildJudgeRequest(probe, answer, context), signal)
    .catch((error: unknown) => ({
      outcome: 'failed',
      reason: error instanceof Error ? error.message : String(error),
      usage: {},
    }));
  const { outcome, usage } = judgement;
  return judgement.outcome === 'judged'
    ? { outcome, reason: null, marks: judgement.marks, usage }
    : { outcome, reason: judgement.reason, marks: [], usage };
}
