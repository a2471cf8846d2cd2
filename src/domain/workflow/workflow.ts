/** A workflow: one goal worked through research, planning and implementation, each approved before the next. */
import { MAX_NAME_LENGTH } from '../context/project.js';
import { OssatureError } from '../kernel/errors.js';
import type { ProjectId } from '../kernel/ids.js';
import { requireFields } from '../kernel/requests.js';
import type { Artifact } from './artifact.js';
import type { Gap } from './trace.js';
import { WORKFLOW_PHASES, type WorkflowPhase, type WorkflowState } from './workflow-phase.js';

/** Tokens that the artifact of a phase may take; of the implementation: spec and active files. */
export type PhaseBudgets = Readonly<Record<WorkflowPhase, number>>;

/** Specification of sessions, §12. The spec's is about 2,000 words. */
export const DEFAULT_PHASE_BUDGETS: PhaseBudgets = {
  research: 8_000,
  planning: 3_000,
  implementation: 40_000,
};

/** Tokens: more than any window of a model. */
const LARGEST_BUDGET = 10_000_000;

/** Identifies a workflow; a type of its own so that no call forgets the tenant. */
export interface WorkflowKey {
  readonly tenantId: string;
  readonly workflowId: string;
}

/** The spec as it is pinned in the session that implements it. */
export interface SpecPin {
  readonly sessionId: string;
  /** Null: the session is named and holds no spec, as none is approved. */
  readonly itemNo: number | null;
  /** Hash of the artifact that is pinned. */
  readonly artifactHash: string | null;
}

export interface Workflow extends WorkflowKey {
  readonly projectId: ProjectId;
  /** Unique for the tenant. */
  readonly name: string;
  readonly goal: string;
  readonly phase: WorkflowPhase;
  readonly state: WorkflowState;
  readonly budgets: PhaseBudgets;
  /** The session that implements; null: none is named. */
  readonly pin: SpecPin | null;
  /** Grows with every change: the optimistic lock. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** One version of the artifact of a phase. */
export interface ArtifactVersion {
  readonly phase: WorkflowPhase;
  /** 1, 2, 3 … within the phase. */
  readonly version: number;
  readonly artifact: Artifact;
  /** SHA-256 of `renderArtifact`. */
  readonly hash: string;
  /** Of `renderForReading`, by this counter. */
  readonly tokenCount: number;
  readonly counterName: string;
  readonly counterVersion: string;
  /** `person:<name>` or `model:<name>`. */
  readonly producer: string;
  readonly createdAt: Date;
}

/** What somebody said to one version of an artifact. */
export interface Approval {
  /** 1, 2, 3 … within the workflow. */
  readonly approvalNo: number;
  readonly phase: WorkflowPhase;
  readonly artifactVersion: number;
  readonly artifactHash: string;
  readonly verdict: 'approved' | 'rejected';
  readonly by: string;
  /** Of a rejection: its reasons, never null. */
  readonly comment: string | null;
  /** Gaps that were there and accepted. */
  readonly acceptedGaps: readonly Gap[];
  readonly decidedAt: Date;
  /** Since when it does not count any more, and why; null: it counts. */
  readonly voidedAt: Date | null;
  readonly voidedBecause: string | null;
}

/** A source as it was read: added, never changed; a later reading of the same place is a further one. */
export interface RegisteredSource {
  /** 1, 2, 3 … within the workflow. */
  readonly sourceNo: number;
  /** `referenceOf` the source. */
  readonly reference: string;
  readonly hash: string | null;
  /** 0 where it was not read. */
  readonly tokenCount: number;
  readonly counterName: string;
  readonly counterVersion: string;
  /** Of documents and seed examples, whose text is kept; else null. */
  readonly content: string | null;
  readonly addedAt: Date;
}

/** @throws OssatureError INVALID_CONFIG naming the phase and its bounds. */
export function parsePhaseBudgets(given: Partial<PhaseBudgets> = {}): PhaseBudgets {
  requireFields(given, 'budgets', WORKFLOW_PHASES, 'INVALID_CONFIG');
  for (const [phase, tokens] of Object.entries(given)) {
    if (Number.isSafeInteger(tokens) && tokens >= 1 && tokens <= LARGEST_BUDGET) continue;
    throw new OssatureError(
      'INVALID_CONFIG',
      `The budget of ${phase} must be whole tokens from 1 to ${LARGEST_BUDGET}.`,
      { details: { field: `budgets.${phase}`, min: 1, max: LARGEST_BUDGET } },
    );
  }
  return { ...DEFAULT_PHASE_BUDGETS, ...given };
}

/** The same for a workflow of another tenant and for none at all. */
export function noWorkflow(name: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `There is no workflow ${name.slice(0, MAX_NAME_LENGTH)}. List the workflows to see them.`,
    { details: { workflow: name.slice(0, MAX_NAME_LENGTH) } },
  );
}
