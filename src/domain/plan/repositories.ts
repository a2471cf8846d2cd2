/** Ports to the store of plans, decisions and compression records. Grammar as in context/repositories.ts. */
import type { DecisionId, PlanId, ProjectId } from '../kernel/ids.js';
import type { CompressionRecord } from '../skeleton/compression-record.js';
import type { Decision } from './decision.js';
import type { Plan } from './plan.js';
import type { Spawn, SpawnSource } from './spawn.js';

export interface PlanRepository {
  /** ALREADY_EXISTS where the project has a plan of that name. */
  insert(plan: Plan): Promise<void>;
  /** Writes phase, state, reversions and settings, if the stored version is `plan.version - 1`; else STALE. */
  update(plan: Plan): Promise<void>;
  /**
   * Makes the plan's context this transaction's to change: other writers of it wait, readers and
   * spawns do not. Returns the plan as it now is. NOT_FOUND where there is none.
   */
  lockContext(planId: PlanId): Promise<Plan>;
  /** Raises the version after a change of the plan's own context, so that a spawn under way notices. */
  touch(planId: PlanId, now: Date): Promise<void>;
  /** The same for a change that everything below inherits, such as a superseded decision. */
  touchSubtree(planId: PlanId, now: Date): Promise<void>;
  get(planId: PlanId): Promise<Plan>;
  findByName(name: string): Promise<readonly Plan[]>;
  findByIdempotencyKey(parentPlanId: PlanId, key: string): Promise<Plan | null>;
  /** From the plan's parent up to the root. */
  listAncestors(planId: PlanId): Promise<readonly Plan[]>;
  /** Direct children, oldest first. */
  listChildren(planId: PlanId): Promise<readonly Plan[]>;
  /** The whole tree that a root heads, the root included, by depth and then oldest first. */
  listTree(rootPlanId: PlanId): Promise<readonly Plan[]>;
  /** Roots of one project or of all, newest first. */
  listRoots(projectId: ProjectId | null): Promise<readonly Plan[]>;
}

/** The two ends of a spawn, each of them one look at the store or one change of it. */
export interface SpawnRepository {
  /** The parent, its project's policy and its accumulated context by size, all as they are at one moment. NOT_FOUND. */
  read(parentPlanId: PlanId): Promise<SpawnSource>;
  /**
   * Inserts the child with its decisions and its record if the parent still has the version that the
   * caller read, and keeps the parent from changing until the transaction ends. All or nothing, also
   * outside a unit of work. STALE where the parent changed, ALREADY_EXISTS where it has a child with
   * the same idempotency key. Children of one parent never wait for each other.
   */
  insert(spawn: Spawn, parentVersion: number): Promise<void>;
}

export interface DecisionRepository {
  /** All or none. ALREADY_EXISTS where an id is known: decision ids are unique in the store. */
  insert(decisions: readonly Decision[]): Promise<void>;
  get(decisionId: DecisionId): Promise<Decision>;
  /** Those that exist, in no stated order. */
  findMany(decisionIds: readonly DecisionId[]): Promise<readonly Decision[]>;
  /** The decisions of one plan, oldest first, superseded ones included. */
  listByPlan(planId: PlanId): Promise<readonly Decision[]>;
  /** Writes `supersededBy`; everything else of a decision is immutable. NOT_FOUND where either is unknown. */
  markSuperseded(decisionId: DecisionId, by: DecisionId): Promise<void>;
}

export interface CompressionRecordRepository {
  insert(record: CompressionRecord): Promise<void>;
  /** The passes that made up what this plan inherited, oldest first. */
  listByChild(childPlanId: PlanId): Promise<readonly CompressionRecord[]>;
}
