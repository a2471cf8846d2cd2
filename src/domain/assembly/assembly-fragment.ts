/**
 * A fragment on its way through an assembly: given by a source, offered by a strategy, scored,
 * packed or excluded. Each step adds to what the one before it said and refers to the same text.
 */
import type { FragmentReference } from '../context/accumulated-context.js';
import type { ContextFragment } from '../context/context-fragment.js';
import type { ContentDomain, Rendering } from '../context/detail-level.js';

/** What a source of context gives. Only the first line of fields must be there. */
export interface AssemblyFragment extends ContextFragment, FragmentReference {
  /** `name@version` of the counter behind `tokenCount`; what another one counted is counted again. */
  readonly tokenCounter?: string | null;
  /** `query` where `relevance` was measured against the request's query; else the scorer measures it. */
  readonly relevanceTo?: 'query' | 'stored';
  /** What the fragment shows, such as a file; fragments of one node compete. Left out: only itself. */
  readonly nodeId?: string;
  /** How much of its node it shows; left out: all of it. */
  readonly depth?: number;
  readonly contentDomain?: ContentDomain;
  /** The fragment at lower depths, where its source knows better than `renderAtDepth`. */
  readonly renderings?: readonly Rendering[];
  /** The document or turn that it is part of, and where in it; neighbours stay in this order. */
  readonly group?: string;
  readonly position?: number;
  /** How near the plan that holds it is to the plan that asks, 0..1; left out: 1. */
  readonly hierarchy?: number;
  /** 1 the newest, less the older it is, 0..1; left out: 0. */
  readonly recency?: number;
  /** What it is, such as `user` or `tool_result`; the relevance scorer reads it. */
  readonly kind?: string;
}

export interface OfferedFragment {
  readonly fragment: AssemblyFragment;
  /** The strategy that offered it. */
  readonly strategy: string;
  /** That strategy's quality, 0..1. */
  readonly quality: number;
}

/** Each part in 0..1, and their weighted sum. */
export interface ScoreBreakdown {
  readonly relevance: number;
  readonly hierarchy: number;
  readonly quality: number;
  readonly recency: number;
  readonly total: number;
}

export interface ScoredFragment extends OfferedFragment {
  readonly score: ScoreBreakdown;
}

/** What is shown of a fragment: all of it, or one of its lower renderings. */
export interface ShownFragment extends ContextFragment, FragmentReference {
  /** Set where the text is a lower rendering: its depth where that is known, and the tokens of the whole. */
  readonly reduced?: { readonly depth: number | null; readonly fullTokenCount: number };
}

export interface AssembledFragment extends ShownFragment {
  readonly strategy: string;
  readonly score: ScoreBreakdown;
}

/** A fragment that was packed, still with what the orderer needs. */
export interface PackedFragment extends ScoredFragment {
  readonly shown: ShownFragment;
}

/**
 * `duplicate`: the same node and content is in. `shallower`: its node is in at a greater depth or
 * relevance. `over-budget`: no room, neither in a strategy's share nor in what others left.
 * `not-offered`: there was room, but no strategy offered it. `too-small`: below the smallest useful size. `superseded`: its decision was taken back.
 * `unexplained`: a stage of the host's lost it.
 */
export const EXCLUSION_REASONS = [
  'duplicate',
  'shallower',
  'over-budget',
  'not-offered',
  'too-small',
  'superseded',
  'unexplained',
] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

export interface ExcludedFragment extends FragmentReference {
  readonly tokenCount: number;
  readonly reason: ExclusionReason;
  /** The strategy that offered it; null where none did. */
  readonly strategy: string | null;
}

/** What a strategy has and does not offer. */
export interface LeftOutFragment extends FragmentReference {
  readonly tokenCount: number;
  /** Left out: `over-budget`. `not-offered`: not for its size. */
  readonly reason?: 'over-budget' | 'not-offered';
}

/** What a fragment is about: the node that it names, or itself. */
export function nodeOf({ nodeId, planId, fragmentId }: AssemblyFragment): string {
  return nodeId ?? `${planId}/${fragmentId}`;
}

export function keyOf({ planId, fragmentId }: FragmentReference): string {
  return `${planId}/${fragmentId}`;
}

export function excluded(
  { fragment, strategy }: OfferedFragment,
  reason: ExclusionReason,
): ExcludedFragment {
  const { planId, fragmentId, tokenCount } = fragment;
  return { planId, fragmentId, tokenCount, reason, strategy };
}

/** A fragment as it is shown whole. */
export function shownWhole(fragment: ContextFragment & FragmentReference): ShownFragment {
  const { planId, fragmentId, content, tokenCount, relevance, decisionId } = fragment;
  return { planId, fragmentId, content, tokenCount, relevance, decisionId: decisionId ?? null };
}
