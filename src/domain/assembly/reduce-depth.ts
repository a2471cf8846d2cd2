/**
 * Depth reduction: all inherited fragments at depth 1, then at depth 0, instead of few of them whole.
 * A parent then hands down what it knows of, and a child asks for the text of what it needs.
 */
import type { ContextFragment } from '../context/context-fragment.js';
import { contentDomainOf, renderAtDepth } from '../context/detail-level.js';
import type { TokenCounter } from '../kernel/measures.js';

/** The same fragments in the given order, each at the depth; one that has no lower rendering stays. */
export function reduceDepth<Fragment extends ContextFragment>(
  fragments: readonly Fragment[],
  depth: 0 | 1,
  count: TokenCounter['count'],
): readonly Fragment[] {
  return fragments.map((fragment) => {
    const { content, tokenCount } = fragment;
    const rendering = renderAtDepth(content, contentDomainOf(content), depth);
    if (rendering === null) return fragment;
    const reducedTokens = count(rendering.content);
    if (reducedTokens >= tokenCount) return fragment;
    return { ...fragment, content: rendering.content, tokenCount: reducedTokens };
  });
}
