/**
 * The service registered as `skeleton_compressor_service`. The rule itself is `compressSkeleton`;
 * here stand the two things that the domain cannot do: the default ratio and a loud word in the log
 * when a pass leaves the child with nothing.
 */
import {
  DEFAULT_SKELETON_RATIO,
  parseCompressionRatio,
} from '../../domain/context/compression-ratio.js';
import type { ContextFragment, WeighedFragment } from '../../domain/context/context-fragment.js';
import {
  compressSkeleton,
  compressToBudget,
  compressWeighed,
  type Skeleton,
} from '../../domain/skeleton/compress-skeleton.js';
import type { Logger } from '../ports/logger.js';
import type { SkeletonCompressor } from './skeleton-compressor.js';

export class SkeletonCompressorService implements SkeletonCompressor {
  constructor(private readonly log: Logger) {}

  /**
   * The most relevant fragments that fit into what the ratio leaves, those that do not, and the
   * audit metadata.
   *
   * @param ratio share of tokens to remove, 0 to 1; left out, DEFAULT_SKELETON_RATIO.
   * @throws OssatureError INVALID_RATIO, INVALID_FRAGMENT or DUPLICATE_FRAGMENT, before any work.
   */
  compress(
    fragments: readonly ContextFragment[],
    ratio: number = DEFAULT_SKELETON_RATIO,
  ): Skeleton {
    return this.report(compressSkeleton(fragments, parseCompressionRatio(ratio)));
  }

  /** `compress` for callers that hold sizes and load no text, such as a spawn from a large parent. */
  compressWeighed<Fragment extends WeighedFragment>(
    fragments: readonly Fragment[],
    ratio: number = DEFAULT_SKELETON_RATIO,
  ): Skeleton<Fragment> {
    return this.report(compressWeighed(fragments, parseCompressionRatio(ratio)));
  }

  compressToBudget<Fragment extends WeighedFragment>(
    fragments: readonly Fragment[],
    skeletonBudget: number,
  ): Skeleton<Fragment> {
    return this.report(compressToBudget(fragments, skeletonBudget));
  }

  private report<Fragment extends WeighedFragment>(skeleton: Skeleton<Fragment>) {
    const { kept, skipped, metadata, budgetTokens } = skeleton;
    const facts = {
      ratio: metadata.ratio,
      budgetTokens,
      originalTokens: metadata.originalTokens,
      compressedTokens: metadata.compressedTokens,
      kept: kept.length,
      skipped: skipped.length,
    };
    if (kept.length === 0 && skipped.length > 0) this.log.warn('skeleton.emptied', facts);
    else this.log.debug('skeleton.compressed', facts);
    return skeleton;
  }
}
