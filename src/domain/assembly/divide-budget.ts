/** The available tokens divided: the skeleton's reserve first, then the preamble's, the room for the rest. */
import { tokensReserved } from '../context/compression-ratio.js';
import { multiplyTokens, shareOfTokens, subtractTokens } from '../context/context-budget.js';
import type { CheckedRequest } from './assembly-request.js';
import type { Joints } from './assembly-stages.js';
import { sumTokens } from './text-tokens.js';

/** Tokens of the longest preamble, and the part (one in so many) of the available tokens that it may take. */
const LONGEST_PREAMBLE = 160;
const PREAMBLE_PART = 16;

export interface Room {
  /** The most that the preamble may take. */
  readonly preambleBudget: number;
  /** What preamble and skeleton leave to the strategies, the blank lines between the texts included. */
  readonly roomTokens: number;
  readonly joints: Joints;
}

/** floor(available × ratio), exactly: the most that the skeleton may take. */
export function skeletonBudgetOf({ budget, skeletonRatio }: CheckedRequest): number {
  return tokensReserved(budget.availableTokens, skeletonRatio);
}

/**
 * What of its reserve the skeleton does not use goes back to the others. Blank lines are paid from the
 * room, those before the first fragment too: nothing of a text for a model is on the reserved tokens.
 */
export function divideRoom(
  { budget: { availableTokens }, hasPreamble }: CheckedRequest,
  skeleton: readonly { readonly tokenCount: number }[],
  jointTokens: number,
): Room {
  const left = subtractTokens(availableTokens, sumTokens(skeleton));
  const part = shareOfTokens(availableTokens, 1, PREAMBLE_PART);
  const joined = subtractTokens(left, multiplyTokens(skeleton.length, jointTokens));
  const preambleBudget = hasPreamble ? Math.min(LONGEST_PREAMBLE, part, joined) : 0;
  return {
    preambleBudget,
    roomTokens: subtractTokens(left, preambleBudget),
    joints: {
      tokens: jointTokens,
      textsBefore: skeleton.length + (preambleBudget > 0 ? 1 : 0),
    },
  };
}
