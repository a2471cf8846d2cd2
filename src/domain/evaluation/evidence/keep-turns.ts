/** Which turns survive under a budget, by the scores of an arm. */

/** What a turn costs beside its tokens (specification of evaluation, §8). */
export const TURN_OVERHEAD_TOKENS = 1;

export interface KeptTurns {
  /** Positions that survive word for word. */
  readonly kept: ReadonlySet<number>;
  /** Positions that a kept item cites, beside those. */
  readonly reachable: ReadonlySet<number>;
  readonly usedTokens: number;
}

/** Best score first, ties to the newer turn; one that does not fit is passed over. */
export function keepTurns(
  scores: ArrayLike<number>,
  costs: readonly number[],
  budgetTokens: number,
): KeptTurns {
  return keepInOrder(rankTurns(scores, costs.length), costs, budgetTokens);
}

/** The same at several budgets. */
export function keepTurnsAt(
  scores: ArrayLike<number>,
  costs: readonly number[],
  budgetsTokens: readonly number[],
): readonly KeptTurns[] {
  const ranked = rankTurns(scores, costs.length);
  return budgetsTokens.map((budget) => keepInOrder(ranked, costs, budget));
}

function rankTurns(scores: ArrayLike<number>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, position) => position).sort(
    (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a,
  );
}

function keepInOrder(
  ranked: readonly number[],
  costs: readonly number[],
  budgetTokens: number,
): KeptTurns {
  const kept = new Set<number>();
  let usedTokens = 0;
  for (const position of ranked) {
    const cost = costs[position] ?? 0;
    if (usedTokens + cost > budgetTokens) continue;
    kept.add(position);
    usedTokens += cost;
  }
  return { kept, reachable: kept, usedTokens };
}

/** Tokens of a share of the case, in percent: rounded down, so that the budget is never exceeded. */
export function budgetOf(costs: readonly number[], percent: number): number {
  return Math.floor((costs.reduce((sum, cost) => sum + cost, 0) * percent) / 100);
}
