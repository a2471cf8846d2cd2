/**
 * Skeleton compression: the most relevant fragments of a parent that fit a token budget.
 *
 * Deterministic: the same fragments, in any order, give the same skeleton. Sizes are the token
 * counts taken when a fragment was stored; nothing is measured again here.
 */
import {
  type ContextFragment,
  requireUndecided,
  requireUndecidedWeight,
  type WeighedFragment,
} from '../context/context-fragment.js';
import {
  type CompressionRatio,
  parseCompressionRatio,
  tokensLeft,
} from '../context/compression-ratio.js';
import { type FragmentColumns, NO_DECISION, readColumns } from '../context/fragment-columns.js';
import { OssatureError } from '../kernel/errors.js';
import { orderByRelevance } from './order-by-relevance.js';
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
  const applied = parseCompressionRatio(ratio);
  return compressByRatio(fragments, readColumns(fragments, requireUndecided), applied);
}

/** {@link compressSkeleton} for callers that know sizes only and load no text. */
export function compressWeighed<Fragment extends WeighedFragment>(
  fragments: readonly Fragment[],
  ratio: CompressionRatio,
): Skeleton<Fragment> {
  const applied = parseCompressionRatio(ratio);
  return compressByRatio(fragments, readColumns(fragments, requireUndecidedWeight), applied);
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
  const columns = readColumns(fragments, requireUndecidedWeight);
  const order = orderByRelevance(fragments, columns.relevances);
  const fits =
    budgetTokens > 0 ? pack(order, columns.tokenCounts, budgetTokens) : firstOnly(order, 0);
  const removed = columns.totalTokens - Math.max(0, budgetTokens);
  const ratio = removed > 0 ? removed / columns.totalTokens : 0;
  return skeletonOf(fragments, columns, { order, fits }, { ratio, budgetTokens });
}

/** Rows of fragments in order, and a 1 at each place of it whose fragment is kept. */
interface Packing {
  readonly order: Uint32Array;
  readonly fits: Uint8Array;
}

function compressByRatio<Fragment extends WeighedFragment>(
  fragments: readonly Fragment[],
  columns: FragmentColumns,
  ratio: CompressionRatio,
): Skeleton<Fragment> {
  const budgetTokens = tokensLeft(columns.totalTokens, ratio);
  const order = orderByRelevance(fragments, columns.relevances);
  const fits = ratio === 1 ? firstOnly(order, 1) : pack(order, columns.tokenCounts, budgetTokens);
  return skeletonOf(fragments, columns, { order, fits }, { ratio, budgetTokens });
}

function pack(order: Uint32Array, tokenCounts: Float64Array, budgetTokens: number): Uint8Array {
  const fits = new Uint8Array(order.length);
  let free = budgetTokens;
  for (let place = 0; place < order.length; place += 1) {
    const tokenCount = tokenCounts[order[place] ?? 0] ?? 0;
    if (tokenCount > free) continue;
    fits[place] = 1;
    free -= tokenCount;
  }
  return fits;
}

function firstOnly(order: Uint32Array, length: number): Uint8Array {
  return new Uint8Array(order.length).fill(1, 0, length);
}

function skeletonOf<Fragment extends WeighedFragment>(
  fragments: readonly Fragment[],
  { tokenCounts, decisions, decisionIds, totalTokens }: FragmentColumns,
  { order, fits }: Packing,
  { ratio, budgetTokens }: { readonly ratio: number; readonly budgetTokens: number },
): Skeleton<Fragment> {
  const kept: Fragment[] = [];
  const skipped: Fragment[] = [];
  const isNamed = new Uint8Array(decisionIds.length);
  isNamed[NO_DECISION] = 1;
  const sourceDecisionIds: string[] = [];
  let compressedTokens = 0;
  for (let place = 0; place < order.length; place += 1) {
    const row = order[place] ?? 0;
    const fragment = fragments[row] as Fragment;
    if (fits[place] === 0) {
      skipped.push(fragment);
      continue;
    }
    kept.push(fragment);
    compressedTokens += tokenCounts[row] ?? 0;
    const decision = decisions[row] ?? NO_DECISION;
    if (isNamed[decision] === 1) continue;
    isNamed[decision] = 1;
    sourceDecisionIds.push(decisionIds[decision] ?? '');
  }
  const metadata = freezeMetadata({
    ratio,
    originalTokens: totalTokens,
    compressedTokens,
    sourceDecisionIds,
  });
  return { kept, skipped, metadata, budgetTokens };
}
