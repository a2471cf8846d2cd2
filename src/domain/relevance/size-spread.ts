/**
 * How unequal the fragments' sizes are, the one sign that tells a chat from a meeting and from an
 * agent's session without being told. In a chat every turn carries its own meaning; where sizes
 * differ widely, many fragments are too short to speak for themselves and a few are so long that
 * one takes the place of a hundred.
 */

/**
 * Spread (standard deviation of the natural logarithm of the token counts) up to which sizes count
 * as equal. Chats lie near 0.5, meetings at 0.5 to 1.1 (QMSum, validation split), agent sessions at
 * 1.3 to 1.5.
 */
const EVEN_SPREAD = 0.6;
/** Exponent of the price for each unit of spread beyond that, and at most (1: relevance per token). */
const PRICE_SLOPE = 0.8;
const STEEPEST_PRICE = 1;
/** What the passage counts for each unit of spread beyond that, beside the near match's 1; at most. */
const PASSAGE_SLOPE = 4;
const LARGEST_PASSAGE_SHARE = 2;

export interface SizeSpread {
  /** Divisors, one a fragment, > 0: the token count to the power that the spread asks for. */
  readonly prices: Float64Array;
  /** What the passage around a fragment counts, 0 or more. */
  readonly passageShare: number;
}

export function measureSpread(tokenCounts: readonly number[]): SizeSpread {
  const logarithms = Float64Array.from(tokenCounts, (count) =>
    Math.log(Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, count))),
  );
  const excess = Math.max(0, deviation(logarithms) - EVEN_SPREAD);
  const exponent = Math.min(STEEPEST_PRICE, PRICE_SLOPE * excess);
  return {
    prices: logarithms.map((logarithm) => Math.exp(logarithm * exponent)),
    passageShare: Math.min(LARGEST_PASSAGE_SHARE, PASSAGE_SLOPE * excess),
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
