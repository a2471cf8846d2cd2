/**
 * What a very short fragment without any word of the goal ("yes", "ok, thanks") may be worth: its
 * neighbours and its low price alone must not carry it past those that say what was asked for.
 */
import { scaleToOne } from './smooth-series.js';

/** Tokens up to which a fragment is very short. */
const VERY_SHORT = 8;
/** Fragments to each side from which a short turn of a group takes its worth. */
const REACH = 16;
/** What is left of the worth of the best of them. */
const BORROWED = 0.999;
/** Part of the scale, from 0, that belongs to short fragments without a word of the goal. */
const SHORT_RANGE = 0.01;

/**
 * Alone or between two people such a fragment comes after every fragment that has a word of the
 * goal. In a group ("yeah", "mm-hmm") it belongs to what is being discussed, and comes after the
 * best fragment near it that has one.
 *
 * @param worth numbers ≥ 0
 * @param holds 1 for a fragment that has a word of the goal itself
 * @returns worth 0..1
 */
export function holdBack(
  worth: Float64Array,
  holds: Uint8Array,
  tokenCounts: readonly number[],
  isGroup: boolean,
): Float64Array {
  const isHeld = (at: number) => holds[at] === 0 && (tokenCounts[at] ?? 0) <= VERY_SHORT;
  if (isGroup) {
    return scaleToOne(
      worth.map((value, at) => {
        const best = isHeld(at) ? bestNear(worth, holds, at) : 0;
        return best > 0 ? Math.min(value, BORROWED * best) : value;
      }),
    );
  }
  return scaleToOne(worth).map((value, at) =>
    isHeld(at) ? SHORT_RANGE * value : SHORT_RANGE + (1 - SHORT_RANGE) * value,
  );
}

function bestNear(worth: Float64Array, holds: Uint8Array, at: number): number {
  let best = 0;
  const end = Math.min(worth.length, at + REACH + 1);
  for (let near = Math.max(0, at - REACH); near < end; near += 1) {
    if (holds[near] === 1) best = Math.max(best, worth[near] ?? 0);
  }
  return best;
}
