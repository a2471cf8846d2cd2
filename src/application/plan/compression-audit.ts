/**
 * What a plan does not know, and how to get it back. The passes of a plan's ancestors count too: what
 * a parent was never given, it could not pass on.
 */
import { requireWithinSafeSum } from '../../domain/context/context-fragment.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { parsePlanId, type PlanId, type RecordId } from '../../domain/kernel/ids.js';
import { requireText } from '../../domain/kernel/text.js';
import type { Plan } from '../../domain/plan/plan.js';
import type {
  CompressionRecord,
  RecordedFragment,
  SkippedFragment,
} from '../../domain/skeleton/compression-record.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';

export interface DroppedFragment extends SkippedFragment {
  /** The plan that did not get it: the one asked about, or an ancestor. */
  readonly droppedFrom: PlanId;
  /** The plan whose pass left it behind. */
  readonly droppedBy: PlanId;
}

export interface DroppedReport {
  readonly plan: Plan;
  /** The pass that made the plan's skeleton; null for a root. */
  readonly spawn: CompressionRecord | null;
  /** In the order of the passes, nearest generation first; what was recalled since is left out. */
  readonly dropped: readonly DroppedFragment[];
  /**
   * The plan and those of its ancestors that were spawned, but whose spawn has no record any more: what
   * was dropped there is not known. Empty unless rows of the store were destroyed.
   */
  readonly withoutRecord: readonly PlanId[];
}

export interface Recall {
  readonly plan: Plan;
  readonly fragment: RecordedFragment;
  /** True where the fragment follows from a decision that was taken back. */
  readonly superseded: boolean;
  /** How often this fragment was recalled by children of the plan that dropped it, this time included. */
  readonly recalls: number;
}

type Names = 'plans' | 'records' | 'fragments';

export class CompressionAudit {
  constructor(
    private readonly repositories: Pick<Repositories, Names>,
    private readonly unitOfWork: UnitOfWork<Names>,
    private readonly clock: Clock,
    private readonly newId: NewId,
    private readonly log: Logger,
  ) {}

  /** Every fragment that an earlier pass kept from this plan. */
  async dropped(planId: string): Promise<DroppedReport> {
    return this.trace(this.repositories, parsePlanId(planId));
  }

  /**
   * Re-attaches one dropped fragment to the plan, in a pass of its own.
   *
   * @throws OssatureError NOT_FOUND where no pass dropped it, DUPLICATE_FRAGMENT where the plan has
   * another fragment of that id by now.
   */
  async recall(planId: string, fragmentId: string): Promise<Recall> {
    const id = parsePlanId(planId);
    requireText(fragmentId, 'The fragment id');
    return this.unitOfWork(async (repositories) => {
      const plan = await repositories.plans.lockContext(id);
      const { dropped, withoutRecord } = await this.trace(repositories, id);
      const found = dropped.find((candidate) => candidate.fragmentId === fragmentId);
      const entries = await repositories.fragments.listEntries(id);
      const held = entries.find((entry) => entry.fragmentId === fragmentId);
      if (held !== undefined) throw alreadyHeld(id, held, found);
      if (found === undefined) throw notDropped(id, fragmentId, withoutRecord);
      const tokens = entries.reduce((sum, entry) => sum + entry.tokenCount, found.tokenCount);
      requireWithinSafeSum(tokens, found, entries.length);
      const known = await repositories.fragments.listEntries(found.droppedBy);
      const entry = known.find((one) => isSame(one, found));
      await repositories.records.insert(
        this.recallRecord(found, entry?.relevance ?? found.relevance, id),
      );
      await repositories.plans.touch(id, this.clock());
      this.log.info('fragment.recalled', { planId: id, fragmentId, droppedBy: found.droppedBy });
      return {
        plan,
        fragment: found,
        superseded: found.reason === 'superseded',
        recalls: (entry?.recalls ?? 0) + 1,
      };
    });
  }

  private async trace(
    { plans, records, fragments }: Pick<Repositories, Names>,
    planId: PlanId,
  ): Promise<DroppedReport> {
    const plan = await plans.get(planId);
    const held = new Set((await fragments.listEntries(planId)).map(keyOf));
    const dropped: DroppedFragment[] = [];
    const withoutRecord: PlanId[] = [];
    let spawn: CompressionRecord | null = null;
    for (const generation of [plan, ...(await plans.listAncestors(planId))]) {
      const passes = await records.listByChild(generation.planId);
      if (generation.parentPlanId !== null && passes.every(({ pass }) => pass !== 'spawn')) {
        withoutRecord.push(generation.planId);
      }
      for (const record of passes) {
        if (record.childPlanId === planId && record.pass === 'spawn') spawn = record;
        for (const skipped of record.skipped) {
          if (held.has(keyOf(skipped))) continue;
          held.add(keyOf(skipped));
          dropped.push({
            ...skipped,
            droppedFrom: generation.planId,
            droppedBy: record.parentPlanId,
          });
        }
      }
    }
    return { plan, spawn, dropped, withoutRecord };
  }

  private recallRecord(
    { planId: holder, fragmentId, tokenCount, droppedBy }: DroppedFragment,
    relevance: number,
    planId: PlanId,
  ): CompressionRecord {
    return {
      recordId: this.newId() as RecordId,
      pass: 'recall',
      childPlanId: planId,
      parentPlanId: droppedBy,
      ratio: 0,
      ratioOrigin: 'call',
      relevanceSource: 'stored',
      skeletonBudget: tokenCount,
      originalTokens: tokenCount,
      compressedTokens: tokenCount,
      kept: [{ planId: holder, fragmentId, tokenCount, relevance }],
      skipped: [],
      capsuleLeftOut: null,
      createdAt: this.clock(),
    };
  }
}

function keyOf({ planId, fragmentId }: { readonly planId: string; readonly fragmentId: string }) {
  return `${planId}/${fragmentId}`;
}

function isSame(
  one: { readonly planId: string; readonly fragmentId: string },
  other: { readonly planId: string; readonly fragmentId: string },
): boolean {
  return one.planId === other.planId && one.fragmentId === other.fragmentId;
}

function alreadyHeld(
  planId: PlanId,
  held: { readonly planId: PlanId; readonly fragmentId: string },
  dropped: DroppedFragment | undefined,
): OssatureError {
  const { fragmentId } = held;
  const details = { planId, fragmentId, heldBy: held.planId };
  return dropped === undefined
    ? new OssatureError('ALREADY_EXISTS', `Plan ${planId} already has fragment ${fragmentId}.`, {
        details,
      })
    : new OssatureError(
        'DUPLICATE_FRAGMENT',
        `Plan ${planId} cannot recall fragment ${fragmentId} of plan ${dropped.planId}: its context has another fragment of that id, held by plan ${held.planId}.`,
        { details },
      );
}

function notDropped(
  planId: PlanId,
  fragmentId: string,
  withoutRecord: readonly PlanId[],
): OssatureError {
  const missing = withoutRecord.map(
    (unknown) => ` The record of the spawn of plan ${unknown} is missing.`,
  );
  return new OssatureError(
    'NOT_FOUND',
    `No recorded pass dropped a fragment ${JSON.stringify(fragmentId)} on the way to plan ${planId}. List what was dropped to see the ids.${missing.join('')}`,
    { details: { planId, fragmentId, withoutRecord } },
  );
}
