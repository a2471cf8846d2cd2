/**
 * Holm's step-down correction: of many comparisons some look like differences by chance alone.
 * Source: S. Holm, "A simple sequentially rejective multiple test procedure" (1979).
 */

/** @returns for each p, in the order given, whether it still counts at the level over all of them. */
export function holmRejects(ps: readonly number[], level = 0.05): readonly boolean[] {
  const ranked = ps.map((p, at) => ({ p, at })).sort((a, b) => a.p - b.p || a.at - b.at);
  const rejected = ps.map(() => false);
  for (const [rank, { p, at }] of ranked.entries()) {
    if (p > level / (ps.length - rank)) break;
    rejected[at] = true;
  }
  return rejected;
}
