/** What a host asks of a spawn, and whether it may. */
import { parseCompressionRatio } from '../../domain/context/compression-ratio.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { parsePlanId, type PlanId } from '../../domain/kernel/ids.js';
import { requireFields } from '../../domain/kernel/requests.js';
import { requireText } from '../../domain/kernel/text.js';
import type { Plan } from '../../domain/plan/plan.js';
import type {
  CompressionRecord,
  RelevanceSource,
} from '../../domain/skeleton/compression-record.js';

export interface SpawnRequest {
  readonly goal: string;
  /** Share of the parent's tokens to remove, 0 to 1. Left out: the plan, the policy or the default decides. */
  readonly skeletonRatio?: number;
  /** `goal` scores the fragments against the child's goal first; default `stored`. */
  readonly relevance?: RelevanceSource;
  /** Spawning again with the same key and request answers with the same child. */
  readonly idempotencyKey?: string;
}

/** Spawns that run at once unless the caller says otherwise, and the most it may say. */
export const DEFAULT_MAX_PARALLEL = 5;
export const LARGEST_MAX_PARALLEL = 50;

const FIELDS: readonly (keyof SpawnRequest)[] = [
  'goal',
  'skeletonRatio',
  'relevance',
  'idempotencyKey',
];

/** @throws OssatureError INVALID_INPUT, INVALID_RATIO, INVALID_ID. */
export function requireRequest(parentPlanId: string, request: SpawnRequest): PlanId {
  requireFields(request, 'A spawn request', FIELDS);
  requireText(request.goal, 'The goal');
  if (request.skeletonRatio !== undefined) parseCompressionRatio(request.skeletonRatio);
  if (request.idempotencyKey !== undefined) {
    requireText(request.idempotencyKey, 'idempotencyKey', { maxLength: 200 });
  }
  if (request.relevance !== undefined && !['stored', 'goal'].includes(request.relevance)) {
    throw new OssatureError('INVALID_INPUT', 'relevance must be stored or goal.', {
      details: { field: 'relevance' },
    });
  }
  return parsePlanId(parentPlanId);
}

export function requireParallelism(maxParallel: number): void {
  if (Number.isInteger(maxParallel) && maxParallel >= 1 && maxParallel <= LARGEST_MAX_PARALLEL) {
    return;
  }
  throw new OssatureError(
    'INVALID_INPUT',
    `maxParallel must be a whole number from 1 to ${LARGEST_MAX_PARALLEL}, got ${String(maxParallel)}. It bounds how many spawns run at once, not how many there may be.`,
    { details: { field: 'maxParallel' } },
  );
}

/** @throws OssatureError IDEMPOTENCY_CONFLICT where the key was used for something else. */
export function requireSameRequest(
  request: SpawnRequest,
  child: Plan,
  record: CompressionRecord,
): void {
  const sameRatio = request.skeletonRatio === undefined || request.skeletonRatio === record.ratio;
  const sameRelevance = (request.relevance ?? 'stored') === record.relevanceSource;
  if (request.goal === child.goal && sameRatio && sameRelevance) return;
  throw new OssatureError(
    'IDEMPOTENCY_CONFLICT',
    `The idempotency key already made plan ${child.planId} from another request. Use a new key for a new request.`,
    { details: { planId: child.planId } },
  );
}
