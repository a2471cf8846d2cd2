/** What a spawn decides before it writes: which ratio applies, what the child inherits, what it does not. */
import { type ContextPolicy, policyRatio } from '../../domain/context/context-policy.js';
import {
  type CompressionRatio,
  DEFAULT_SKELETON_RATIO,
  parseCompressionRatio,
} from '../../domain/context/compression-ratio.js';
import type { ContextEntry } from '../../domain/context/accumulated-context.js';
import type { Plan } from '../../domain/plan/plan.js';
import type { Skeleton } from '../../domain/skeleton/compress-skeleton.js';
import type {
  RatioOrigin,
  RecordedFragment,
  SkippedFragment,
  SkipReason,
} from '../../domain/skeleton/compression-record.js';

export interface AppliedRatio {
  readonly ratio: CompressionRatio;
  readonly origin: RatioOrigin;
}

/** The first that is set: the call, the spawning plan, the policy's view of its phase, the default. */
export function applicableRatio(
  called: number | undefined,
  parent: Plan,
  policy: ContextPolicy,
): AppliedRatio {
  if (called !== undefined) return { ratio: parseCompressionRatio(called), origin: 'call' };
  if (parent.skeletonRatio !== null) return { ratio: parent.skeletonRatio, origin: 'plan' };
  const view = parent.phase === 'action' ? 'default' : parent.phase;
  const set = policyRatio(policy, view);
  if (set !== null) return { ratio: set.ratio, origin: 'policy' };
  return { ratio: parseCompressionRatio(DEFAULT_SKELETON_RATIO), origin: 'default' };
}

/** Fragments of superseded decisions are left out before anything is measured, and named like the rest. */
export function splitSuperseded(entries: readonly ContextEntry[]): {
  readonly live: readonly ContextEntry[];
  readonly superseded: readonly SkippedFragment[];
} {
  if (!entries.some((entry) => entry.superseded)) return { live: entries, superseded: [] };
  return {
    live: entries.filter((entry) => !entry.superseded),
    superseded: entries
      .filter((entry) => entry.superseded)
      .map((entry) => leftOut(entry, 'superseded')),
  };
}

export function keptOf(skeleton: Skeleton<ContextEntry>): readonly RecordedFragment[] {
  return skeleton.kept.map(recorded);
}

export function skippedOf(
  skeleton: Skeleton<ContextEntry>,
  superseded: readonly SkippedFragment[],
): readonly SkippedFragment[] {
  const overBudget = skeleton.skipped.map((entry) => leftOut(entry, 'over-budget'));
  return superseded.length === 0 ? overBudget : [...overBudget, ...superseded];
}

function leftOut(
  { planId, fragmentId, tokenCount, relevance }: ContextEntry,
  reason: SkipReason,
): SkippedFragment {
  return { planId, fragmentId, tokenCount, relevance, reason };
}

function recorded({ planId, fragmentId, tokenCount, relevance }: ContextEntry): RecordedFragment {
  return { planId, fragmentId, tokenCount, relevance };
}
