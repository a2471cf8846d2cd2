/**
 * How relevant each fragment is to a goal, deterministic and without a model: the goal's words
 * (BM25), the topics behind them (latent semantic analysis), the neighbours, the price of a
 * fragment's tokens, and in an agent's session the artifacts that its tool calls name. Which of
 * these decides follows from the fragments alone; there is nothing to switch.
 */
import { liftNeighbours } from './lift-neighbours.js';
import { matchTopics } from './match-topics.js';
import { matchWords } from './match-words.js';
import { priceTokens } from './price-tokens.js';
import { rateArtifacts } from './rate-artifacts.js';
import { readStructure } from './read-structure.js';
import { tabulateTerms } from './term-table.js';

export interface ScorableFragment {
  readonly content: string;
  /** Tokens, an integer ≥ 0. */
  readonly tokenCount: number;
  /** What the fragment is, such as `user`, `assistant`, `tool_call`, `tool_result`; read from the text when absent. */
  readonly kind?: string;
  /** Path or address of the artifact a tool call works on; read from the text when absent. */
  readonly artifact?: string;
}

/**
 * The port: scores in 0..1, one for each fragment in the given order, which is the order of time. Pure and
 * synchronous; never throws; equal input gives equal scores. A higher score is kept first.
 */
export type FragmentScorer = (
  goal: string,
  fragments: readonly ScorableFragment[],
) => Float64Array | readonly number[];

/** Share of the words in the match; the topics have the rest. */
const WORD_SHARE = 0.7;
/** What being the newest is worth beside a perfect match: decides only between matches as good. */
const RECENCY_SHARE = 0.01;
/** Scores from here up belong to the pointers to artifacts, below to everything else. */
const POINTER_FLOOR = 0.5;
/** Characters of the goal that are read. */
const LONGEST_GOAL = 20_000;

export function scoreRelevance(goal: string, fragments: readonly ScorableFragment[]): Float64Array {
  const tokenCounts = fragments.map(({ tokenCount }) => tokenCount);
  const match = matchGoal(goal.slice(0, LONGEST_GOAL), fragments);
  const pointers = rateArtifacts(fragments.map(readStructure), tokenCounts, match);
  const price = priceTokens(tokenCounts);
  const worth = liftNeighbours(match).map(
    (relevance, at) =>
      (relevance + (RECENCY_SHARE * (at + 1)) / fragments.length) / (price[at] ?? 1),
  );

  let best = 0;
  for (const value of worth) best = Math.max(best, value);
  return worth.map((value, at) => {
    const pointer = pointers[at] ?? 0;
    const share = best > 0 ? value / best : 0;
    return pointer > 0 ? POINTER_FLOOR + (1 - POINTER_FLOOR) * pointer : POINTER_FLOOR * share;
  });
}

/** Words and topics together, 0..1. */
function matchGoal(goal: string, fragments: readonly ScorableFragment[]): Float64Array {
  const table = tabulateTerms(fragments.map(({ content }) => content));
  const goalTerms = table.countIn(goal);
  const words = matchWords(table, goalTerms);
  const topics = matchTopics(table, goalTerms);
  return words.map((word, at) => WORD_SHARE * word + (1 - WORD_SHARE) * (topics[at] ?? 0));
}
