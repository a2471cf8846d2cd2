/**
 * Scores as one part among others of a composite. A scorer says which fragment is better; most of its
 * scores lie close together near 0, and any other part would outweigh their differences. So each
 * becomes the mean of its share of the best and of its rank: a fragment that stands out still does,
 * and the order of all others is worth something too. Order and ties are kept; the best is 1.
 *
 * @param scores numbers ≥ 0
 */
export function spreadScores(scores: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(scores).sort();
  const best = sorted.at(-1) ?? 0;
  if (!(best > 0)) return new Float64Array(scores.length);
  return Float64Array.from(scores, (score) => {
    const rank = countUpTo(sorted, score) / sorted.length;
    return score > 0 ? Math.min(1, (score / best + rank) / 2) : 0;
  });
}

/** How many of the ascending values are no greater. */
function countUpTo(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
