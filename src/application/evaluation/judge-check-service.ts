/** Holds the judge to fixed answers of known worth, before its marks count. */
import {
  type CheckedAnswer,
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
import type { EvaluationRun } from '../../domain/evaluation/repositories.js';
import type { AskingParts } from './ask-point.js';
import type { RunOutcome } from './evaluation-runs.js';
import { judgeOnce } from './judge-once.js';
import type { Evaluators } from './ports.js';

export class JudgeCheckService {
  constructor(
    private readonly evaluators: Evaluators,
    private readonly parts: AskingParts,
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

  /**
   * What was judged in an interrupted check is not asked again.
   *
   * @throws OssatureError MODEL_UNAVAILABLE where there is no judge, before any work.
   */
  async check(
    run: Pick<EvaluationRun, 'tenantId' | 'runId'>,
    signal: AbortSignal,
  ): Promise<RunOutcome & { readonly passed: boolean }> {
    const { name, promptVersion } = this.requireJudge();
    await this.#judgeAll(run, signal);
    const { evaluations } = this.parts.repositories;
    const judgements = await evaluations.listJudgements(run.tenantId, run.runId);
    const marks = await evaluations.listMarks(run.tenantId, run.runId);
    const worth = new Map(
      judgements.map(({ probeId, outcome }) => [
        probeId,
        outcome === 'judged' ? meanMark(marks.filter((mark) => mark.probeId === probeId)) : null,
      ]),
    );
    const usage: Record<string, number> = {};
    for (const [kind, tokens] of judgements.flatMap((one) => Object.entries(one.usage))) {
      usage[kind] = (usage[kind] ?? 0) + tokens;
    }
    const failures = judgements.flatMap(({ probeId, outcome, reason }) =>
      reason === null ? [] : [{ what: `${outcome}: ${probeId}`, reason, count: 1 }],
    );
    const { passed, errors } = judgeVerdict(
      (subject, answer) => worth.get(placeOf(subject, answer)) ?? null,
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
                showNumber(worth.get(placeOf(subject, one)) ?? null, 2),
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

  /** Each fixed answer is stored before the judge is asked about it, and what came of it behind. */
  async #judgeAll(
    { tenantId, runId }: Pick<EvaluationRun, 'tenantId' | 'runId'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { judge } = this.evaluators;
    const { repositories, unitOfWork, clock } = this.parts;
    if (judge === null) return;
    const known = await repositories.evaluations.listAnswers(tenantId, runId);
    const stored = new Set(known.map(({ probeId }) => probeId));
    const judgements = await repositories.evaluations.listJudgements(tenantId, runId);
    const judged = new Set(judgements.map(({ probeId }) => probeId));
    for (const { subject, probe, context, answer, text } of this.#shuffled()) {
      const probeId = placeOf(subject, answer);
      const place = { arm: 'fixed', sessionId: 'judge-check', cycle: 0, probeId };
      if (!stored.has(probeId)) {
        const given = { ...place, text, reason: null, survival: null, findings: [] };
        const told = { answerer: 'fixed', promptVersion: null, usage: {}, answeredAt: clock() };
        await unitOfWork((bound) =>
          bound.evaluations.addAnswers(tenantId, runId, [{ ...given, ...told }], []),
        );
      }
      if (judged.has(probeId)) continue;
      const { marks, ...judgement } = await judgeOnce(judge, probe, text, context, signal);
      signal.throwIfAborted();
      const { name, promptVersion } = judge;
      const asked = { ...place, judgeRun: 1, judge: name, promptVersion, judgedAt: clock() };
      await unitOfWork((bound) =>
        bound.evaluations.addJudgement(
          tenantId,
          runId,
          { ...asked, ...judgement },
          marks.map((mark) => ({ ...place, judgeRun: 1, ...mark })),
        ),
      );
    }
  }

  /** In an order that tells nothing of their worth. */
  #shuffled() {
    return JUDGE_SUBJECTS.flatMap((one) =>
      CHECKED_ANSWERS.map((answer) => ({ ...one, answer, text: one.answers[answer] })),
    )
      .map((one) => ({ ...one, place: this.parts.digest(placeOf(one.subject, one.answer)) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1));
  }
}

function placeOf(subject: string, answer: CheckedAnswer): string {
  return `${subject}, ${answer}`;
}
