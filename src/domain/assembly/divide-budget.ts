/** The available tokens divided: the skeleton's reserve first, then the preamble's, the room for the rest. */
import { tokensReserved } from '../context/compression-ratio.js';
import { shareOfTokens, subtractTokens } from '../context/context-budget.js';
import type { CheckedRequest } from './assembly-request.js';
import type { Joints } from './assembly-stages.js';

/** Tokens of the longest preamble, and the part (one in so many) of the available tokens that it may take. */
const LONGEST_PREAMBLE = 160;
const PREAMBLE_PART = 16;

export interface Room {
  /** The most that the preamble may take. */
  readonly preambleBudget: number;
  /** What is left to the strategies. */
  readonly roomTokens: number;
  readonly joints: Joints;
}

/** floor(available × ratio), exactly: the most that the skeleton may take. */
export function skeletonBudgetOf({ budget, skeletonRatio }: CheckedRequest): number {
  return tokensReserved(budget.availableTokens, skeletonRatio);
}

/**
 * What of its reserve the skeleton does not use goes back to the others. The joints of preamble and
 * skeleton are paid here, those of the fragments by the packer, from the reserved tokens first.
 */
export function divideRoom(
  { budget: { maxTokens, reservedTokens, availableTokens }, hasPreamble }: CheckedRequest,
  skeleton: { readonly tokens: number; readonly fragments: number },
  jointTokens: number,
): Room {
  const left = subtractTokens(availableTokens, skeleton.tokens);
  const part = shareOfTokens(availableTokens, 1, PREAMBLE_PART);
  const joined = subtractTokens(maxTokens, skeleton.tokens, skeleton.fragments * jointTokens);
  const preambleBudget = hasPreamble ? Math.min(LONGEST_PREAMBLE, part, left, joined) : 0;
  // Of so many texts one needs no joint: where nothing comes before them, the first fragment.
  const before = skeleton.fragments + (preambleBudget > 0 ? 1 : 0) - 1;
  return {
    preambleBudget,
    roomTokens: subtractTokens(left, preambleBudget),
    joints: { tokens: jointTokens, freeTokens: reservedTokens - before * jointTokens },
  };
}
