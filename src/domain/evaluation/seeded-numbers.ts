/** Numbers that look drawn and are not: the same seed gives the same ones on every machine. */

/** Fractions in [0, 1), one after another. */
export type SeededNumbers = () => number;

/** The generator "mulberry32" of T. Ettinger: 32 bits of state, enough to draw from, not to hide. */
export function seededNumbers(seed: number): SeededNumbers {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_00_00_00_00;
  };
}

/** A whole number from 0 up to, not including, the bound. */
export function drawBelow(draw: SeededNumbers, bound: number): number {
  return Math.floor(draw() * bound);
}
