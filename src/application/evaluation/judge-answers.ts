/** One answer before the judge, once or several times. */
import { buildJudgeRequest } from '../../domain/evaluation/grading/judge-request.js';
import type { Mark } from '../../domain/evaluation/grading/mark.js';
import type { Probe } from '../../domain/evaluation/probe.js';
import type { ReportFailure } from '../../domain/evaluation/report/evaluation-report.js';
import type { EvaluationUsage, Evaluator, JudgeAnswer, Judgement } from './ports.js';

export interface JudgedAnswer {
  readonly marks: readonly (Mark & { readonly judgeRun: number })[];
  readonly failures: readonly ReportFailure[];
  readonly usage: EvaluationUsage;
}

/** A judgement that cannot be read, or does not come, leaves no mark and is counted. */
export async function judgeAnswers(
  judge: Evaluator<JudgeAnswer>,
  probe: Probe,
  answer: string,
  context: string,
  judgeRuns: number,
  signal: AbortSignal,
): Promise<JudgedAnswer> {
  const request = buildJudgeRequest(probe, answer, context);
  const marks: (Mark & { readonly judgeRun: number })[] = [];
  const failures: ReportFailure[] = [];
  const usage: Record<string, number> = {};
  for (let judgeRun = 1; judgeRun <= judgeRuns; judgeRun += 1) {
    const judgement: Judgement = await judge.work(request, signal).catch((error: unknown) => ({
      outcome: 'failed',
      reason: error instanceof Error ? error.message : String(error),
      usage: {},
    }));
    for (const [name, tokens] of Object.entries(judgement.usage)) {
      usage[name] = (usage[name] ?? 0) + tokens;
    }
    if (judgement.outcome === 'judged') {
      marks.push(...judgement.marks.map((mark) => ({ ...mark, judgeRun })));
    } else {
      const what = judgement.outcome === 'unreadable' ? 'unreadable judgement' : 'judgement';
      failures.push({ what: `${what} of ${probe.probeId}`, reason: judgement.reason, count: 1 });
    }
  }
  return { marks, failures, usage };
}
