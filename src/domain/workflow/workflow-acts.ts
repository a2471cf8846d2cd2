/**
 * What may be done to a workflow, as values to write: an artifact put, approved, rejected. An approval
 * counts for exactly the artifact it was given to; what is put or rejected later voids it and those
 * of the phases after.
 */
import { OssatureError } from '../kernel/errors.js';
import type { WorkflowStep } from './repositories.js';
import type { Gap } from './trace.js';
import type { Approval, ArtifactVersion, RegisteredSource, Workflow } from './workflow.js';
import {
  phaseAfter,
  phasesBefore,
  phasesFrom,
  type WorkflowPhase,
  type WorkflowState,
} from './workflow-phase.js';

/** A workflow with all that was put and said, each in its order. */
export interface WorkflowHistory {
  readonly workflow: Workflow;
  readonly artifacts: readonly ArtifactVersion[];
  readonly approvals: readonly Approval[];
}

/** Who speaks, when, and what they add. */
export interface Speaking {
  readonly by: string;
  readonly comment: string | null;
  readonly now: Date;
}

export function latestArtifact(
  { artifacts }: Pick<WorkflowHistory, 'artifacts'>,
  phase: WorkflowPhase,
): ArtifactVersion | null {
  return artifacts.findLast((version) => version.phase === phase) ?? null;
}

/** The approval of the artifact of the phase as it is now; null: there is none that counts. */
export function approvalInForce(history: WorkflowHistory, phase: WorkflowPhase): Approval | null {
  const artifact = latestArtifact(history, phase);
  const found = history.approvals.findLast(
    (one) => one.phase === phase && one.verdict === 'approved' && one.voidedAt === null,
  );
  return found !== undefined && found.artifactHash === artifact?.hash ? found : null;
}

/** @throws OssatureError ILLEGAL_MOVE naming the phase whose approval is missing. */
export function requireStartable(history: WorkflowHistory, phase: WorkflowPhase): void {
  const missing = phasesBefore(phase).find((before) => approvalInForce(history, before) === null);
  if (missing === undefined) return;
  throw new OssatureError(
    'ILLEGAL_MOVE',
    `The ${phase} phase cannot start: the ${missing} phase has no approval of its artifact as it is now. Approve it first.`,
    { details: { phase, missing } },
  );
}

/** True where the artifact is the one that stands there, and was not rejected: nothing is to be written. */
export function isStanding(history: WorkflowHistory, phase: WorkflowPhase, hash: string): boolean {
  return latestArtifact(history, phase)?.hash === hash && !isRejected(history, phase);
}

/** @param made everything of the new version but its number. */
export function putArtifact(
  history: WorkflowHistory,
  made: Omit<ArtifactVersion, 'version'>,
  sources: readonly RegisteredSource[],
): WorkflowStep {
  const { phase, createdAt } = made;
  requireStartable(history, phase);
  const version = (latestArtifact(history, phase)?.version ?? 0) + 1;
  return {
    ...stepOf(history.workflow, { phase, state: 'in-review', updatedAt: createdAt }),
    sources,
    artifact: { ...made, version },
    ...voiding(history, phase, `version ${version} of the ${phase} artifact was put`),
  };
}

/**
 * @param hash of the artifact that is meant.
 * @throws OssatureError ILLEGAL_MOVE where the phase has nothing to approve; STALE for another hash.
 */
export function approveArtifact(
  history: WorkflowHistory,
  phase: WorkflowPhase,
  hash: string,
  acceptedGaps: readonly Gap[],
  { by, comment, now }: Speaking,
): WorkflowStep {
  const artifact = requireArtifact(history, phase);
  requireStartable(history, phase);
  if (artifact.hash !== hash) throw otherHash(phase, artifact.hash, hash);
  if (isRejected(history, phase)) {
    throw new OssatureError(
      'ILLEGAL_MOVE',
      `Version ${artifact.version} of the ${phase} artifact was rejected. Put it again, changed or not, then approve it.`,
      { details: { phase, version: artifact.version } },
    );
  }
  const next = phaseAfter(phase);
  const moved = next ?? phase;
  const state = next === null ? 'completed' : stateOf(history, next);
  return {
    ...stepOf(history.workflow, { phase: moved, state, updatedAt: now }),
    approval: {
      ...sayingOf(history, artifact),
      verdict: 'approved',
      by,
      comment,
      acceptedGaps,
      decidedAt: now,
    },
  };
}

/** @throws OssatureError ILLEGAL_MOVE where the phase has no artifact that could be rejected. */
export function rejectArtifact(
  history: WorkflowHistory,
  phase: WorkflowPhase,
  { by, comment, now }: Speaking,
): WorkflowStep {
  const artifact = requireArtifact(history, phase);
  requireStartable(history, phase);
  if (isRejected(history, phase)) {
    throw new OssatureError(
      'ILLEGAL_MOVE',
      `Version ${artifact.version} of the ${phase} artifact is rejected already.`,
      { details: { phase, version: artifact.version } },
    );
  }
  return {
    ...stepOf(history.workflow, { phase, state: 'working', updatedAt: now }),
    approval: {
      ...sayingOf(history, artifact),
      verdict: 'rejected',
      by,
      comment,
      acceptedGaps: [],
      decidedAt: now,
    },
    ...voiding(history, phase, `the ${phase} artifact was rejected`),
  };
}

/** A step that changes the workflow itself and nothing beside it. */
export function stepOf(
  workflow: Workflow,
  change: Partial<Pick<Workflow, 'phase' | 'state' | 'pin'>> & Pick<Workflow, 'updatedAt'>,
): WorkflowStep {
  const { version } = workflow;
  return {
    fromVersion: version,
    workflow: { ...workflow, ...change, version: version + 1 },
    sources: [],
    artifact: null,
    approval: null,
    voided: [],
    voidedBecause: null,
  };
}

/** Reasons that were given against the latest version of the phase; empty: it was not rejected. */
export function reasonsAgainst(history: WorkflowHistory, phase: WorkflowPhase): readonly string[] {
  const artifact = latestArtifact(history, phase);
  return history.approvals.flatMap((one) =>
    one.phase === phase &&
    one.verdict === 'rejected' &&
    one.artifactVersion === artifact?.version &&
    one.comment !== null
      ? [one.comment]
      : [],
  );
}

function isRejected(history: WorkflowHistory, phase: WorkflowPhase): boolean {
  return reasonsAgainst(history, phase).length > 0;
}

function stateOf(history: WorkflowHistory, phase: WorkflowPhase): WorkflowState {
  const isThere = latestArtifact(history, phase) !== null;
  return isThere && !isRejected(history, phase) ? 'in-review' : 'working';
}

function sayingOf(
  { approvals }: WorkflowHistory,
  { phase, version, hash }: ArtifactVersion,
): Pick<
  Approval,
  'approvalNo' | 'phase' | 'artifactVersion' | 'artifactHash' | 'voidedAt' | 'voidedBecause'
> {
  return {
    approvalNo: (approvals.at(-1)?.approvalNo ?? 0) + 1,
    phase,
    artifactVersion: version,
    artifactHash: hash,
    voidedAt: null,
    voidedBecause: null,
  };
}

function voiding(
  { approvals }: WorkflowHistory,
  phase: WorkflowPhase,
  because: string,
): Pick<WorkflowStep, 'voided' | 'voidedBecause'> {
  const concerned = phasesFrom(phase);
  const voided = approvals
    .filter(
      (one) => one.verdict === 'approved' && one.voidedAt === null && concerned.includes(one.phase),
    )
    .map(({ approvalNo }) => approvalNo);
  return { voided, voidedBecause: voided.length === 0 ? null : because };
}

function requireArtifact(history: WorkflowHistory, phase: WorkflowPhase): ArtifactVersion {
  const artifact = latestArtifact(history, phase);
  if (artifact !== null) return artifact;
  throw new OssatureError(
    'ILLEGAL_MOVE',
    `The ${phase} phase has no artifact yet. Put one, or have it drafted, first.`,
    { details: { phase } },
  );
}

function otherHash(phase: WorkflowPhase, now: string, given: string): OssatureError {
  return new OssatureError(
    'STALE',
    `The ${phase} artifact has the hash ${now}, not ${given.slice(0, 64)}: it is another one than you read. Read it again.`,
    { details: { phase, hash: now } },
  );
}
