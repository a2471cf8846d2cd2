/**
 * How relevant each fragment is to a goal, deterministic and without a model: the goal's words
 * (BM25), the topics behind them (latent semantic analysis), the neighbours, who speaks, the price of
 * a fragment's tokens, and in an agent's session the artifacts that its tool calls name. Which of
 * these decides follows from the fragments alone; there is nothing to switch.
 */
import { asksForTime, tellsTime } from './ask-time.js';
import { holdBack } from './hold-back.js';
import { type GoalMatch, matchGoal, prepareMatch } from './match-goal.js';
import { rateArtifacts } from './rate-artifacts.js';
import { readSpeakers, type Speakers } from './read-speakers.js';
import { type FragmentStructure, readStructure } from './read-structure.js';
import type { ScorableFragment } from './scorable-fragment.js';
import { measureSpread, type SizeSpread } from './size-spread.js';
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

/** What the topics count, beside 1 for the words of a fragment and the few around it. */
const TOPIC_SHARE = 0.25;
/** Topics are smoothed over neighbours like words; what a neighbour's are still worth one step away. */
const TOPIC_DECAY = 0.78;
/** What a time in the text counts where the goal asks for one. */
const TIME_SHARE = 0.15;
/** Length, in mean lengths, from which a turn that speaks for itself says all that it can. */
const FULL_LENGTH = 2;
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

/** Fragments that were read once, to be asked for several goals. */
export interface PreparedRelevance {
  /** Exactly what `scoreRelevance` gives for the goal and these fragments. */
  score(goal: string): Float64Array;
}

/** What is read of the fragments whatever the goal. */
interface ReadFragments {
  readonly texts: readonly string[];
  readonly tokenCounts: readonly number[];
  readonly structures: readonly FragmentStructure[];
  readonly speakers: Speakers;
  readonly spread: SizeSpread;
}

export function scoreRelevance(goal: string, fragments: readonly ScorableFragment[]): Float64Array {
  const read = readFragments(fragments);
  return scoreMatch(goal, read, matchGoal(goal, read.texts, read.speakers.turns));
}

/**
 * Reads the fragments and learns their topics once, for many goals. One goal costs less with
 * `scoreRelevance`, which keeps nothing of what it read.
 *
 * @returns what holds the terms of every fragment until it is let go
 */
export function prepareRelevance(fragments: readonly ScorableFragment[]): PreparedRelevance {
  const read = readFragments(fragments);
  const match = prepareMatch(read.texts, read.speakers.turns);
  return { score: (goal) => scoreMatch(goal, read, match(goal)) };
}

/** The same for any scorer: one that is not ours reads the fragments again for each goal. */
export function prepareScorer(
  scorer: FragmentScorer,
): (fragments: readonly ScorableFragment[]) => PreparedRelevance {
  if (scorer === scoreRelevance) return prepareRelevance;
  return (fragments) => ({
    score: (goal) => Float64Array.from(scorer(goal, fragments)),
  });
}

function readFragments(fragments: readonly ScorableFragment[]): ReadFragments {
  const tokenCounts = fragments.map(({ tokenCount }) => (tokenCount > 0 ? tokenCount : 0));
  const structures = readStructure(fragments);
  const texts = fragments.map(({ content }) => content);
  const speakers = readSpeakers(texts, structures);
  return {
    texts,
    tokenCounts,
    structures,
    speakers,
    spread: measureSpread(tokenCounts, speakers.isGroup),
  };
}

function scoreMatch(
  goal: string,
  { texts, tokenCounts, structures, speakers, spread }: ReadFragments,
  words: GoalMatch,
): Float64Array {
  const match = weighMatch(goal, texts, words, spread);
  const { pointers, contents } = rateArtifacts(structures, tokenCounts, match);
  const worth = match.map((relevance, at) => {
    const price = spread.prices[at] ?? 1;
    const recency = (RECENCY_SHARE * (at + 1)) / texts.length;
    return (
      (relevance + recency) / price + (CONTENT_SHARE * (contents[at] ?? 0)) / price ** CONTENT_PRICE
    );
  });
  return holdBack(worth, words.holds, tokenCounts, speakers.isGroup).map((share, at) => {
    const pointer = pointers[at] ?? 0;
    return pointer > 0 ? POINTER_FLOOR + (1 - POINTER_FLOOR) * pointer : POINTER_FLOOR * share;
  });
}

/** Words, topics, neighbours and what a fragment says at all together, 0..1. */
function weighMatch(
  goal: string,
  texts: readonly string[],
  { near, far, topics, lengths }: GoalMatch,
  { passageShare, evenness }: SizeSpread,
): Float64Array {
  const smoothed = scaleToOne(addNeighbours(topics, TOPIC_DECAY));
  const fullLength = FULL_LENGTH * mean(lengths);
  const wantsTime = asksForTime(goal);
  return scaleToOne(
    near.map((value, at) => {
      const time = wantsTime && tellsTime(texts[at] ?? '') ? TIME_SHARE : 0;
      const found =
        value + TOPIC_SHARE * (smoothed[at] ?? 0) + passageShare * (far[at] ?? 0) + time;
      const said = fullLength > 0 ? Math.min(1, (lengths[at] ?? 0) / fullLength) : 0;
      return found * (1 + evenness * said);
    }),
  );
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}
