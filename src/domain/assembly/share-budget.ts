/**
 * Stage 2: shares of the room in proportion to confidence. No share exceeds the cap; what a capped
 * strategy cannot take is shared among the others. Preferred strategies are served first.
 */
import {
  addTokens,
  multiplyTokens,
  shareOfTokens,
  subtractTokens,
} from '../context/context-budget.js';
import type { BudgetAllocator, BudgetShare, RankedStrategy } from './assembly-stages.js';

/** Confidences are shared as whole numbers of this fraction, so that shares are exact. */
const CONFIDENCE_STEPS = 1_000_000;

export const shareBudget: BudgetAllocator = (strategies, roomTokens, strategyCap) => {
  const room = Math.max(0, roomTokens);
  const capTokens = shareOfTokens(
    room,
    Math.round(strategyCap * CONFIDENCE_STEPS),
    CONFIDENCE_STEPS,
  );
  const served = shareAmong(strategies.filter(isPreferredToRun), room, capTokens);
  const left = subtractTokens(room, sumOf(served));
  const others = shareAmong(strategies.filter(isOtherToRun), left, capTokens);
  return [...served, ...others];
};

function isPreferredToRun({ confidence, isPreferred }: RankedStrategy): boolean {
  return isPreferred && confidence > 0;
}

function isOtherToRun({ confidence, isPreferred }: RankedStrategy): boolean {
  return !isPreferred && confidence > 0;
}

/** Gives the capped ones their cap, round by round, until a round caps nobody. */
function shareAmong(
  strategies: readonly RankedStrategy[],
  tokens: number,
  capTokens: number,
): readonly BudgetShare[] {
  const stepsOf = ({ confidence }: RankedStrategy): number =>
    Math.max(1, Math.round(confidence * CONFIDENCE_STEPS));
  const capped = new Set<RankedStrategy>();
  for (;;) {
    const open = strategies.filter((strategy) => !capped.has(strategy));
    const left = subtractTokens(tokens, multiplyTokens(capTokens, capped.size));
    const steps = open.reduce((sum, strategy) => sum + stepsOf(strategy), 0);
    const shareOf = (strategy: RankedStrategy): number =>
      capped.has(strategy) ? capTokens : shareOfTokens(left, stepsOf(strategy), steps);
    const above = open.filter((strategy) => shareOf(strategy) > capTokens);
    if (above.length === 0) {
      return strategies.map((strategy) => ({
        name: strategy.name,
        budgetTokens: shareOf(strategy),
      }));
    }
    for (const strategy of above) capped.add(strategy);
  }
}

function sumOf(shares: readonly BudgetShare[]): number {
  return shares.reduce((sum, { budgetTokens }) => addTokens(sum, budgetTokens), 0);
}
