/**
 * Stage 7: fills the room, best score first, in two sweeps. The first keeps the promise of the shares:
 * a fragment is taken whole, or at a lower depth, if that fits what is left of its strategy's share.
 * The second gives what the shares left over to all: what was reduced is made whole, and what was
 * passed over is taken, as far as the room goes.
 *
 * What is below the smallest useful size says nothing alone; a short turn of a conversation ("Yes, on
 * Friday.") is taken, by its score, where a neighbour of it is shown.
 */
import { addTokens, subtractTokens } from '../context/context-budget.js';
import { LADDER } from '../context/detail-level.js';
import type { TokenCounter } from '../kernel/measures.js';
import {
  type AssemblyFragment,
  type ExcludedFragment,
  excluded,
  type PackedFragment,
  type ScoredFragment,
  type ShownFragment,
  shownWhole,
} from './assembly-fragment.js';
import type { BudgetPacker, Joints } from './assembly-stages.js';
import { renderingAt } from './fragment-renderings.js';
import { depthOf } from './merge-fragments.js';

const NO_JOINTS: Joints = { tokens: 0, textsBefore: 0 };

export const packFragments: BudgetPacker = (
  ranked,
  { roomTokens, shares, smallestFragment, joints = NO_JOINTS },
  count,
) => {
  const shareLeft = new Map(shares.map(({ name, budgetTokens }) => [name, budgetTokens]));
  const shown: (ShownFragment | null)[] = ranked.map(() => null);
  let texts = joints.textsBefore;
  let free = subtractTokens(Math.max(0, roomTokens), Math.max(0, texts - 1) * joints.tokens);
  /** Tokens that one more fragment costs beside its own. */
  const jointOf = (): number => (texts === 0 ? 0 : joints.tokens);
  const pay = (tokens: number): void => {
    free = subtractTokens(free, tokens, jointOf());
    texts += 1;
  };
  const fit = fitting(smallestFragment, count);
  const isBeside = besideShown(ranked, shown);
  const isAlone = (at: number, fragment: AssemblyFragment): boolean =>
    fragment.tokenCount < smallestFragment && !isBeside(at);

  ranked.forEach(({ fragment, strategy }, at) => {
    if (isAlone(at, fragment)) return;
    const limit = Math.min(subtractTokens(free, jointOf()), shareLeft.get(strategy) ?? 0);
    const fits = fit(fragment, limit);
    if (fits === null) return;
    shown[at] = fits;
    pay(fits.tokenCount);
    shareLeft.set(strategy, subtractTokens(shareLeft.get(strategy) ?? 0, fits.tokenCount));
  });
  ranked.forEach(({ fragment }, at) => {
    const before = shown[at] ?? null;
    if ((before !== null && before.reduced === undefined) || isAlone(at, fragment)) return;
    const taken = before?.tokenCount ?? 0;
    const joint = before === null ? jointOf() : 0;
    const fits = fit(fragment, subtractTokens(addTokens(free, taken), joint));
    if (fits === null || fits.tokenCount <= taken) return;
    shown[at] = fits;
    if (before === null) pay(fits.tokenCount);
    else free = subtractTokens(addTokens(free, taken), fits.tokenCount);
  });

  const packed: PackedFragment[] = [];
  const lost: ExcludedFragment[] = [];
  ranked.forEach((scored, at) => {
    const taken = shown[at] ?? null;
    if (taken !== null) packed.push({ ...scored, shown: taken });
    else {
      lost.push(excluded(scored, isAlone(at, scored.fragment) ? 'too-small' : 'over-budget'));
    }
  });
  return { packed, excluded: lost };
};

/**
 * Whether the fragment is part of a document or turn, and one right before or behind it, in the order
 * of its plan, is shown by now. A fragment that is part of nothing stands alone.
 */
function besideShown(
  ranked: readonly ScoredFragment[],
  shown: readonly (ShownFragment | null)[],
): (at: number) => boolean {
  const placeOf = new Map<string, number>();
  ranked.forEach(({ fragment: { planId, position, group } }, at) => {
    if (position !== undefined && group !== undefined) placeOf.set(`${planId} ${position}`, at);
  });
  return (at) => {
    const { planId, position, group } = ranked[at]?.fragment ?? {};
    if (position === undefined || group === undefined) return false;
    return [position - 1, position + 1].some((neighbour) => {
      const place = placeOf.get(`${planId} ${neighbour}`);
      return place !== undefined && (shown[place] ?? null) !== null;
    });
  };
}

type Fit = (fragment: AssemblyFragment, limitTokens: number) => ShownFragment | null;

/** A fragment whole or at the deepest rung that fits the limit; null where none does, or says too little. */
function fitting(smallestFragment: number, count: TokenCounter['count']): Fit {
  // Both sweeps ask; a rendering is made and counted once.
  const rungsOf = new Map<AssemblyFragment, readonly ShownFragment[]>();
  return (fragment, limitTokens) => {
    if (limitTokens <= 0) return null;
    if (fragment.tokenCount <= limitTokens) return shownWhole(fragment);
    if (limitTokens < smallestFragment) return null;
    const rungs = rungsOf.get(fragment) ?? rungsDown(fragment, smallestFragment, count);
    rungsOf.set(fragment, rungs);
    return rungs.find(({ tokenCount }) => tokenCount <= limitTokens) ?? null;
  };
}

/** The fragment at lower depths, deepest first, down to the first that says too little. */
function rungsDown(
  fragment: AssemblyFragment,
  smallestFragment: number,
  count: TokenCounter['count'],
): readonly ShownFragment[] {
  const wholeDepth = depthOf(fragment);
  const rungs: ShownFragment[] = [];
  let deeper: string | null = null;
  for (const depth of LADDER) {
    const content = depth < wholeDepth ? renderingAt(fragment, depth) : null;
    // A text without an outline reads the same at every depth.
    if (content === null || content === deeper) continue;
    deeper = content;
    const tokenCount = count(content);
    if (tokenCount < smallestFragment) break;
    if (tokenCount >= fragment.tokenCount) continue;
    const reduced = { depth, fullTokenCount: fragment.tokenCount };
    rungs.push({ ...shownWhole(fragment), content, tokenCount, reduced });
  }
  return rungs;
}
