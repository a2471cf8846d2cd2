/**
 * Port to the store of evaluations. Safe for concurrent use; nothing in it ever changes, as what was
 * measured is evidence. Every call carries the tenant: what belongs to another is not there. `find…` may
 * be empty; `get…` throws NOT_FOUND.
 */
import type { JsonObject } from '../redaction/json-value.js';
import type { FactFinding, Mark } from './grading/mark.js';
import type { ProbeSet } from './probe.js';
import type { EvaluationReport, RunKind } from './report/evaluation-report.js';
import type { Survival } from './survival.js';

export interface EvaluationRun {
  /** ULID. */
  readonly runId: string;
  readonly tenantId: string;
  readonly kind: RunKind;
  /** Everything that the figures depend on. */
  readonly settings: JsonObject;
  /** SHA-256 of kind and settings: a changed setting is another run. */
  readonly settingsHash: string;
  readonly startedAt: Date;
}

export interface FinishedRun {
  readonly report: EvaluationReport;
  /** Times, by name; the one place where they stand. */
  readonly timing: Readonly<Record<string, number>>;
  readonly finishedAt: Date;
}

export interface StoredRun extends EvaluationRun {
  /** Null while it is under way, or was interrupted. */
  readonly finished: FinishedRun | null;
}

/** Where an answer belongs in its run. */
export interface AnswerPlace {
  readonly arm: string;
  readonly sessionId: string;
  readonly cycle: number;
  readonly probeId: string;
}

export interface StoredAnswer extends AnswerPlace {
  /** Null: nobody answered, for the reason given. */
  readonly text: string | null;
  readonly reason: string | null;
  /** By fact; null where the context cannot be looked into. */
  readonly survival: Readonly<Record<string, Survival>> | null;
  readonly findings: readonly FactFinding[];
  /** Name of the answerer, and version of its prompt; null without one. */
  readonly answerer: string | null;
  readonly promptVersion: string | null;
  /** Tokens, by name. */
  readonly usage: Readonly<Record<string, number>>;
  readonly answeredAt: Date;
}

export interface StoredMark extends AnswerPlace, Mark {
  /** From 1; 0 of the grader. */
  readonly judgeRun: number;
}

/** One time that a judge was asked about an answer. */
export interface StoredJudgement extends AnswerPlace {
  /** From 1. */
  readonly judgeRun: number;
  /** `unreadable`: in a wrong shape, twice; `failed`: nothing came. Neither leaves a mark. */
  readonly outcome: 'judged' | 'unreadable' | 'failed';
  /** Null where it was judged. */
  readonly reason: string | null;
  readonly judge: string;
  readonly promptVersion: string;
  /** Tokens, by name. */
  readonly usage: Readonly<Record<string, number>>;
  readonly judgedAt: Date;
}

/** What a summarizer answered to a request of a run. */
export interface KeptSummary {
  /** SHA-256 of the summarizer's name and the request. */
  readonly requestHash: string;
  /** JSON, as it was answered. */
  readonly answer: string;
  readonly answeredAt: Date;
}

export interface EvaluationRepository {
  /** Adds the set with its probes. ALREADY_EXISTS where there is one of its id. */
  addProbeSet(set: ProbeSet): Promise<void>;
  getProbeSet(tenantId: string, probeSetId: string): Promise<ProbeSet>;
  /** Newest first, without probes. */
  listProbeSets(tenantId: string): Promise<readonly ProbeSet[]>;
  /** ALREADY_EXISTS where there is a run of its id. */
  startRun(run: EvaluationRun): Promise<void>;
  /** STALE where the run is finished already. */
  finishRun(tenantId: string, runId: string, finished: FinishedRun): Promise<void>;
  getRun(tenantId: string, runId: string): Promise<StoredRun>;
  /** The newest run of these settings that is not finished, or null. */
  findUnfinished(tenantId: string, settingsHash: string): Promise<StoredRun | null>;
  /** The newest run of these settings that is finished, or null. */
  findFinished(tenantId: string, settingsHash: string): Promise<StoredRun | null>;
  /** Newest first. */
  listRuns(tenantId: string): Promise<readonly StoredRun[]>;
  /** Adds answers with their marks. STALE where one of them is there already. */
  addAnswers(
    tenantId: string,
    runId: string,
    answers: readonly StoredAnswer[],
    marks: readonly StoredMark[],
  ): Promise<void>;
  /** Adds a judgement with its marks. STALE where it is there already. */
  addJudgement(
    tenantId: string,
    runId: string,
    judgement: StoredJudgement,
    marks: readonly StoredMark[],
  ): Promise<void>;
  /** By arm, session, cycle and probe in code-unit order. */
  listAnswers(tenantId: string, runId: string): Promise<readonly StoredAnswer[]>;
  /** In the same order, then by judge run and criterion. */
  listMarks(tenantId: string, runId: string): Promise<readonly StoredMark[]>;
  /** In the same order, then by judge run. */
  listJudgements(tenantId: string, runId: string): Promise<readonly StoredJudgement[]>;
  /** STALE where the request was answered already. */
  addSummary(tenantId: string, runId: string, summary: KeptSummary): Promise<void>;
  /** Its `answer`, or null. */
  findSummary(tenantId: string, runId: string, requestHash: string): Promise<string | null>;
}

/** The same for a run of another tenant and for none at all. */
export const NO_RUN = 'There is no such evaluation run. List them with `agents eval list`.';
export const NO_PROBE_SET =
  'There is no such set of probes. Make one with `agents eval probes`, or list the runs with `agents eval list`.';
