/** `builtin:depth-reduction`: everything a little, before something not at all. */
import type { BudgetCompressor } from '../../domain/assembly/assembly-stages.js';
import { reduceDepth } from '../../domain/assembly/reduce-depth.js';
import type { ContextFragment } from '../../domain/context/context-fragment.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { compressToBudget } from '../../domain/skeleton/compress-skeleton.js';

export class DepthReductionCompressor implements BudgetCompressor {
  constructor(private readonly tokenCounter: TokenCounter) {}

  /** At depth 1 where all fits so, else at depth 0; what does not fit then is skipped. */
  compressToBudget<Fragment extends ContextFragment>(
    fragments: readonly Fragment[],
    skeletonBudget: number,
  ): { readonly kept: readonly Fragment[]; readonly skipped: readonly Fragment[] } {
    const count = (text: string): number => this.tokenCounter.count(text);
    const outlined = compressToBudget(reduceDepth(fragments, 1, count), skeletonBudget);
    if (outlined.skipped.length === 0) return outlined;
    return compressToBudget(reduceDepth(fragments, 0, count), skeletonBudget);
  }
}
