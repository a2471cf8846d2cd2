/** The available tokens divided: the skeleton's reserve first, then the preamble's, the room for the rest. */
import { tokensReserved } from '../context/compression-ratio.js';
import { shareOfTokens, subtractTokens } from '../context/context-budget.js';
import type { CheckedRequest } from './assembly-request.js';

/** Tokens of the longest preamble, and the part (one in so many) of the available tokens that it may take. */
const LONGEST_PREAMBLE = 160;
const PREAMBLE_PART = 16;

export interface Room {
  /** The most that the preamble may take. */
  readonly preambleBudget: number;
  /** What is left to the strategies. */
  readonly roomTokens: number;
}

/** floor(available × ratio), exactly: the most that the skeleton may take. */
export function skeletonBudgetOf({ budget, skeletonRatio }: CheckedRequest): number {
  return tokensReserved(budget.availableTokens, skeletonRatio);
}

/** What of its reserve the skeleton does not use goes back to the others. */
export function divideRoom(
  { budget: { availableTokens }, hasPreamble }: CheckedRequest,
  skeletonTokens: number,
): Room {
  const left = subtractTokens(availableTokens, skeletonTokens);
  const part = shareOfTokens(availableTokens, 1, PREAMBLE_PART);
  const preambleBudget = hasPreamble ? Math.min(LONGEST_PREAMBLE, part, left) : 0;
  return { preambleBudget, roomTokens: subtractTokens(left, preambleBudget) };
}
