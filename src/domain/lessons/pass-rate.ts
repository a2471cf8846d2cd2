/** How sure a rate is: exact bounds, so that 5 of 5 is never read as safe. */

/** One-sided confidence of the bound. */
const CONFIDENCE = 0.95;

/** Halvings of the interval: beyond the precision of a double. */
const HALVINGS = 60;

/**
 * One-sided exact (Clopper–Pearson) 95 % lower bound of a rate: the rate at which so many passes or
 * more would be seen with probability 0.05. 3 of 3: 0.368; 29 of 29: 0.902; 4 of 5: 0.343.
 */
export function lowerBound(passed: number, of: number): number {
  if (of === 0 || passed === 0) return 0;
  let low = 0;
  let high = 1;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (atLeast(passed, of, middle) < 1 - CONFIDENCE) low = middle;
    else high = middle;
  }
  return low;
}

/** Probability of so many losses or more among wins and losses that are equally likely. */
export function signTest(wins: number, losses: number): number {
  return atLeast(losses, wins + losses, 0.5);
}

/** P(X ≥ k) of a binomial of n at rate p, in logarithms: large n do not overflow. */
function atLeast(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  let logChoose = 0;
  let sum = 0;
  for (let successes = 0; successes <= n; successes += 1) {
    if (successes > 0) logChoose += Math.log((n - successes + 1) / successes);
    if (successes < k) continue;
    sum += Math.exp(logChoose + successes * Math.log(p) + (n - successes) * Math.log1p(-p));
  }
  return Math.min(1, sum);
}
