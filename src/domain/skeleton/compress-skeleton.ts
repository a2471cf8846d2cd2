/**
 * Skeleton compression: the most relevant fragments of a parent that fit a token budget.
 *
 * Deterministic: the same fragments, in any order, give the same skeleton. Sizes are the token
 * counts taken when a fragment was stored; nothing is measured again here.
 */
import {
  type ContextFragment,
  requireDistinct,
  requireFragment,
  requireWeighed,
  totalTokens,
  type WeighedFragment,
} from '../context/context-fragment.js';
import {
  type CompressionRatio,
  parseCompressionRatio,
  tokensLeft,
} from '../context/compression-ratio.js';
import { OssatureError } from '../kernel/errors.js';
import { freezeMetadata, type SkeletonMetadata } from './skeleton-metadata.js';

export interface Skeleton<Fragment extends WeighedFragment = ContextFragment> {
  /** Most relevant first. */
  readonly kept: readonly Fragment[];
  /** Did not fit, in the same order, so that the caller can say what the child will not see. */
  readonly skipped: readonly Fragment[];
  readonly metadata: SkeletonMetadata;
  /** The ceiling that was packed against. Ratio 1 keeps one fragment above its ceiling of 0. */
  readonly budgetTokens: number;
}

/**
 * Keeps the most relevant fragments that fit into the tokens the ratio leaves.
 *
 * A fragment that is too large is passed over; smaller ones behind it may still fit. Ratio 1 leaves
 * no tokens at all, so it means "only the most relevant fragment", whatever its size.
 *
 * @throws OssatureError INVALID_RATIO, INVALID_FRAGMENT or DUPLICATE_FRAGMENT, before any work.
 */
export function compressSkeleton(
  fragments: readonly ContextFragment[],
  ratio: CompressionRatio,
): Skeleton {
  parseCompressionRatio(ratio);
  requireAll(fragments, requireFragment);
  return compressWeighed(fragments, ratio);
}

/** {@link compressSkeleton} for callers that know sizes only and load no text. */
export function compressWeighed<Fragment extends WeighedFragment>(
  fragments: readonly Fragment[],
  ratio: CompressionRatio,
): Skeleton<Fragment> {
  const applied = parseCompressionRatio(ratio);
  requireAll(fragments, requireWeighed);
  const originalTokens = totalTokens(fragments);
  const budgetTokens = tokensLeft(originalTokens, applied);
  const ranked = rank(fragments);
  if (applied === 1) {
    return skeleton(ranked.slice(0, 1), ranked.slice(1), {
      ratio: 1,
      originalTokens,
      budgetTokens,
    });
  }
  const { kept, skipped } = pack(ranked, budgetTokens);
  return skeleton(kept, skipped, { ratio: applied, originalTokens, budgetTokens });
}

/**
 * Keeps the most relevant fragments that fit into a budget; ≤ 0 keeps nothing.
 *
 * `metadata.ratio` is the share that the budget asks to remove: 0 when it covers every fragment or
 * there are no tokens, 1 when it is ≤ 0.
 *
 * @throws OssatureError INVALID_BUDGET, INVALID_FRAGMENT or DUPLICATE_FRAGMENT, before any work.
 */
export function compressToBudget<Fragment extends WeighedFragment>(
  fragments: readonly Fragment[],
  budgetTokens: number,
): Skeleton<Fragment> {
  if (!Number.isSafeInteger(budgetTokens)) {
    throw new OssatureError(
      'INVALID_BUDGET',
      `budgetTokens must be a safe integer, got ${String(budgetTokens)}.`,
      { details: { value: budgetTokens } },
    );
  }
  requireAll(fragments, requireWeighed);
  const originalTokens = totalTokens(fragments);
  const ranked = rank(fragments);
  const { kept, skipped } =
    budgetTokens > 0 ? pack(ranked, budgetTokens) : { kept: [], skipped: ranked };
  const removed = Math.max(0, originalTokens - Math.max(0, budgetTokens));
  const ratio = originalTokens === 0 ? 0 : removed / originalTokens;
  return skeleton(kept, skipped, { ratio, originalTokens, budgetTokens });
}

function requireAll(
  fragments: readonly unknown[],
  require: (value: unknown, index: number) => void,
): void {
  if (!Array.isArray(fragments)) {
    throw new OssatureError('INVALID_FRAGMENT', 'fragments must be an array.', {
      details: { fragmentId: null, index: null, field: 'fragments' },
    });
  }
  for (let index = 0; index < fragments.length; index += 1) require(fragments[index], index);
}

/** Ids compare by code unit: a locale-aware order would differ from machine to machine. */
function rank<Fragment extends WeighedFragment>(fragments: readonly Fragment[]): Fragment[] {
  requireDistinct(fragments);
  return [...fragments].sort(
    (a, b) => b.relevance - a.relevance || (a.fragmentId < b.fragmentId ? -1 : 1),
  );
}

function pack<Fragment extends WeighedFragment>(ranked: readonly Fragment[], budgetTokens: number) {
  const kept: Fragment[] = [];
  const skipped: Fragment[] = [];
  let free = budgetTokens;
  for (const fragment of ranked) {
    if (fragment.tokenCount <= free) {
      kept.push(fragment);
      free -= fragment.tokenCount;
    } else {
      skipped.push(fragment);
    }
  }
  return { kept, skipped };
}

function skeleton<Fragment extends WeighedFragment>(
  kept: readonly Fragment[],
  skipped: readonly Fragment[],
  pass: {
    readonly ratio: number;
    readonly originalTokens: number;
    readonly budgetTokens: number;
  },
): Skeleton<Fragment> {
  const { ratio, originalTokens, budgetTokens } = pass;
  return {
    kept,
    skipped,
    metadata: freezeMetadata({
      ratio,
      originalTokens,
      compressedTokens: totalTokens(kept),
      sourceDecisionIds: [...new Set(kept.flatMap(({ decisionId }) => decisionId ?? []))],
    }),
    budgetTokens,
  };
}
