/**
 * Port to the store of workflows. Implementations must be safe for concurrent use by several processes.
 * It has a contract suite, shipped as `ossature/testing`.
 *
 * Every call carries the tenant: what belongs to another is not there. `find…` may be empty; `get…`
 * throws NOT_FOUND; `list…` is ordered as stated; a store that cannot be reached is STORE_UNAVAILABLE,
 * and every other failure of it is STORE_FAILED.
 */
import type {
  Approval,
  ArtifactVersion,
  RegisteredSource,
  Workflow,
  WorkflowKey,
} from './workflow.js';

/** What one change writes: all of it, or nothing. */
export interface WorkflowStep {
  /** The version that the change was made on. */
  readonly fromVersion: number;
  /** As it is afterwards; its version is one higher. */
  readonly workflow: Workflow;
  readonly sources: readonly RegisteredSource[];
  readonly artifact: ArtifactVersion | null;
  readonly approval: Approval | null;
  /** Approvals that do not count any more. */
  readonly voided: readonly number[];
  readonly voidedBecause: string | null;
}

export interface WorkflowRepository {
  /** ALREADY_EXISTS where another workflow of the tenant has the name. */
  insert(workflow: Workflow): Promise<void>;
  get(key: WorkflowKey): Promise<Workflow>;
  findByName(tenantId: string, name: string): Promise<Workflow | null>;
  /** The workflows of a tenant, by name in code-unit order. */
  list(tenantId: string): Promise<readonly Workflow[]>;
  /**
   * Writes the step. Budgets, name, goal and project of a workflow never change; sources, artifacts and
   * approvals are added and never changed, but for an approval that is voided once.
   *
   * STALE where the workflow has another version than `fromVersion`, or is not there.
   */
  apply(step: WorkflowStep): Promise<void>;
  /** In the order in which they were added. */
  listSources(key: WorkflowKey): Promise<readonly RegisteredSource[]>;
  /** Of every phase, each phase's versions in order. */
  listArtifacts(key: WorkflowKey): Promise<readonly ArtifactVersion[]>;
  /** In the order in which they were given. */
  listApprovals(key: WorkflowKey): Promise<readonly Approval[]>;
}
