/**
 * The artifact trail as relevance: an agent comes back to what it worked on, and one short call that
 * names an artifact is enough to find it again. So the cheapest call on each artifact is its
 * pointer and comes first; its other calls repeat what the pointer says.
 */
import type { FragmentStructure } from './read-structure.js';

/** What the latest touch counts, by its place in time. */
const RECENCY_WEIGHT = 1;
/** What the number of touches counts, relative to the artifact touched most. */
const FREQUENCY_WEIGHT = 0.5;
/** What the goal's match of the best call on the artifact counts. */
const GOAL_WEIGHT = 1;
/** Exponent of the token count that a pointer is divided by. */
const PRICE = 0.5;

interface Trail {
  latest: number;
  pointer: number;
  touches: number;
  bestMatch: number;
}

/**
 * 0..1 for the pointer of each artifact, 0 for every other fragment. A call that failed touched
 * nothing and points to nothing.
 *
 * @param match how well each fragment meets the goal, 0..1
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
  for (const { latest, pointer, touches, bestMatch } of trails.values()) {
    const worth =
      (RECENCY_WEIGHT * (latest + 1)) / structures.length +
      (FREQUENCY_WEIGHT * Math.log1p(touches)) / Math.log1p(mostTouches) +
      GOAL_WEIGHT * bestMatch;
    const rating = worth / Math.max(1, tokenCounts[pointer] ?? 1) ** PRICE;
    ratings[pointer] = rating;
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
  structures.forEach(({ artifact, isFailed }, at) => {
    if (artifact === undefined || isFailed) return;
    const own = match[at] ?? 0;
    const trail = trails.get(artifact);
    if (trail === undefined) {
      trails.set(artifact, { latest: at, pointer: at, touches: 1, bestMatch: own });
      return;
    }
    trail.latest = at;
    trail.touches += 1;
    trail.bestMatch = Math.max(trail.bestMatch, own);
    const isCheaper = (tokenCounts[at] ?? 0) <= (tokenCounts[trail.pointer] ?? 0);
    if (isCheaper) trail.pointer = at;
  });
  return trails;
}
