import type { WeighedFragment } from '../../domain/context/context-fragment.js';
import type { Skeleton } from '../../domain/skeleton/compress-skeleton.js';

/**
 * Port: makes an inherited skeleton fit a budget. Called once per assembly, concurrently for
 * different plans. What it keeps must not exceed the budget, and every fragment that it was given is
 * either kept or skipped.
 */
export interface SkeletonCompressor {
  /** @param skeletonBudget tokens; ≤ 0 keeps nothing. INVALID_BUDGET unless a safe integer. */
  compressToBudget<Fragment extends WeighedFragment>(
    fragments: readonly Fragment[],
    skeletonBudget: number,
  ): Skeleton<Fragment>;
}
