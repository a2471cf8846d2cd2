/** Holds the judge to fixed answers of known worth, before its marks count. */
import { buildJudgeRequest } from '../../domain/evaluation/grading/judge-request.js';
import {
  CHECKED_ANSWERS,
  ERRORS_ALLOWED,
  JUDGE_CASES,
  JUDGE_SUBJECTS,
  judgeVerdict,
  meanMark,
} from '../../domain/evaluation/grading/judge-check.js';
import { EMPTY_REPORT, plainFigure } from '../../domain/evaluation/report/evaluation-report.js';
import { showNumber } from '../../domain/evaluation/report/show-figure.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest } from '../../domain/kernel/measures.js';
import type { RunOutcome } from './evaluation-runs.js';
import type { Evaluators, Judgement } from './ports.js';

export class JudgeCheckService {
  constructor(
    private readonly evaluators: Evaluators,
    private readonly digest: Digest,
  ) {}

  /** Name and prompt of the judge. @throws OssatureError MODEL_UNAVAILABLE where there is none. */
  requireJudge(): { readonly name: string; readonly promptVersion: string } {
    const { judge } = this.evaluators;
    if (judge !== null) return judge;
    throw new OssatureError(
      'MODEL_UNAVAILABLE',
      'There is no judge to check: no model is configured. Configure one first.',
    );
  }

  /** @throws OssatureError MODEL_UNAVAILABLE where there is no judge, before any work. */
  async check(signal: AbortSignal): Promise<RunOutcome & { readonly passed: boolean }> {
    const { name, promptVersion } = this.requireJudge();
    const worth = new Map<string, number | null>();
    const usage: Record<string, number> = {};
    const failures: { what: string; reason: string; count: number }[] = [];
    for (const { subject, probe, context, answer, text } of this.#shuffled()) {
      const judgement: Judgement | undefined = await this.evaluators.judge
        ?.work(buildJudgeRequest(probe, text, context), signal)
        .catch((error: unknown) => ({
          outcome: 'failed' as const,
          reason: error instanceof Error ? error.message : String(error),
          usage: {},
        }));
      for (const [kind, tokens] of Object.entries(judgement?.usage ?? {})) {
        usage[kind] = (usage[kind] ?? 0) + tokens;
      }
      const isJudged = judgement?.outcome === 'judged';
      worth.set(`${subject} ${answer}`, isJudged ? meanMark(judgement.marks) : null);
      if (judgement === undefined || isJudged) continue;
      failures.push({
        what: `${judgement.outcome}: ${subject}, ${answer}`,
        reason: judgement.reason,
        count: 1,
      });
    }
    const { passed, errors } = judgeVerdict(
      (subject, answer) => worth.get(`${subject} ${answer}`) ?? null,
    );
    const right = JUDGE_CASES.length - errors.length;
    return {
      passed,
      timing: {},
      report: {
        ...EMPTY_REPORT,
        kind: 'judge-check',
        question: 'Does the judge order answers of known worth?',
        settings: { errors_allowed: String(ERRORS_ALLOWED) },
        versions: { judge: `${name}, prompt ${promptVersion}` },
        n: { cases: JUDGE_CASES.length, answers: worth.size, unreadable: failures.length },
        arms: [
          {
            name: 'judge',
            figures: {
              right: plainFigure(right, JUDGE_CASES.length),
              passed: plainFigure(passed ? 1 : 0, 1),
            },
          },
        ],
        tables: [
          {
            title: 'Mean marks',
            columns: ['subject', ...CHECKED_ANSWERS],
            rows: JUDGE_SUBJECTS.map(({ subject }) => [
              subject,
              ...CHECKED_ANSWERS.map((one) =>
                showNumber(worth.get(`${subject} ${one}`) ?? null, 2),
              ),
            ]),
          },
          {
            title: 'Errors',
            columns: ['subject', 'must be', 'than'],
            rows: errors.map(({ subject, first, relation, second }) => [
              subject,
              `${first} ${relation}`,
              second,
            ]),
          },
        ],
        failures,
        costs: usage,
        warnings: passed ? [] : ['The judge failed the check: its marks are not to be counted.'],
        again: 'agents eval judge-check',
      },
    };
  }

  /** In an order that tells nothing of their worth. */
  #shuffled() {
    return JUDGE_SUBJECTS.flatMap((one) =>
      CHECKED_ANSWERS.map((answer) => ({ ...one, answer, text: one.answers[answer] })),
    )
      .map((one) => ({ ...one, place: this.digest(`${one.subject} ${one.answer}`) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1));
  }
}
