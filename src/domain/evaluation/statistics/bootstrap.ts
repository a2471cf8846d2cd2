/**
 * Intervals by resampling: what a figure could have been, had other sessions or cases been at hand.
 * Seeded, so that the same run gives the same interval.
 */
import type { Figure } from '../report/evaluation-report.js';
import { drawBelow, seededNumbers } from '../seeded-numbers.js';

/** Of the specification of evaluation, §7. */
export const RESAMPLES = 2_000;

/** Fewer sessions than this are too few to rank arms by (specification of evaluation, §7). */
export const ENOUGH_TO_RANK = 20;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** One session or case: a sum and what it is divided by, such as shares and the questions they are of. */
export interface Observation {
  readonly sum: number;
  readonly weight: number;
}

/** Null where nothing was observed. */
export function meanOf(observations: readonly Observation[]): number | null {
  const weight = observations.reduce((total, one) => total + one.weight, 0);
  if (weight === 0) return null;
  return observations.reduce((total, one) => total + one.sum, 0) / weight;
}

/** 95 %, percentile bootstrap. Null for fewer than two observations, which tell nothing of their spread. */
export function bootstrapInterval(
  observations: readonly Observation[],
  seed: number,
): Interval | null {
  const counted = observations.filter(({ weight }) => weight > 0);
  if (counted.length < 2) return null;
  return percentiles(resampledMeans(counted, seed));
}

/** The mean with its interval. */
export function intervalFigure(observations: readonly Observation[], seed: number): Figure {
  const interval = bootstrapInterval(observations, seed);
  return {
    value: meanOf(observations),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    n: observations.reduce((sum, { weight }) => sum + weight, 0),
  };
}

/** What a report over so few sessions or cases says; null where there are enough. */
export function tooFewToRank(count: number, what: 'session' | 'case' = 'session'): string | null {
  if (count >= ENOUGH_TO_RANK) return null;
  return `${count} ${what}${count === 1 ? '' : 's'}: too few to rank.`;
}

export interface PairedDifference {
  readonly difference: number;
  readonly interval: Interval;
  /** Two-sided, from the share of resamples on the other side of 0. */
  readonly p: number;
  /** Pairs. */
  readonly n: number;
}

/**
 * The first arm less the second, over the sessions that both have. Null for fewer than two of them.
 *
 * @param first and second in the same order of sessions.
 */
export function pairedDifference(
  first: readonly Observation[],
  second: readonly Observation[],
  seed: number,
): PairedDifference | null {
  const pairs = first.flatMap((one, at): readonly Observation[] => {
    const other = second[at];
    if (other === undefined || one.weight === 0 || other.weight === 0) return [];
    return [{ sum: one.sum / one.weight - other.sum / other.weight, weight: 1 }];
  });
  const difference = meanOf(pairs);
  if (pairs.length < 2 || difference === null) return null;
  const means = resampledMeans(pairs, seed);
  const below = means.filter((mean) => mean <= 0).length;
  const above = means.filter((mean) => mean >= 0).length;
  const p = Math.min(1, (2 * Math.max(1, Math.min(below, above))) / means.length);
  return { difference, interval: percentiles(means), p, n: pairs.length };
}

function resampledMeans(observations: readonly Observation[], seed: number): readonly number[] {
  const draw = seededNumbers(seed);
  return Array.from({ length: RESAMPLES }, () => {
    let [sum, weight] = [0, 0];
    for (let at = 0; at < observations.length; at += 1) {
      const drawn = observations[drawBelow(draw, observations.length)];
      sum += drawn?.sum ?? 0;
      weight += drawn?.weight ?? 0;
    }
    return weight === 0 ? 0 : sum / weight;
  }).sort((a, b) => a - b);
}

function percentiles(sorted: readonly number[]): Interval {
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}
