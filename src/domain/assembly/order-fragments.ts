/**
 * Stage 8: the order in which a model reads. Fragments of one document or turn form a block and stay
 * in their order; the best block comes first, the second best last, and so on inwards, because what
 * stands in the middle of a long context is used least.
 *
 * Source: N. Liu et al., "Lost in the Middle: How Language Models Use Long Contexts" (2023).
 */
import { keyOf, type PackedFragment } from './assembly-fragment.js';
import type { FragmentOrderer } from './assembly-stages.js';

interface Block {
  readonly key: string;
  readonly members: PackedFragment[];
  best: number;
}

export const orderFragments: FragmentOrderer = (packed) => {
  const blocks = new Map<string, Block>();
  for (const one of packed) {
    const { group } = one.fragment;
    const key = group === undefined ? `alone ${keyOf(one.fragment)}` : `group ${group}`;
    const block = blocks.get(key) ?? { key, members: [], best: 0 };
    block.members.push(one);
    block.best = Math.max(block.best, one.score.total);
    blocks.set(key, block);
  }
  const ranked = [...blocks.values()].sort((a, b) => b.best - a.best || (a.key < b.key ? -1 : 1));
  const front = ranked.filter((_, place) => place % 2 === 0);
  const back = ranked.filter((_, place) => place % 2 === 1).reverse();
  return [...front, ...back].flatMap(({ members }) => members.sort(byPosition));
};

function byPosition({ fragment: a }: PackedFragment, { fragment: b }: PackedFragment): number {
  return (a.position ?? 0) - (b.position ?? 0) || (keyOf(a) < keyOf(b) ? -1 : 1);
}
