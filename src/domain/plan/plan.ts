/**
 * A plan: a unit of agent work. Plans form a tree; what a parent knows reaches a child as a skeleton,
 * whose audit record the child keeps for good.
 */
import type { CompressionRatio } from '../context/compression-ratio.js';
import { OssatureError } from '../kernel/errors.js';
import type { PlanId, ProjectId } from '../kernel/ids.js';
import type { SkeletonMetadata } from '../skeleton/skeleton-metadata.js';
import { FIRST_POSITION, type PlanMove, movePosition, type PlanPosition } from './plan-phase.js';

export interface Plan extends PlanPosition {
  readonly planId: PlanId;
  readonly projectId: ProjectId;
  readonly parentPlanId: PlanId | null;
  /** A root points at itself. */
  readonly rootPlanId: PlanId;
  /** Generations below the root; the root is 0. */
  readonly depth: number;
  /** Roots may have one; children are known by id. */
  readonly name: string | null;
  readonly goal: string;
  /** This plan's own setting for the children that it spawns; null: the policy decides. */
  readonly skeletonRatio: CompressionRatio | null;
  /** What this plan inherited; null for a root. Written once, by the spawn. */
  readonly skeletonMetadata: SkeletonMetadata | null;
  /** The host's key of the spawn that made this plan; unique among the children of one parent. */
  readonly idempotencyKey: string | null;
  /** Optimistic lock: grows with every change of the plan or of its own context. Starts at 1. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Generations. Deeper trees lose more context at each step than they gain by delegation. */
export const DEFAULT_MAX_DEPTH = 5;

export function startPlan(given: {
  readonly planId: PlanId;
  readonly projectId: ProjectId;
  readonly name: string | null;
  readonly goal: string;
  readonly skeletonRatio: CompressionRatio | null;
  readonly now: Date;
}): Plan {
  return {
    ...FIRST_POSITION,
    planId: given.planId,
    projectId: given.projectId,
    parentPlanId: null,
    rootPlanId: given.planId,
    depth: 0,
    name: given.name,
    goal: given.goal,
    skeletonRatio: given.skeletonRatio,
    skeletonMetadata: null,
    idempotencyKey: null,
    version: 1,
    createdAt: given.now,
    updatedAt: given.now,
  };
}

/** The child of a parent, one generation deeper. DEPTH_EXCEEDED where the tree would grow too deep. */
export function childOf(
  parent: Plan,
  given: {
    readonly planId: PlanId;
    readonly goal: string;
    readonly skeletonMetadata: SkeletonMetadata;
    readonly idempotencyKey: string | null;
    readonly now: Date;
  },
): Plan {
  return {
    ...FIRST_POSITION,
    planId: given.planId,
    projectId: parent.projectId,
    parentPlanId: parent.planId,
    rootPlanId: parent.rootPlanId,
    depth: parent.depth + 1,
    name: null,
    goal: given.goal,
    skeletonRatio: null,
    skeletonMetadata: given.skeletonMetadata,
    idempotencyKey: given.idempotencyKey,
    version: 1,
    createdAt: given.now,
    updatedAt: given.now,
  };
}

export function requireRoomBelow(parent: Plan, maxDepth: number): void {
  if (parent.depth < maxDepth) return;
  throw new OssatureError(
    'DEPTH_EXCEEDED',
    `Plan ${parent.planId} is at depth ${parent.depth}, and the limit is ${maxDepth}: it cannot spawn. ` +
      'Spawn from a plan higher up, or raise maxDepth.',
    { details: { planId: parent.planId, depth: parent.depth, maxDepth } },
  );
}

export function movePlan(plan: Plan, move: PlanMove, now: Date): Plan {
  return { ...plan, ...movePosition(plan, move), version: plan.version + 1, updatedAt: now };
}
