/**
 * The artifact trail as relevance: an agent comes back to what it worked on, and one short call
 * that names an artifact is enough to find it again. So the best pointer of each artifact comes
 * first, the rest of its calls count as repetition.
 */
import type { FragmentStructure } from './read-structure.js';

/** Weight of how lately the artifact was touched. */
const RECENCY_WEIGHT = 1;
/** Weight of how often, relative to the artifact touched most. */
const FREQUENCY_WEIGHT = 0.5;
/** Weight of the goal's words in any call on the artifact. */
const GOAL_WEIGHT = 1;
/** Exponent of the token count that a pointer is divided by. */
const PRICE = 0.5;

interface Trail {
  latest: number;
  cheapest: number;
  touches: number;
  bestMatch: number;
}

/**
 * 0..1 for the best pointer of each artifact, 0 for every other fragment.
 *
 * @param match the goal's match of each fragment, 0..1
 */
export function rateArtifacts(
  structures: readonly FragmentStructure[],
  tokenCounts: readonly number[],
  match: Float64Array,
): Float64Array {
  const ratings = new Float64Array(structures.length);
  const trails = followTrails(structures, tokenCounts, match);
  let mostTouches = 1;
  for (const { touches } of trails.values()) mostTouches = Math.max(mostTouches, touches);

  let best = 0;
  for (const { latest, cheapest, touches, bestMatch } of trails.values()) {
    const worth =
      (RECENCY_WEIGHT * (latest + 1)) / structures.length +
      (FREQUENCY_WEIGHT * Math.log1p(touches)) / Math.log1p(mostTouches) +
      GOAL_WEIGHT * bestMatch;
    const rating = worth / Math.max(1, tokenCounts[cheapest] ?? 1) ** PRICE;
    ratings[cheapest] = rating;
    best = Math.max(best, rating);
  }
  return best > 0 ? ratings.map((rating) => rating / best) : ratings;
}

function followTrails(
  structures: readonly FragmentStructure[],
  tokenCounts: readonly number[],
  match: Float64Array,
): ReadonlyMap<string, Trail> {
  const trails = new Map<string, Trail>();
  structures.forEach(({ artifact }, at) => {
    if (artifact === undefined) return;
    const own = match[at] ?? 0;
    const trail = trails.get(artifact);
    if (trail === undefined) {
      trails.set(artifact, { latest: at, cheapest: at, touches: 1, bestMatch: own });
      return;
    }
    trail.latest = at;
    trail.touches += 1;
    trail.bestMatch = Math.max(trail.bestMatch, own);
    const isCheaper = (tokenCounts[at] ?? 0) <= (tokenCounts[trail.cheapest] ?? 0);
    if (isCheaper) trail.cheapest = at;
  });
  return trails;
}
