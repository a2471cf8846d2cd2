/** What a host asks of a spawn, and whether it may. */
import { parseCompressionRatio } from '../../domain/context/compression-ratio.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { parsePlanId, type PlanId } from '../../domain/kernel/ids.js';
import { requireFields } from '../../domain/kernel/requests.js';
import { requireText } from '../../domain/kernel/text.js';
import type { Plan } from '../../domain/plan/plan.js';
import { DEFAULT_CAPSULE_TOKENS } from '../../domain/session/capsule.js';
import { parseSessionId, requireTenant } from '../../domain/session/session.js';
import type { StoredCapsule } from '../../domain/session/stored-capsule.js';
import type {
  CompressionRecord,
  RelevanceSource,
} from '../../domain/skeleton/compression-record.js';
import { requireCapsuleTokens } from '../session/capsule-service.js';

interface AnySpawnRequest {
  readonly goal: string;
  /** Share of the parent's tokens to remove, 0 to 1. Left out: the plan, the policy or the default decides. */
  readonly skeletonRatio?: number;
  /** `goal` scores the fragments against the child's goal first; default `stored`. */
  readonly relevance?: RelevanceSource;
  /** Spawning again with the same key and request answers with the same child. */
  readonly idempotencyKey?: string;
}

/** A spawn without a session: the child gets a skeleton and no capsule. */
export interface SpawnRequest extends AnySpawnRequest {
  readonly sessionId?: never;
}

/** A spawn whose child gets a capsule of a session beside its skeleton. */
export interface SessionSpawnRequest extends AnySpawnRequest {
  readonly tenantId: string;
  /** The parent's session. */
  readonly sessionId: string;
  /** Ceiling of the capsule in tokens. Left out: 2,000. */
  readonly capsuleTokens?: number;
}

/** Spawns that run at once unless the caller says otherwise, and the most it may say. */
export const DEFAULT_MAX_PARALLEL = 5;
export const LARGEST_MAX_PARALLEL = 50;

const FIELDS: readonly (keyof SessionSpawnRequest)[] = [
  'tenantId',
  'sessionId',
  'capsuleTokens',
  'goal',
  'skeletonRatio',
  'relevance',
  'idempotencyKey',
];

/** @throws OssatureError INVALID_INPUT, INVALID_RATIO, INVALID_ID. */
export function requireRequest(
  parentPlanId: string,
  request: SpawnRequest | SessionSpawnRequest,
): PlanId {
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
  const { sessionId, tenantId, capsuleTokens } = request as Partial<SessionSpawnRequest>;
  if (sessionId !== undefined) {
    requireTenant(tenantId);
    parseSessionId(sessionId);
    if (capsuleTokens !== undefined) requireCapsuleTokens(capsuleTokens);
  } else if (tenantId !== undefined || capsuleTokens !== undefined) {
    throw new OssatureError(
      'INVALID_INPUT',
      'tenantId and capsuleTokens belong to a sessionId: name the session that the capsule is made from, or leave them out.',
      { details: { field: 'sessionId' } },
    );
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
  request: SpawnRequest | SessionSpawnRequest,
  child: Plan,
  record: CompressionRecord,
  capsule: StoredCapsule | null,
): void {
  const sameRatio = request.skeletonRatio === undefined || request.skeletonRatio === record.ratio;
  const sameRelevance = (request.relevance ?? 'stored') === record.relevanceSource;
  const isSame = request.goal === child.goal && sameRatio && sameRelevance;
  if (isSame && isSameCapsule(request, capsule)) return;
  throw new OssatureError(
    'IDEMPOTENCY_CONFLICT',
    `The idempotency key already made plan ${child.planId} from another request. Use a new key for a new request.`,
    { details: { planId: child.planId } },
  );
}

function isSameCapsule(
  request: SpawnRequest | SessionSpawnRequest,
  capsule: StoredCapsule | null,
): boolean {
  if (request.sessionId === undefined) return capsule === null;
  const { tenantId, sessionId, capsuleTokens = DEFAULT_CAPSULE_TOKENS } = request;
  return (
    capsule?.tenantId === tenantId &&
    capsule.sessionId === sessionId &&
    capsule.capsuleTokens === capsuleTokens
  );
}
