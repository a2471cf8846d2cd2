/** What an in-memory store holds. A transaction works on a copy and swaps it in when it succeeds. */
import type { StoredFragment } from '../../../domain/context/accumulated-context.js';
import type { ContextPolicy } from '../../../domain/context/context-policy.js';
import type { Project } from '../../../domain/context/project.js';
import type { Decision } from '../../../domain/plan/decision.js';
import type { ProbeSet } from '../../../domain/evaluation/probe.js';
import type {
  KeptSummary,
  StoredAnswer,
  StoredJudgement,
  StoredMark,
  StoredRun,
} from '../../../domain/evaluation/repositories.js';
import type { Plan } from '../../../domain/plan/plan.js';
import type { KnownSource } from '../../../domain/session/known-source.js';
import type { SessionKey } from '../../../domain/session/repositories.js';
import type { Session, SessionEntry, SessionUsage } from '../../../domain/session/session.js';
import type { StoredCapsule } from '../../../domain/session/stored-capsule.js';
import type { ArtifactEvent } from '../../../domain/session/trail/artifact-event.js';
import type {
  SessionAttempt,
  SessionCycle,
} from '../../../domain/session/summary/session-cycle.js';
import type {
  Calibration,
  ExpansionRecord,
} from '../../../domain/session/summary/summary-repository.js';
import type { SummaryItem } from '../../../domain/session/summary/summary-item.js';
import type { Trail } from '../../../domain/session/trail/trail.js';
import type { OpenTrail } from '../../../domain/session/trail/trail-part.js';
import type {
  Approval,
  ArtifactVersion,
  RegisteredSource,
  Workflow,
  WorkflowKey,
} from '../../../domain/workflow/workflow.js';
import type { CompressionRecord } from '../../../domain/skeleton/compression-record.js';

export interface State {
  readonly projects: Map<string, Project>;
  readonly policies: Map<string, ContextPolicy>;
  readonly plans: Map<string, Plan>;
  readonly decisions: Map<string, Decision>;
  /** By plan, then by fragment id, in order of import. */
  readonly fragments: Map<string, Map<string, StoredFragment>>;
  /** Every fragment, over all plans, in order of import. */
  readonly imported: StoredFragment[];
  readonly records: CompressionRecord[];
  /** By place, as the further maps of sessions; their values are replaced and never changed. */
  readonly sessions: Map<string, Session>;
  readonly sessionEntries: Map<string, readonly SessionEntry[]>;
  readonly sessionUsage: Map<string, ReadonlyMap<string, SessionUsage>>;
  readonly sessionSources: Map<string, KnownSource>;
  /** Base64, by tenant and hash. */
  readonly sessionMedia: Map<string, string>;
  /** Tokens by `seq`, by session and counter. */
  readonly sessionCounts: Map<string, ReadonlyMap<number, number>>;
  readonly trails: Map<string, StoredTrail>;
  readonly summaries: Map<string, StoredSummary>;
  readonly calibrations: Map<string, Calibration>;
  /** By child plan. */
  readonly capsules: Map<string, StoredCapsule>;
  /** By place; the values are replaced and never changed. */
  readonly workflows: Map<string, StoredWorkflow>;
  /** By tenant and id, as the runs. */
  readonly probeSets: Map<string, ProbeSet>;
  readonly evaluations: Map<string, StoredEvaluation>;
}

export interface StoredEvaluation {
  readonly run: StoredRun;
  readonly answers: readonly StoredAnswer[];
  readonly marks: readonly StoredMark[];
  readonly judgements: readonly StoredJudgement[];
  readonly summaries: readonly KeptSummary[];
}

export interface StoredWorkflow {
  readonly workflow: Workflow;
  readonly sources: readonly RegisteredSource[];
  readonly artifacts: readonly ArtifactVersion[];
  readonly approvals: readonly Approval[];
}

export interface StoredTrail {
  readonly trail: Trail;
  /** Apart from the trail, which answers without it. */
  readonly open: Omit<OpenTrail, 'unmappedTools'>;
  /** In the order in which they were settled. */
  readonly events: readonly ArtifactEvent[];
}

export interface StoredSummary {
  /** In the order in which they were written. */
  readonly versions: readonly { readonly revision: number; readonly item: SummaryItem }[];
  readonly cycles: readonly SessionCycle[];
  readonly attempts: readonly SessionAttempt[];
  readonly expansions: readonly ExpansionRecord[];
  /** `seq` → UTF-16 units. */
  readonly previews: ReadonlyMap<number, number>;
}

/** Where a session of a tenant lies in the maps. */
export function sessionPlace({ tenantId, sessionId }: SessionKey): string {
  return JSON.stringify([tenantId, sessionId]);
}

/** Where a workflow of a tenant lies in its map. */
export function workflowPlace({ tenantId, workflowId }: WorkflowKey): string {
  return JSON.stringify([tenantId, workflowId]);
}

export function emptyState(): State {
  return {
    projects: new Map(),
    policies: new Map(),
    plans: new Map(),
    decisions: new Map(),
    fragments: new Map(),
    imported: [],
    records: [],
    sessions: new Map(),
    sessionEntries: new Map(),
    sessionUsage: new Map(),
    sessionSources: new Map(),
    sessionMedia: new Map(),
    sessionCounts: new Map(),
    trails: new Map(),
    summaries: new Map(),
    calibrations: new Map(),
    capsules: new Map(),
    workflows: new Map(),
    probeSets: new Map(),
    evaluations: new Map(),
  };
}

export function copyOf(state: State): State {
  return {
    projects: new Map(state.projects),
    policies: new Map(state.policies),
    plans: new Map(state.plans),
    decisions: new Map(state.decisions),
    fragments: new Map([...state.fragments].map(([planId, held]) => [planId, new Map(held)])),
    imported: [...state.imported],
    records: [...state.records],
    sessions: new Map(state.sessions),
    sessionEntries: new Map(state.sessionEntries),
    sessionUsage: new Map(state.sessionUsage),
    sessionSources: new Map(state.sessionSources),
    sessionMedia: new Map(state.sessionMedia),
    sessionCounts: new Map(state.sessionCounts),
    trails: new Map(state.trails),
    summaries: new Map(state.summaries),
    calibrations: new Map(state.calibrations),
    capsules: new Map(state.capsules),
    workflows: new Map(state.workflows),
    probeSets: new Map(state.probeSets),
    evaluations: new Map(state.evaluations),
  };
}
