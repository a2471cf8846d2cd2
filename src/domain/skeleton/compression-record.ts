/**
 * The compression record: everything about one pass that the four fields of the audit metadata do
 * not say. From it a user learns what a child does not know, and can get any piece back.
 */
import type { FragmentReference } from '../context/accumulated-context.js';
import type { PlanId, RecordId } from '../kernel/ids.js';

/** Where the ratio of a pass came from, in the order of precedence. */
export const RATIO_ORIGINS = ['call', 'plan', 'policy', 'default'] as const;
export type RatioOrigin = (typeof RATIO_ORIGINS)[number];

/** `stored`: the relevance kept with each fragment; `goal`: scored against the child's goal. */
export const RELEVANCE_SOURCES = ['stored', 'goal'] as const;
export type RelevanceSource = (typeof RELEVANCE_SOURCES)[number];

export const SKIP_REASONS = ['over-budget', 'superseded'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface RecordedFragment extends FragmentReference {
  /** That of the fragment. */
  readonly tokenCount: number;
  /** As the pass saw it: that of the fragment, or, where the record's source is `goal`, the score. */
  readonly relevance: number;
}

export interface SkippedFragment extends RecordedFragment {
  readonly reason: SkipReason;
}

/** Why a piece of a session is not in the capsule that a child got beside its skeleton. */
export const CAPSULE_REASONS = ['does-not-fit', 'not-named-by-goal'] as const;

/** A piece of the parent's session that its capsule has no room or no reason for. */
export interface CapsuleLeftOut {
  readonly section: 'decisions' | 'errors' | 'artifacts';
  /** What it is there: a decision_id, a path, or the key of an error. */
  readonly sourceId: string;
  readonly tokens: number;
  readonly reason: (typeof CAPSULE_REASONS)[number];
}

export interface CompressionRecord {
  readonly recordId: RecordId;
  /** A `recall` re-attaches one fragment that an earlier pass left behind. */
  readonly pass: 'spawn' | 'recall';
  readonly childPlanId: PlanId;
  /** The plan whose pass left the fragments behind. */
  readonly parentPlanId: PlanId;
  readonly ratio: number;
  readonly ratioOrigin: RatioOrigin;
  readonly relevanceSource: RelevanceSource;
  readonly skeletonBudget: number;
  readonly originalTokens: number;
  readonly compressedTokens: number;
  /** In the order of inheritance: most relevant first. */
  readonly kept: readonly RecordedFragment[];
  readonly skipped: readonly SkippedFragment[];
  /** What the child's capsule left out, in the order in which it was asked; null: the pass made none. */
  readonly capsuleLeftOut: readonly CapsuleLeftOut[] | null;
  readonly createdAt: Date;
}
