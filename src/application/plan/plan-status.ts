/** A plan as a person asks about it: where it stands, how much it knows, what it inherited. */
import type { Project } from '../../domain/context/project.js';
import type { PlanId } from '../../domain/kernel/ids.js';
import type { Plan } from '../../domain/plan/plan.js';
import type { CompressionRecord } from '../../domain/skeleton/compression-record.js';
import type { SkeletonMetadata } from '../../domain/skeleton/skeleton-metadata.js';
import type { Repositories } from '../ports/unit-of-work.js';
import type { CapsuleService, CapsuleState } from '../session/capsule-service.js';

export interface ContextSize {
  readonly fragments: number;
  readonly tokens: number;
}

export interface SkeletonStatus extends SkeletonMetadata {
  readonly removedTokens: number;
  /** Percent of the original tokens, one decimal; 0 where there were none. */
  readonly removedPercent: number;
}

export interface PlanStatusReport {
  readonly plan: Plan;
  readonly project: Project;
  readonly children: readonly Plan[];
  readonly context: {
    readonly own: ContextSize;
    readonly inherited: ContextSize;
    readonly total: ContextSize;
    /** Part of the total that no later skeleton will carry, because its decision was superseded. */
    readonly superseded: ContextSize;
  };
  readonly decisions: { readonly live: number; readonly superseded: number };
  /** Present only where the plan inherited a skeleton. */
  readonly skeleton?: SkeletonStatus;
  /** What a session gave to this plan at its spawn; null: nothing. */
  readonly capsule: CapsuleState | null;
  /** Fragments that this plan had to recall after its spawn. */
  readonly recalledFragments: number;
  /** What a user should know without asking, in words. */
  readonly notes: readonly string[];
}

export class PlanStatus {
  constructor(
    private readonly repositories: Repositories,
    private readonly capsules: Pick<CapsuleService, 'ofPlan'>,
  ) {}

  async report(planId: PlanId): Promise<PlanStatusReport> {
    const { plans, projects, fragments, decisions, records } = this.repositories;
    const plan = await plans.get(planId);
    const project = await projects.get(plan.projectId);
    const entries = await fragments.listEntries(planId);
    const ledger = await decisions.listByPlan(planId);
    const passes = await records.listByChild(planId);
    const skeleton = plan.skeletonMetadata === null ? null : skeletonStatus(plan.skeletonMetadata);
    const superseded = ledger.filter(({ supersededBy }) => supersededBy !== null).length;
    return {
      plan,
      project,
      children: await plans.listChildren(planId),
      context: {
        own: sizeOf(entries.filter((entry) => entry.planId === planId)),
        inherited: sizeOf(entries.filter((entry) => entry.planId !== planId)),
        total: sizeOf(entries),
        superseded: sizeOf(entries.filter((entry) => entry.superseded)),
      },
      decisions: { live: ledger.length - superseded, superseded },
      ...(skeleton === null ? {} : { skeleton }),
      capsule: await this.capsules.ofPlan(planId),
      recalledFragments: passes.filter(({ pass }) => pass === 'recall').length,
      notes: notesOn(plan, passes),
    };
  }
}

function sizeOf(entries: readonly { readonly tokenCount: number }[]): ContextSize {
  return {
    fragments: entries.length,
    tokens: entries.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
  };
}

function skeletonStatus(metadata: SkeletonMetadata): SkeletonStatus {
  const removedTokens = metadata.originalTokens - metadata.compressedTokens;
  const share = metadata.originalTokens === 0 ? 0 : removedTokens / metadata.originalTokens;
  return { ...metadata, removedTokens, removedPercent: Math.round(share * 1000) / 10 };
}

function notesOn(plan: Plan, passes: readonly CompressionRecord[]): readonly string[] {
  const spawn = passes.find(({ pass }) => pass === 'spawn');
  if (spawn === undefined && plan.parentPlanId !== null) {
    return [
      "The record of this plan's spawn is missing: what it was not given is not known. Records go only when rows are destroyed from outside, or by `database revert --force`.",
    ];
  }
  if (spawn === undefined || spawn.kept.length > 0 || spawn.skipped.length === 0) return [];
  const smallest = smallestOverBudget(spawn);
  return [
    `This plan inherited nothing: the budget of ${spawn.skeletonBudget} tokens (ratio ${spawn.ratio} of ${spawn.originalTokens}) is smaller than every fragment` +
      (Number.isFinite(smallest) ? `, the smallest of which has ${smallest} tokens. ` : '. ') +
      `Spawn again from ${plan.parentPlanId} with a lower ratio, or recall single fragments.`,
  ];
}

/** Tokens; Infinity where nothing was over the budget. */
function smallestOverBudget(record: CompressionRecord): number {
  return record.skipped.reduce(
    (smallest, { tokenCount, reason }) =>
      reason === 'over-budget' && tokenCount < smallest ? tokenCount : smallest,
    Infinity,
  );
}
