/**
 * What a fragment's size costs and what the passage around it counts. In a talk of two every turn
 * carries its own meaning. In a group, and where sizes differ widely, many fragments are too short to
 * speak for themselves, and a few are so long that one takes the place of a hundred.
 */

/** Exponent of the price in a group: between the token count's root and nothing. */
const GROUP_PRICE = 0.4;
/**
 * Spread (standard deviation of the natural logarithm of the token counts) up to which sizes count
 * as equal elsewhere. Talks of two lie near 0.5, agent sessions at 1.3 to 1.5.
 */
const EVEN_SPREAD = 0.8;
/** Exponent of the price for each unit of spread beyond that, and at most (1: relevance per token). */
const PRICE_SLOPE = 1;
const STEEPEST_PRICE = 1;
/** What the passage counts for each unit of spread beyond that, beside the near match's 1; at most. */
const PASSAGE_SLOPE = 4;
const LARGEST_PASSAGE_SHARE = 2;

export interface SizeSpread {
  /** Divisors, one a fragment, > 0: a power of the token count. */
  readonly prices: Float64Array;
  /** What the passage around a fragment counts, 0 or more. */
  readonly passageShare: number;
  /** 1 where each fragment speaks for itself, 0 where the passage does. */
  readonly evenness: number;
}

/** @param isGroup whether the fragments are the turns of more than two people */
export function measureSpread(tokenCounts: readonly number[], isGroup: boolean): SizeSpread {
  const logarithms = Float64Array.from(tokenCounts, (count) =>
    Math.log(Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, count))),
  );
  const excess = Math.max(0, deviation(logarithms) - EVEN_SPREAD);
  const exponent = isGroup ? GROUP_PRICE : Math.min(STEEPEST_PRICE, PRICE_SLOPE * excess);
  const passageShare = isGroup
    ? LARGEST_PASSAGE_SHARE
    : Math.min(LARGEST_PASSAGE_SHARE, PASSAGE_SLOPE * excess);
  return {
    prices: logarithms.map((logarithm) => Math.exp(logarithm * exponent)),
    passageShare,
    evenness: 1 - passageShare / LARGEST_PASSAGE_SHARE,
  };
}

function deviation(values: Float64Array): number {
  if (values.length === 0) return 0;
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let square = 0;
  for (const value of values) square += (value - mean) ** 2;
  return Math.sqrt(square / values.length);
}
