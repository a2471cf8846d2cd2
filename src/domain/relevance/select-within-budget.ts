/**
 * Which fragments survive at a token budget: best score first, what is too large is passed over,
 * and a copy of a longer fragment waits until everything else had its chance.
 */
import { addTokens, subtractTokens } from '../context/context-budget.js';
import { type FragmentScorer, type ScorableFragment, scoreRelevance } from './score-relevance.js';

/**
 * Tokens from which an equal text is a copy, such as a file that was read twice. Shorter ones ("yes")
 * are turns of their own: on meetings, demoting them too costs 1 to 7 points of recalled evidence
 * (QMSum, validation split).
 */
const SHORTEST_COPY = 50;

export type SkipReason = 'over-budget' | 'copy';

export interface SkippedPosition {
  readonly position: number;
  readonly reason: SkipReason;
}

export interface Selection {
  /** Positions of the kept fragments, in the order given (the order of time). */
  readonly kept: readonly number[];
  /** Every other position, best score first, with the reason. */
  readonly skipped: readonly SkippedPosition[];
  /** Tokens of the kept fragments, at most the budget. */
  readonly usedTokens: number;
}

/**
 * @param budgetTokens tokens that may be kept; 0 or less keeps nothing
 * @param score how relevance is judged; ours by default
 */
export function selectWithinBudget(
  goal: string,
  fragments: readonly ScorableFragment[],
  budgetTokens: number,
  score: FragmentScorer = scoreRelevance,
): Selection {
  const ranked = rank(score(goal, fragments));
  const firstOf = new Map<string, number>();
  const originals: number[] = [];
  const copies: number[] = [];
  for (const position of ranked) {
    const { content = '', tokenCount = 0 } = fragments[position] ?? {};
    if (tokenCount < SHORTEST_COPY) originals.push(position);
    else if (firstOf.has(content)) copies.push(position);
    else {
      firstOf.set(content, position);
      originals.push(position);
    }
  }

  const kept = new Set<number>();
  const skipped: SkippedPosition[] = [];
  let usedTokens = 0;
  for (const position of [...originals, ...copies]) {
    const tokens = fragments[position]?.tokenCount ?? 0;
    if (budgetTokens > 0 && tokens <= subtractTokens(budgetTokens, usedTokens)) {
      kept.add(position);
      usedTokens = addTokens(usedTokens, tokens);
      continue;
    }
    const first = firstOf.get(fragments[position]?.content ?? '');
    const isCopyOfKept = first !== undefined && first !== position && kept.has(first);
    skipped.push({ position, reason: isCopyOfKept ? 'copy' : 'over-budget' });
  }
  return { kept: [...kept].sort((a, b) => a - b), skipped, usedTokens };
}

/** Positions, best score first; equal scores: the newer one first. */
function rank(scores: ArrayLike<number>): readonly number[] {
  const positions = Array.from({ length: scores.length }, (_, position) => position);
  return positions.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a);
}
