/** How our counts are held against what a provider reports. */

/** Weight of a new report in the moving average. */
const WEIGHT = 0.2;

const MIN_FACTOR = 0.5;
const MAX_FACTOR = 2;

/** Counts of our counter in the provider's tokens: the same factor on both sides of a comparison. */
export function calibrated(tokens: number, factor: number): number {
  return Math.ceil(tokens * factor);
}

/**
 * The factor after a report of usage.
 *
 * @param factor before it; 1 without any report.
 * @param countedTokens the request by our counter; 0 tells nothing.
 */
export function calibrate(factor: number, countedTokens: number, reportedTokens: number): number {
  if (countedTokens <= 0 || reportedTokens <= 0) return factor;
  return held((1 - WEIGHT) * factor + WEIGHT * (reportedTokens / countedTokens));
}

/**
 * The factor after an overflow. A refusal is a fact, not a sample: the factor is at least what makes
 * the refused request larger than the window.
 *
 * @param reportedTokens the provider's number, or null where it gives none.
 */
export function calibrateByOverflow(
  factor: number,
  countedTokens: number,
  reportedTokens: number | null,
  windowTokens: number,
): number {
  if (countedTokens <= 0) return factor;
  return held(Math.max(factor, (reportedTokens ?? windowTokens + 1) / countedTokens));
}

function held(factor: number): number {
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor));
}
