/**
 * How relevant each fragment is to a goal, deterministic and without a model: the goal's words
 * (BM25), the topics behind them (latent semantic analysis), the neighbours, the price of a
 * fragment's tokens, and in an agent's session the artifacts that its tool calls name. Which of
 * these decides follows from the fragments alone; there is nothing to switch.
 */
import { matchGoal } from './match-goal.js';
import { rateArtifacts } from './rate-artifacts.js';
import { readStructure } from './read-structure.js';
import type { ScorableFragment } from './scorable-fragment.js';
import { measureSpread } from './size-spread.js';
import { addNeighbours, scaleToOne } from './smooth-series.js';

export type { ScorableFragment } from './scorable-fragment.js';

/**
 * The port: scores in 0..1, one for each fragment in the given order, which is the order of time. Pure and
 * synchronous; never throws; equal input gives equal scores. A higher score is kept first.
 */
export type FragmentScorer = (
  goal: string,
  fragments: readonly ScorableFragment[],
) => Float64Array | readonly number[];

/** What the fragment's own words count, beside 1 for those of the few turns around it. */
const OWN_SHARE = 0.4;
/** What the topics count. */
const TOPIC_SHARE = 0.3;
/** Topics are smoothed over neighbours like words; what a neighbour's are still worth one step away. */
const TOPIC_DECAY = 0.78;
/** What the latest contents of the artifact worked on most count, beside 1 for the best match. */
const CONTENT_SHARE = 1.5;
/**
 * The part of the price's exponent that such contents pay: half. A file that is worked on is long, and
 * by the token it would lose to any chat beside it. Measured on agent sessions cut in the middle: every
 * part from 0 to a half keeps the same files, 1 keeps 9 points fewer in the mean of the budgets.
 */
const CONTENT_PRICE = 0.5;
/** What being the newest is worth: decides only between matches that are as good. */
const RECENCY_SHARE = 0.01;
/** Scores from here up belong to the pointers to artifacts, below to everything else. */
const POINTER_FLOOR = 0.5;

export function scoreRelevance(goal: string, fragments: readonly ScorableFragment[]): Float64Array {
  const tokenCounts = fragments.map(({ tokenCount }) => (tokenCount > 0 ? tokenCount : 0));
  const { prices, passageShare } = measureSpread(tokenCounts);
  const match = weighMatch(goal, fragments, passageShare);
  const { pointers, contents } = rateArtifacts(readStructure(fragments), tokenCounts, match);
  const worth = match.map((relevance, at) => {
    const price = prices[at] ?? 1;
    const recency = (RECENCY_SHARE * (at + 1)) / fragments.length;
    return (
      (relevance + recency) / price + (CONTENT_SHARE * (contents[at] ?? 0)) / price ** CONTENT_PRICE
    );
  });
  return scaleToOne(worth).map((share, at) => {
    const pointer = pointers[at] ?? 0;
    return pointer > 0 ? POINTER_FLOOR + (1 - POINTER_FLOOR) * pointer : POINTER_FLOOR * share;
  });
}

/** Words, topics and neighbours together, 0..1. */
function weighMatch(
  goal: string,
  fragments: readonly ScorableFragment[],
  passageShare: number,
): Float64Array {
  const texts = fragments.map(({ content }) => content);
  const { own, near, far, topics } = matchGoal(goal, texts);
  const smoothed = scaleToOne(addNeighbours(topics, TOPIC_DECAY));
  return scaleToOne(
    near.map(
      (value, at) =>
        value +
        OWN_SHARE * (own[at] ?? 0) +
        TOPIC_SHARE * (smoothed[at] ?? 0) +
        passageShare * (far[at] ?? 0),
    ),
  );
}
