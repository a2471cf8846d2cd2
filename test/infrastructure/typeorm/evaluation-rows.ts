/** Rows of evaluations: as the repository writes them. */
import type { StoreUnderTest } from '../../contracts/contract.js';
import {
  aJudgement,
  aMark,
  anAnswer,
  aProbe,
  aProbeSet,
  aReport,
  aRun,
} from '../../contracts/evaluation-values.js';
import { LATER } from '../../contracts/sample-values.js';
import type { Row } from './workflow-rows.js';

const tenantId = 'evaluating';
const set = aProbeSet({ tenantId, probes: [aProbe()] });
const [probe = aProbe()] = set.probes;
const run = aRun({ tenantId });
const finished = { report: aReport(), timing: { total_ms: 9 }, finishedAt: LATER };
const answer = anAnswer({ probeId: 'evaluated' });
const silent = anAnswer({ probeId: 'unanswered', text: null, reason: 'timed out' });
const mark = aMark({ probeId: 'evaluated', judgeRun: 2, origin: 'judge' });

const judgement = aJudgement({ probeId: 'evaluated', outcome: 'failed', reason: 'timed out' });
const summary = { requestHash: 'f'.repeat(64), answer: '{"a":1}', answeredAt: LATER };

export async function writeEvaluation({ evaluations }: StoreUnderTest['repositories']) {
  await evaluations.addProbeSet(set);
  await evaluations.startRun(run);
  await evaluations.addAnswers(tenantId, run.runId, [answer, silent], [mark]);
  await evaluations.addJudgement(tenantId, run.runId, judgement, []);
  await evaluations.addSummary(tenantId, run.runId, summary);
  await evaluations.finishRun(tenantId, run.runId, finished);
}

/** What `writeEvaluation` leaves in the tables. */
export function evaluationRows(): readonly (readonly [string, string, string, Row])[] {
  const own = { tenant_id: tenantId };
  const place = { ...own, run_id: run.runId, arm: answer.arm, cycle: answer.cycle };
  const answered = ({ probeId, text, reason }: typeof answer): Row => ({
    ...place,
    run_state: 'started',
    session_id: answer.sessionId,
    probe_id: probeId,
    text,
    reason,
    survival: answer.survival,
    findings: answer.findings,
    answerer: answer.answerer,
    prompt_version: answer.promptVersion,
    usage: answer.usage,
    answered_at: answer.answeredAt,
  });
  return [
    [
      'probe_sets',
      'probe_set_id',
      set.probeSetId,
      {
        ...own,
        probe_set_id: set.probeSetId,
        session_id: set.sessionId,
        cycle: set.point.cycle,
        last_seq: set.point.lastSeq,
        span_hash: set.spanHash,
        seed: set.seed,
        origin: set.origin,
        missing: set.missing,
        refused: set.refused,
        created_at: set.createdAt,
      },
    ],
    [
      'probes',
      'probe_set_id',
      set.probeSetId,
      {
        ...own,
        probe_set_id: set.probeSetId,
        place: 0,
        probe_id: probe.probeId,
        type: probe.type,
        question: probe.question,
        format: probe.format,
        facts: probe.facts,
        forbidden: probe.forbidden,
        source_entry_ids: probe.sourceEntryIds,
        dimensions: probe.dimensions,
        origin: probe.origin,
        as_of: probe.asOf,
        also_in_tail: probe.alsoInTail,
      },
    ],
    [
      'evaluation_runs',
      'state',
      'finished',
      {
        ...own,
        run_id: run.runId,
        state: 'finished',
        kind: run.kind,
        settings: run.settings,
        settings_hash: run.settingsHash,
        report: finished.report,
        timing: finished.timing,
        recorded_at: finished.finishedAt,
      },
    ],
    ['answers', 'probe_id', answer.probeId, answered(answer)],
    ['answers', 'probe_id', silent.probeId, answered(silent)],
    [
      'marks',
      'probe_id',
      mark.probeId,
      {
        ...place,
        session_id: mark.sessionId,
        probe_id: mark.probeId,
        judge_run: mark.judgeRun,
        criterion_id: mark.criterionId,
        score: mark.score,
        reason: mark.reason,
        origin: mark.origin,
      },
    ],
    [
      'judgements',
      'probe_id',
      judgement.probeId,
      {
        ...place,
        session_id: judgement.sessionId,
        probe_id: judgement.probeId,
        judge_run: judgement.judgeRun,
        outcome: judgement.outcome,
        reason: judgement.reason,
        judge: judgement.judge,
        prompt_version: judgement.promptVersion,
        usage: judgement.usage,
        judged_at: judgement.judgedAt,
      },
    ],
    [
      'run_summaries',
      'request_hash',
      summary.requestHash,
      {
        ...own,
        run_id: run.runId,
        run_state: 'started',
        request_hash: summary.requestHash,
        answer: JSON.parse(summary.answer) as object,
        answered_at: summary.answeredAt,
      },
    ],
  ];
}
