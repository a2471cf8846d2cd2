/**
 * What a fragment's tokens cost it. Where all fragments are of about the same size the better one
 * should win; where sizes differ a hundredfold, one long fragment takes the place of many short
 * ones and has to be worth it. The spread of the sizes themselves says which case it is.
 */

/**
 * Spread (standard deviation of the natural logarithm of the token counts) up to which size does
 * not matter. Chats between two persons lie near 0.5, meetings at 0.6 to 1.1, agent sessions at 1.3
 * to 1.5.
 */
const EVEN_SPREAD = 0.5;
/** Exponent of the price at most: 1 is relevance per token. */
const STEEPEST = 1;

/** Divisors, one a fragment, > 0: token count to the power that the spread of all counts asks for. */
export function priceTokens(tokenCounts: readonly number[]): Float64Array {
  const logarithms = Float64Array.from(tokenCounts, (count) => Math.log(Math.max(1, count)));
  const exponent = Math.min(STEEPEST, Math.max(0, spread(logarithms) - EVEN_SPREAD));
  return logarithms.map((logarithm) => Math.exp(logarithm * exponent));
}

function spread(values: Float64Array): number {
  if (values.length === 0) return 0;
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let square = 0;
  for (const value of values) square += (value - mean) ** 2;
  return Math.sqrt(square / values.length);
}
