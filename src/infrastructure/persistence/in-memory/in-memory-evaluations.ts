/** Evaluations over maps. */
import type { ProbeSet } from '../../../domain/evaluation/probe.js';
import {
  type AnswerPlace,
  type EvaluationRepository,
  NO_PROBE_SET,
  NO_RUN,
  type StoredJudgement,
  type StoredRun,
} from '../../../domain/evaluation/repositories.js';
import { refusal } from './in-memory-rules.js';
import type { State, StoredEvaluation } from './in-memory-state.js';

export function inMemoryEvaluations(current: () => State): EvaluationRepository {
  const heldBy = (tenantId: string, runId: string): StoredEvaluation => {
    const held = current().evaluations.get(place(tenantId, runId));
    if (held === undefined) throw refusal('NOT_FOUND', NO_RUN);
    return held;
  };
  const runsOf = (tenantId: string): readonly StoredRun[] =>
    [...current().evaluations.values()]
      .map(({ run }) => run)
      .filter((run) => run.tenantId === tenantId)
      .sort((a, b) => newestFirst(a.startedAt, b.startedAt) || (a.runId < b.runId ? 1 : -1));

  return {
    async addProbeSet(set) {
      const { probeSets } = current();
      const at = place(set.tenantId, set.probeSetId);
      if (probeSets.has(at)) throw refusal('ALREADY_EXISTS', 'A set of this id is stored already.');
      probeSets.set(at, set);
    },
    async getProbeSet(tenantId, probeSetId) {
      const set = current().probeSets.get(place(tenantId, probeSetId));
      if (set === undefined) throw refusal('NOT_FOUND', NO_PROBE_SET);
      return set;
    },
    listProbeSets: async (tenantId) =>
      [...current().probeSets.values()]
        .filter((set) => set.tenantId === tenantId)
        .sort(
          (a, b) => newestFirst(a.createdAt, b.createdAt) || (a.probeSetId < b.probeSetId ? 1 : -1),
        )
        .map((set): ProbeSet => ({ ...set, probes: [] })),
    async startRun(run) {
      const { evaluations } = current();
      const at = place(run.tenantId, run.runId);
      if (evaluations.has(at))
        throw refusal('ALREADY_EXISTS', 'A run of this id is stored already.');
      evaluations.set(at, {
        run: { ...run, finished: null },
        answers: [],
        marks: [],
        judgements: [],
        summaries: [],
      });
    },
    async finishRun(tenantId, runId, finished) {
      const held = current().evaluations.get(place(tenantId, runId));
      if (held === undefined || held.run.finished !== null) {
        throw refusal('STALE', `The run ${runId} is finished already.`);
      }
      current().evaluations.set(place(tenantId, runId), {
        ...held,
        run: { ...held.run, finished },
      });
    },
    getRun: async (tenantId, runId) => heldBy(tenantId, runId).run,
    findUnfinished: async (tenantId, settingsHash) =>
      runsOf(tenantId).find((run) => run.settingsHash === settingsHash && run.finished === null) ??
      null,
    findFinished: async (tenantId, settingsHash) =>
      runsOf(tenantId).find((run) => run.settingsHash === settingsHash && run.finished !== null) ??
      null,
    listRuns: async (tenantId) => runsOf(tenantId),
    async addAnswers(tenantId, runId, answers, marks) {
      const held = current().evaluations.get(place(tenantId, runId));
      if (held === undefined) throw refusal('STORE_FAILED', NO_RUN);
      const known = new Set(held.answers.map(answerPlace));
      if (answers.some((answer) => known.has(answerPlace(answer)))) {
        throw refusal('STALE', 'An answer is stored already.');
      }
      current().evaluations.set(place(tenantId, runId), {
        ...held,
        answers: [...held.answers, ...answers],
        marks: [...held.marks, ...marks],
      });
    },
    async addJudgement(tenantId, runId, judgement, marks) {
      const held = current().evaluations.get(place(tenantId, runId));
      if (held?.answers.some((one) => answerPlace(one) === answerPlace(judgement)) !== true) {
        throw refusal('STORE_FAILED', 'There is no such answer to judge.');
      }
      if (held.judgements.some((one) => judgementPlace(one) === judgementPlace(judgement))) {
        throw refusal('STALE', 'A judgement is stored already.');
      }
      current().evaluations.set(place(tenantId, runId), {
        ...held,
        marks: [...held.marks, ...marks],
        judgements: [...held.judgements, judgement],
      });
    },
    listAnswers: async (tenantId, runId) =>
      [...(current().evaluations.get(place(tenantId, runId))?.answers ?? [])].sort(byPlace),
    listMarks: async (tenantId, runId) =>
      [...(current().evaluations.get(place(tenantId, runId))?.marks ?? [])].sort(
        (a, b) => byPlace(a, b) || a.judgeRun - b.judgeRun || byText(a.criterionId, b.criterionId),
      ),
    listJudgements: async (tenantId, runId) =>
      [...(current().evaluations.get(place(tenantId, runId))?.judgements ?? [])].sort(
        (a, b) => byPlace(a, b) || a.judgeRun - b.judgeRun,
      ),
    async addSummary(tenantId, runId, summary) {
      const held = current().evaluations.get(place(tenantId, runId));
      if (held === undefined) throw refusal('STORE_FAILED', NO_RUN);
      if (held.summaries.some(({ requestHash }) => requestHash === summary.requestHash)) {
        throw refusal('STALE', 'The request is answered already.');
      }
      current().evaluations.set(place(tenantId, runId), {
        ...held,
        summaries: [...held.summaries, summary],
      });
    },
    findSummary: async (tenantId, runId, wanted) =>
      current()
        .evaluations.get(place(tenantId, runId))
        ?.summaries.find(({ requestHash }) => requestHash === wanted)?.answer ?? null,
  };
}

function place(tenantId: string, id: string): string {
  return JSON.stringify([tenantId, id]);
}

function answerPlace({ arm, sessionId, cycle, probeId }: AnswerPlace): string {
  return JSON.stringify([arm, sessionId, cycle, probeId]);
}

function judgementPlace(judgement: StoredJudgement): string {
  return JSON.stringify([answerPlace(judgement), judgement.judgeRun]);
}

function byPlace(a: AnswerPlace, b: AnswerPlace): number {
  return (
    byText(a.arm, b.arm) ||
    byText(a.sessionId, b.sessionId) ||
    a.cycle - b.cycle ||
    byText(a.probeId, b.probeId)
  );
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function newestFirst(a: Date, b: Date): number {
  return b.getTime() - a.getTime();
}
