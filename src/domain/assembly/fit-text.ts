/**
 * Makes a text for a model fit the available tokens, counted whole. Sums foresee its size but for a token
 * here and there, so that the first try nearly always holds. Where it does not, or where stored counts say
 * too little of their texts, the next try has less room by the share that is too much.
 */
import { addTokens, shareOfTokens, subtractTokens } from '../context/context-budget.js';
import type { BudgetReport } from './assembly-payload.js';
import type { CheckedRequest } from './assembly-request.js';
import type { KeptInherited } from './check-stages.js';
import { type Room, skeletonBudgetOf } from './divide-budget.js';
import { stageBreach } from './stage-breach.js';
import { sumTokens } from './text-tokens.js';

/**
 * The skeleton whose text fits.
 *
 * @param compress stage 10, with the tokens that it may keep.
 * @param sizeOf tokens of its text.
 */
export function fitSkeleton(
  compress: (budgetTokens: number) => readonly KeptInherited[],
  sizeOf: (kept: readonly KeptInherited[]) => number,
  request: CheckedRequest,
): readonly KeptInherited[] {
  const { availableTokens } = request.budget;
  for (let budget = skeletonBudgetOf(request); ;) {
    const kept = compress(budget);
    const size = sizeOf(kept);
    if (size <= availableTokens) return kept;
    // Texts of no tokens fit any budget, and still need their lines.
    if (budget === 0) return [];
    const used = sumTokens(kept.map(({ shown }) => shown));
    budget = lessOf(Math.min(budget, used), size, size - availableTokens);
  }
}

/** What fitting looks at in a payload. */
export interface SizedPayload {
  readonly totalTokens: number;
  readonly budget: Pick<
    BudgetReport,
    'fragmentTokens' | 'jointTokens' | 'skeletonTokens' | 'preambleTokens'
  >;
}

/**
 * The payload whose text fits; where no room is left to take from, it is without its preamble.
 *
 * @param finish packs, orders and explains within a room.
 * @throws OssatureError STAGE_BREACH where a packer fills a room of nothing.
 */
export function fitPayload<Payload extends SizedPayload>(
  finish: (room: Room) => Payload,
  whole: Room,
  availableTokens: number,
): Payload {
  for (let room = whole; ;) {
    const payload = finish(room);
    const over = payload.totalTokens - availableTokens;
    if (over <= 0) return payload;
    if (room.roomTokens === 0 && room.preambleBudget === 0) {
      throw stageBreach('budgetPacker', 'gave fragments where there was no room', { over });
    }
    room = smaller(room, payload, over);
  }
}

function smaller(room: Room, { totalTokens, budget }: SizedPayload, over: number): Room {
  if (room.roomTokens === 0) return { ...room, preambleBudget: 0 };
  const { fragmentTokens, jointTokens, skeletonTokens, preambleTokens } = budget;
  const size = subtractTokens(totalTokens, skeletonTokens, preambleTokens);
  // Of a room that was not filled, the part that stayed empty is nothing to take from.
  const used = Math.min(room.roomTokens, addTokens(fragmentTokens, jointTokens));
  return { ...room, roomTokens: lessOf(used, size, over) };
}

/** The tokens without the share that is too much of the size; at least one fewer. */
function lessOf(tokens: number, size: number, over: number): number {
  const left = shareOfTokens(tokens, subtractTokens(size, over), size);
  return Math.min(left, subtractTokens(tokens, 1));
}
