/**
 * Makes a text for a model fit the available tokens, counted whole. Sums foresee its size but for a token
 * here and there, so that the first try nearly always holds; a second one has that much less room.
 */
import { subtractTokens } from '../context/context-budget.js';
import type { CheckedRequest } from './assembly-request.js';
import type { KeptInherited } from './check-stages.js';
import { type Room, skeletonBudgetOf } from './divide-budget.js';
import { stageBreach } from './stage-breach.js';

/**
 * The skeleton of the largest budget whose text fits.
 *
 * @param compress stage 10, with the tokens that it may keep.
 * @param sizeOf tokens of its text.
 */
export function fitSkeleton(
  compress: (budgetTokens: number) => readonly KeptInherited[],
  sizeOf: (kept: readonly KeptInherited[]) => number,
  request: CheckedRequest,
): readonly KeptInherited[] {
  for (let budget = skeletonBudgetOf(request); ;) {
    const kept = compress(budget);
    const over = sizeOf(kept) - request.budget.availableTokens;
    if (over <= 0) return kept;
    // Texts of no tokens fit any budget, and still need their lines.
    if (budget === 0) return [];
    budget = subtractTokens(budget, over);
  }
}

/**
 * The payload of the largest room whose text fits; where no room is left to take from, it is without
 * its preamble.
 *
 * @param finish packs, orders and explains within a room.
 * @throws OssatureError STAGE_BREACH where a packer fills a room of nothing.
 */
export function fitPayload<Payload extends { readonly totalTokens: number }>(
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
    room = smaller(room, over);
  }
}

function smaller(room: Room, tokens: number): Room {
  return room.roomTokens === 0
    ? { ...room, preambleBudget: 0 }
    : { ...room, roomTokens: subtractTokens(room.roomTokens, tokens) };
}
