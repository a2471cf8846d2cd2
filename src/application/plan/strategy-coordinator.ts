/**
 * Spawning: the parent's accumulated context becomes the child's skeleton.
 *
 *   read parent, sizes, policy → (score against the goal) → compress → write, all or nothing:
 *   is the parent unchanged? child, decisions, record
 *
 * Between the read and the write nothing is locked, so that spawns of one parent never wait for each
 * other; the version check in the write makes up for it. Contents are read only to score them.
 */
import type {
  ContextEntry,
  FragmentReference,
  StoredFragment,
} from '../../domain/context/accumulated-context.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { type DecisionId, type PlanId, type RecordId } from '../../domain/kernel/ids.js';
import type { Decision } from '../../domain/plan/decision.js';
import { childOf, type Plan, requireRoomBelow } from '../../domain/plan/plan.js';
import type { FragmentScorer, ScorableFragment } from '../../domain/relevance/score-relevance.js';
import type {
  CompressionRecord,
  RatioOrigin,
  RecordedFragment,
  RelevanceSource,
  SkippedFragment,
} from '../../domain/skeleton/compression-record.js';
import type { MadeCapsule } from '../../domain/session/stored-capsule.js';
import type { SkeletonMetadata } from '../../domain/skeleton/skeleton-metadata.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';
import { checkedScorer } from '../assembly/checked-scorer.js';
import type { CapsuleOverBudget, CapsuleService } from '../session/capsule-service.js';
import type { SkeletonCompressorService } from '../skeleton/skeleton-compressor-service.js';
import {
  DEFAULT_MAX_PARALLEL,
  requireParallelism,
  requireRequest,
  requireSameRequest,
  type SessionSpawnRequest,
  type SpawnRequest,
} from './spawn-request.js';
import { promptDefinition } from './plan-service.js';
import { inParallel } from './in-parallel.js';
import { applicableRatio, keptOf, skippedOf, splitSuperseded } from './skeleton-selection.js';

/** What a spawn decides; a dry run ends here. */
export interface SpawnPreview {
  readonly parent: Plan;
  readonly skeleton: SkeletonMetadata;
  readonly ratioOrigin: RatioOrigin;
  readonly relevanceSource: RelevanceSource;
  readonly skeletonBudget: number;
  /** Most relevant first. */
  readonly inherited: readonly RecordedFragment[];
  readonly skipped: readonly SkippedFragment[];
  /** Fragments that earlier children had to recall, with how often: candidates for more relevance. */
  readonly recalled: readonly { readonly fragmentId: string; readonly recalls: number }[];
  /** What the session gives to the child; null where the request names none. */
  readonly capsule: MadeCapsule | null;
  /** What the capsule has no room or no reason for; null as above. */
  readonly capsuleLeftOut: CompressionRecord['capsuleLeftOut'];
}

export type PlannedSpawn = SpawnPreview & { readonly outcome: 'planned' };

export interface SpawnedChild extends SpawnPreview {
  readonly outcome: 'spawned';
  readonly child: Plan;
  /** Tokens of the inherited fragments: the metadata's compressed tokens. */
  readonly inheritedTokenBudget: number;
  /** True where the idempotency key had made the child before. */
  readonly repeated: boolean;
}

export type SpawnOutcome =
  SpawnedChild | CapsuleOverBudget | { readonly outcome: 'failed'; readonly error: unknown };

export interface SpawnLimits {
  readonly maxDepth: number;
}

/** Attempts. A parent that changes more often than this during one spawn is being written to, not planned. */
const MAX_SPAWN_ATTEMPTS = 5;

export class StrategyCoordinator {
  constructor(
    private readonly repositories: Pick<
      Repositories,
      'plans' | 'spawns' | 'fragments' | 'records' | 'capsules'
    >,
    private readonly unitOfWork: UnitOfWork<'spawns' | 'capsules'>,
    private readonly capsules: Pick<CapsuleService, 'make'>,
    private readonly compressor: Pick<SkeletonCompressorService, 'compressWeighed'>,
    private readonly scoreFragments: FragmentScorer,
    private readonly limits: SpawnLimits,
    private readonly clock: Clock,
    private readonly newId: NewId,
    private readonly log: Logger,
  ) {}

  /**
   * Spawns one child with its skeleton and its compression record; where the request names a session,
   * with a capsule of it. `capsule-over-budget`: mission and constraints do not fit, and nothing is written.
   *
   * @throws OssatureError NOT_FOUND, INVALID_RATIO, DEPTH_EXCEEDED, IDEMPOTENCY_CONFLICT; STALE when
   * the parent kept changing. Nothing is written then.
   */
  spawnChild(
    parentPlanId: string,
    request: SessionSpawnRequest,
  ): Promise<SpawnedChild | CapsuleOverBudget>;
  spawnChild(parentPlanId: string, request: SpawnRequest): Promise<SpawnedChild>;
  spawnChild(
    parentPlanId: string,
    request: SpawnRequest | SessionSpawnRequest,
  ): Promise<SpawnedChild | CapsuleOverBudget>;
  async spawnChild(
    parentPlanId: string,
    request: SpawnRequest | SessionSpawnRequest,
  ): Promise<SpawnedChild | CapsuleOverBudget> {
    const parentId = requireRequest(parentPlanId, request);
    for (let attempt = 1; ; attempt += 1) {
      const earlier = await this.findEarlier(parentId, request);
      if (earlier !== null) return earlier;
      const preview = await this.preview(parentId, request);
      if (preview.outcome !== 'planned') return preview;
      try {
        return await this.write(preview, request);
      } catch (error) {
        const lostToTwin =
          OssatureError.is(error, 'ALREADY_EXISTS') && request.idempotencyKey !== undefined;
        const mayRetry = lostToTwin || OssatureError.is(error, 'STALE');
        if (!mayRetry || attempt >= MAX_SPAWN_ATTEMPTS) throw error;
        this.log.debug('spawn.retried', { parentPlanId: parentId, attempt });
      }
    }
  }

  /** What `spawnChild` would do; nothing is written. */
  previewSpawn(
    parentPlanId: string,
    request: SessionSpawnRequest,
  ): Promise<PlannedSpawn | CapsuleOverBudget>;
  previewSpawn(parentPlanId: string, request: SpawnRequest): Promise<PlannedSpawn>;
  previewSpawn(
    parentPlanId: string,
    request: SpawnRequest | SessionSpawnRequest,
  ): Promise<PlannedSpawn | CapsuleOverBudget>;
  async previewSpawn(
    parentPlanId: string,
    request: SpawnRequest | SessionSpawnRequest,
  ): Promise<PlannedSpawn | CapsuleOverBudget> {
    return this.preview(requireRequest(parentPlanId, request), request);
  }

  /**
   * Spawns one child per request, in any number. One that fails does not fail the others: each answer
   * says what became of its request, in the order of the requests.
   *
   * @param maxParallel how many run at once, 1 to 50; the others wait.
   */
  async spawnChildren(
    parentPlanId: string,
    requests: readonly (SpawnRequest | SessionSpawnRequest)[],
    { maxParallel = DEFAULT_MAX_PARALLEL }: { readonly maxParallel?: number } = {},
  ): Promise<readonly SpawnOutcome[]> {
    requireParallelism(maxParallel);
    return inParallel(requests, maxParallel, async (request): Promise<SpawnOutcome> => {
      try {
        return await this.spawnChild(parentPlanId, request);
      } catch (error) {
        return { outcome: 'failed', error };
      }
    });
  }

  private async preview(
    parentId: PlanId,
    request: SpawnRequest | SessionSpawnRequest,
  ): Promise<PlannedSpawn | CapsuleOverBudget> {
    const { parent, policy, entries } = await this.repositories.spawns.read(parentId);
    requireRoomBelow(parent, this.limits.maxDepth);
    const { ratio, origin } = applicableRatio(request.skeletonRatio, parent, policy);
    const { live, superseded } = splitSuperseded(entries);
    const relevanceSource = request.relevance ?? 'stored';
    const weighed = relevanceSource === 'goal' ? await this.rescore(request.goal, live) : live;
    const skeleton = this.compressor.compressWeighed(weighed, ratio);
    const made =
      request.sessionId === undefined ? null : await this.capsules.make(request, request.goal);
    if (made?.outcome === 'capsule-over-budget') return made;
    return {
      outcome: 'planned',
      capsule: made?.capsule ?? null,
      capsuleLeftOut: made?.leftOut ?? null,
      parent,
      skeleton: skeleton.metadata,
      ratioOrigin: origin,
      relevanceSource,
      skeletonBudget: skeleton.budgetTokens,
      inherited: keptOf(skeleton),
      skipped: skippedOf(skeleton, superseded),
      recalled: entries
        .filter(({ recalls }) => recalls > 0)
        .map(({ fragmentId, recalls }) => ({ fragmentId, recalls })),
    };
  }

  private async rescore(
    goal: string,
    entries: readonly ContextEntry[],
  ): Promise<readonly ContextEntry[]> {
    const fragments = await this.repositories.fragments.getMany(entries);
    const scores = checkedScorer(this.scoreFragments)(goal, fragments.map(scorable));
    const relevanceOf = new Map(fragments.map((one, index) => [keyOf(one), scores[index] ?? 0]));
    return entries.map((entry) => ({ ...entry, relevance: relevanceOf.get(keyOf(entry)) ?? 0 }));
  }

  private async write(
    preview: PlannedSpawn,
    request: SpawnRequest | SessionSpawnRequest,
  ): Promise<SpawnedChild> {
    const { parent, skeleton, capsule } = preview;
    const now = this.clock();
    const child = childOf(parent, {
      planId: this.newId() as PlanId,
      goal: request.goal,
      skeletonMetadata: skeleton,
      idempotencyKey: request.idempotencyKey ?? null,
      now,
    });
    const record = recordOf(preview, child, this.newId() as RecordId);
    const spawn = spawnDecision(this.newId() as DecisionId, parent, child);
    const prompt = promptDefinition(this.newId() as DecisionId, child, spawn.decisionId);
    const spawned = { child, decisions: [spawn, prompt], record };
    if (capsule === null) await this.repositories.spawns.insert(spawned, parent.version);
    else {
      const own = { childPlanId: child.planId, parentPlanId: parent.planId, createdAt: now };
      await this.unitOfWork(async ({ spawns, capsules }) => {
        await spawns.insert(spawned, parent.version);
        await capsules.insert({ ...capsule, ...own });
      });
    }
    this.log.info('plan.spawned', {
      planId: child.planId,
      parentPlanId: parent.planId,
      ratio: skeleton.ratio,
      ratioOrigin: preview.ratioOrigin,
      inherited: preview.inherited.length,
      skipped: preview.skipped.length,
      capsuleTokens: capsule?.tokens ?? null,
    });
    return {
      ...preview,
      outcome: 'spawned',
      child,
      inheritedTokenBudget: skeleton.compressedTokens,
      repeated: false,
    };
  }

  /** The child that this idempotency key made before, with what its record says; null: none yet. */
  private async findEarlier(
    parentId: PlanId,
    request: SpawnRequest | SessionSpawnRequest,
  ): Promise<SpawnedChild | null> {
    if (request.idempotencyKey === undefined) return null;
    const { plans, records } = this.repositories;
    const child = await plans.findByIdempotencyKey(parentId, request.idempotencyKey);
    if (child === null) return null;
    const passes = await records.listByChild(child.planId);
    const record = passes.find(({ pass }) => pass === 'spawn');
    if (record === undefined || child.skeletonMetadata === null) {
      throw new OssatureError('STORE_FAILED', `Plan ${child.planId} has no record of its spawn.`, {
        details: { planId: child.planId },
      });
    }
    const capsule = await this.repositories.capsules.findByPlan(child.planId);
    requireSameRequest(request, child, record, capsule);
    return {
      outcome: 'spawned',
      capsule,
      capsuleLeftOut: record.capsuleLeftOut,
      parent: await plans.get(parentId),
      skeleton: child.skeletonMetadata,
      ratioOrigin: record.ratioOrigin,
      relevanceSource: record.relevanceSource,
      skeletonBudget: record.skeletonBudget,
      inherited: record.kept,
      skipped: record.skipped,
      recalled: [],
      child,
      inheritedTokenBudget: record.compressedTokens,
      repeated: true,
    };
  }
}

function keyOf({ planId, fragmentId }: FragmentReference): string {
  return `${planId}/${fragmentId}`;
}

function scorable({ content, tokenCount, metadata }: StoredFragment): ScorableFragment {
  const kind = metadata?.['kind'];
  return { content, tokenCount, ...(typeof kind === 'string' ? { kind } : {}) };
}

function recordOf(preview: SpawnPreview, child: Plan, recordId: RecordId): CompressionRecord {
  return {
    recordId,
    pass: 'spawn',
    childPlanId: child.planId,
    parentPlanId: preview.parent.planId,
    ratio: preview.skeleton.ratio,
    ratioOrigin: preview.ratioOrigin,
    relevanceSource: preview.relevanceSource,
    skeletonBudget: preview.skeletonBudget,
    originalTokens: preview.skeleton.originalTokens,
    compressedTokens: preview.skeleton.compressedTokens,
    kept: preview.inherited,
    skipped: preview.skipped,
    capsuleLeftOut: preview.capsuleLeftOut,
    createdAt: child.createdAt,
  };
}

/** The parent's side of the spawn: the decision that the child's prompt follows from. */
function spawnDecision(decisionId: DecisionId, parent: Plan, child: Plan): Decision {
  return {
    decisionId,
    planId: parent.planId,
    parentDecisionId: null,
    type: 'subplan_spawn',
    question: child.goal,
    choice: child.planId,
    rationale: null,
    supersededBy: null,
    createdAt: child.createdAt,
  };
}
