/**
 * The questions of one point, put to every arm there: answered first, then judged. Each answer and each
 * judgement is stored as soon as it is there, so that an interrupted run goes on and asks nothing twice.
 */
import { gradeAnswer, type GradingTexts } from '../../domain/evaluation/grading/grade-answer.js';
import { BLOB_LINE } from '../../domain/evaluation/grading/judge-request.js';
import type { Probe } from '../../domain/evaluation/probe.js';
import { knownPathsOf } from '../../domain/evaluation/probes/artifact-drafts.js';
import type {
  AnswerPlace,
  EvaluationRepository,
  EvaluationRun,
  StoredAnswer,
  StoredMark,
} from '../../domain/evaluation/repositories.js';
import {
  ContextTexts,
  type SurvivingContext,
  survivalOf,
} from '../../domain/evaluation/survival.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { renderUnit } from '../../domain/session/render-unit.js';
import { KnownTexts } from '../../domain/session/summary/identifiers.js';
import type { Clock } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { judgeOnce } from './judge-once.js';
import type { AnswerProbe, Evaluator, JudgeAnswer } from './ports.js';
import type { ReadPoint } from './read-point.js';

export interface AskedArm {
  readonly arm: string;
  /** Null where it cannot be looked into. */
  readonly context: SurvivingContext | null;
}

export interface AskedPoint {
  readonly run: EvaluationRun;
  readonly point: ReadPoint;
  readonly arms: readonly AskedArm[];
  readonly probes: readonly Probe[];
  /** Null: survival alone is measured. */
  readonly answerer: Evaluator<AnswerProbe> | null;
  /** Null: nobody judges. */
  readonly judge: Evaluator<JudgeAnswer> | null;
  /** How often each answer is judged. */
  readonly judgeRuns: number;
}

export interface AskingParts {
  readonly repositories: { readonly evaluations: EvaluationRepository };
  readonly unitOfWork: UnitOfWork<'evaluations'>;
  readonly digest: Digest;
  readonly clock: Clock;
}

/** Stops at once where the signal is aborted: what was not answered by then is asked the next time. */
export async function askPoint(
  asked: AskedPoint,
  parts: AskingParts,
  signal: AbortSignal,
): Promise<void> {
  await answerProbes(asked, parts, signal);
  await judgeAnswers(asked, parts, signal);
}

async function answerProbes(
  { run, point, arms, probes, answerer }: AskedPoint,
  parts: AskingParts,
  signal: AbortSignal,
): Promise<void> {
  const { evaluations } = parts.repositories;
  const stored = await evaluations.listAnswers(run.tenantId, run.runId);
  const answered = new Set(stored.map(keyOf));
  const texts = gradingTexts(point);
  for (const { arm, context } of arms) {
    const ready = context === null ? null : new ContextTexts(context, point.session.projectRoot);
    for (const probe of probes) {
      const place = placeOf(arm, point, probe);
      if (answered.has(keyOf(place))) continue;
      const answer =
        answerer === null
          ? null
          : await answerer
              .work({ question: probe.question, context: shownContext(context) }, signal)
              .catch(failed);
      signal.throwIfAborted();
      const text = answer?.outcome === 'answered' ? answer.text : null;
      const why = answer?.outcome === 'failed' ? answer.reason : 'no answerer';
      await storeAnswer(parts, run, probe, texts, {
        ...place,
        text,
        reason: text === null ? why : null,
        survival:
          ready === null
            ? null
            : Object.fromEntries(probe.facts.map((fact) => [fact.factId, survivalOf(fact, ready)])),
        answerer: answerer?.name ?? null,
        promptVersion: answerer?.promptVersion ?? null,
        usage: answer?.usage ?? {},
        answeredAt: parts.clock(),
      });
    }
  }
}

/** In an order that tells nothing of whose they are: that of the digests of their places. */
async function judgeAnswers(
  { run, point, arms, probes, judge, judgeRuns }: AskedPoint,
  { repositories: { evaluations }, unitOfWork, digest, clock }: AskingParts,
  signal: AbortSignal,
): Promise<void> {
  if (judge === null) return;
  const { tenantId, runId } = run;
  const contexts = new Map(arms.map(({ arm, context }) => [arm, shownContext(context)]));
  const known = new Map(probes.map((probe) => [probe.probeId, probe]));
  const done = new Set((await evaluations.listJudgements(tenantId, runId)).map(judgementKey));
  const { sessionId } = point.session;
  const { cycle } = point.cycle;
  const answers = (await evaluations.listAnswers(tenantId, runId))
    .filter((answer) => answer.sessionId === sessionId && answer.cycle === cycle)
    .map((answer) => ({ answer, order: digest(keyOf(answer)) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  for (let judgeRun = 1; judgeRun <= judgeRuns; judgeRun += 1) {
    for (const { answer } of answers) {
      const { arm, probeId, text } = answer;
      const [probe, context] = [known.get(probeId), contexts.get(arm)];
      const place = { arm, sessionId, cycle, probeId, judgeRun };
      if (text === null || probe === undefined || context === undefined) continue;
      if (done.has(judgementKey(place))) continue;
      const { marks, ...judgement } = await judgeOnce(judge, probe, text, context, signal);
      signal.throwIfAborted();
      await unitOfWork((bound) =>
        bound.evaluations.addJudgement(
          tenantId,
          runId,
          {
            ...place,
            ...judgement,
            judge: judge.name,
            promptVersion: judge.promptVersion,
            judgedAt: clock(),
          },
          marks.map((mark) => ({ ...place, ...mark })),
        ),
      );
    }
  }
}

/** With the grader's marks. */
export async function storeAnswer(
  { unitOfWork }: Pick<AskingParts, 'unitOfWork'>,
  { tenantId, runId }: EvaluationRun,
  probe: Probe,
  texts: GradingTexts,
  answer: Omit<StoredAnswer, 'findings'>,
): Promise<void> {
  const { arm, sessionId, cycle, probeId } = answer;
  const graded =
    answer.text === null ? { findings: [], marks: [] } : gradeAnswer(probe, answer.text, texts);
  const marks = graded.marks.map((mark): StoredMark => ({
    arm,
    sessionId,
    cycle,
    probeId,
    judgeRun: 0,
    ...mark,
  }));
  await unitOfWork(({ evaluations }) =>
    evaluations.addAnswers(tenantId, runId, [{ ...answer, findings: graded.findings }], marks),
  );
}

export function placeOf(
  arm: string,
  { session, cycle }: ReadPoint,
  { probeId }: Pick<Probe, 'probeId'>,
): AnswerPlace {
  return { arm, sessionId: session.sessionId, cycle: cycle.cycle, probeId };
}

export function keyOf({ arm, sessionId, cycle, probeId }: AnswerPlace): string {
  return JSON.stringify([arm, sessionId, cycle, probeId]);
}

function judgementKey(judgement: AnswerPlace & { readonly judgeRun: number }): string {
  return `${keyOf(judgement)} ${judgement.judgeRun}`;
}

export function gradingTexts({ entries, material }: ReadPoint): GradingTexts {
  return {
    known: new KnownTexts(entries.map((entry) => renderUnit([entry]))),
    knownPaths: knownPathsOf(material),
  };
}

/** All that an answerer sees. @param context null: it cannot be looked into. */
export function shownContext(context: SurvivingContext | null): string {
  return context === null ? BLOB_LINE : `${context.summary}\n${context.tail}`;
}

function failed(error: unknown) {
  const reason = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed' as const, reason, usage: {} };
}
