/**
 * The artifact trail as relevance: an agent comes back to what it worked on, and one short call that
 * names an artifact is enough to find it again. So the cheapest call on each artifact is its
 * pointer and comes first; its other calls repeat what the pointer says.
 */
import type { FragmentStructure } from './read-structure.js';
import { scaleToOne } from './smooth-series.js';

/** What the latest touch counts, by its place in time. */
const RECENCY_WEIGHT = 1;
/** What the number of touches counts, relative to the artifact touched most. */
const FREQUENCY_WEIGHT = 0.5;
/** What the goal's match of the best call on the artifact counts. */
const GOAL_WEIGHT = 1;
/** Exponent of the token count that a pointer is divided by. */
const PRICE = 0.5;

/** What an artifact counts on which every call failed: it was wanted, but is perhaps not there. */
const FAILED_SHARE = 0.25;

interface Trail {
  /** Positions of the calls, in the order of time. */
  readonly calls: number[];
  /** Positions of what the calls returned. */
  readonly results: number[];
  pointer: number;
  bestMatch: number;
  /** 1, less where every call failed. */
  readonly trust: number;
}

export interface ArtifactRatings {
  /** 0..1 for the pointer of each artifact, 0 for every other fragment. */
  readonly pointers: Float64Array;
  /** 0..1 for the last call on each artifact and its result: what the artifact now holds. */
  readonly contents: Float64Array;
}

/** @param match how well each fragment meets the goal, 0..1 */
export function rateArtifacts(
  structures: readonly FragmentStructure[],
  tokenCounts: readonly number[],
  match: Float64Array,
): ArtifactRatings {
  const pointers = new Float64Array(structures.length);
  const contents = new Float64Array(structures.length);
  const trails = followTrails(structures, tokenCounts, match);
  let mostTouches = 1;
  for (const { calls } of trails.values()) mostTouches = Math.max(mostTouches, calls.length);

  for (const { calls, results, pointer, bestMatch, trust } of trails.values()) {
    const latest = calls.at(-1) ?? 0;
    const worth =
      trust *
      ((RECENCY_WEIGHT * (latest + 1)) / structures.length +
        (FREQUENCY_WEIGHT * Math.log1p(calls.length)) / Math.log1p(mostTouches) +
        GOAL_WEIGHT * bestMatch);
    pointers[pointer] = worth / Math.max(1, tokenCounts[pointer] ?? 1) ** PRICE;
    contents[latest] = worth;
    contents[results.at(-1) ?? latest] = worth;
  }
  return { pointers: scaleToOne(pointers), contents: scaleToOne(contents) };
}

/** The calls that worked make the trails; one that failed counts where an artifact has no other. */
function followTrails(
  structures: readonly FragmentStructure[],
  tokenCounts: readonly number[],
  match: Float64Array,
): ReadonlyMap<string, Trail> {
  const trails = new Map<string, Trail>();
  structures.forEach(({ artifact, isCall, isFailed }, at) => {
    if (artifact === undefined || isFailed) return;
    const trail = trails.get(artifact) ?? startTrail(at, 1);
    trails.set(artifact, trail);
    if (isCall) extendTrail(trail, at, tokenCounts, match);
    else trail.results.push(at);
  });
  const worked = new Set(trails.keys());
  structures.forEach(({ artifact, isFailed }, at) => {
    if (artifact === undefined || !isFailed || worked.has(artifact)) return;
    const trail = trails.get(artifact) ?? startTrail(at, FAILED_SHARE);
    trails.set(artifact, trail);
    extendTrail(trail, at, tokenCounts, match);
  });
  return trails;
}

function startTrail(pointer: number, trust: number): Trail {
  return { calls: [], results: [], pointer, bestMatch: 0, trust };
}

/** Of the calls the cheapest is the pointer, of equally cheap ones the newest. */
function extendTrail(
  trail: Trail,
  at: number,
  tokenCounts: readonly number[],
  match: Float64Array,
): void {
  trail.calls.push(at);
  trail.bestMatch = Math.max(trail.bestMatch, match[at] ?? 0);
  if ((tokenCounts[at] ?? 0) <= (tokenCounts[trail.pointer] ?? 0)) trail.pointer = at;
}
