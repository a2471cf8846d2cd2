/**
 * BM25 of every fragment against the goal, at three widths: the fragment alone, the few turns around
 * it, and the passage it stands in. An answer lies next to its question and often repeats none of
 * its words, so the occurrences themselves are spread over the neighbours before BM25 saturates
 * them: ten mentions of one word then count less than one mention each of two.
 *
 * Source of the formula: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and
 * Beyond" (2009), with the idf that never falls below zero. The widths are our own.
 */
import { addNeighbours, scaleToOne } from './smooth-series.js';
import type { TermTable } from './term-table.js';

/** How soon a repeated word stops counting (k1); the usual value, no unit. */
const REPETITION = 1.2;
/** How much a long fragment is held against itself (b), 0 to 1; the usual value. */
const LENGTH_NORMALISATION = 0.75;
/** What an occurrence is still worth one fragment away. */
const NEAR_DECAY = 0.5;
/** The same for the passage: half after seven fragments, 1/e after ten. */
const FAR_DECAY = 0.9;
/** Goal words that are looked for, the rarest ones; bounds the work on a goal of a megabyte. */
const MOST_GOAL_WORDS = 256;

/** Each 0..1 in the order of the fragments, 1 for the best; all 0 when no word of the goal is known. */
export interface WordMatch {
  readonly own: Float64Array;
  readonly near: Float64Array;
  readonly far: Float64Array;
}

export function matchWords(table: TermTable, goalTerms: ReadonlyMap<number, number>): WordMatch {
  const weighted = weighGoalWords(table, goalTerms);
  const own = new Float64Array(table.textCount);
  const near = new Float64Array(table.textCount);
  const far = new Float64Array(table.textCount);
  const occurrences = new Float64Array(table.textCount);
  const spread = new Float64Array(table.textCount);

  const hits = findHits(table, weighted);
  hits.forEach((texts, word) => {
    const weight = weighted[word]?.weight ?? 0;
    for (const { text, frequency } of texts) occurrences[text] = frequency;
    addSaturated(own, occurrences, weight);
    addSaturated(near, addNeighbours(occurrences, NEAR_DECAY, spread), weight);
    addSaturated(far, addNeighbours(occurrences, FAR_DECAY, spread), weight);
    for (const { text } of texts) occurrences[text] = 0;
  });
  return { own: scaleToOne(own), near: scaleToOne(near), far: scaleToOne(far) };
}

interface GoalWord {
  readonly term: number;
  readonly weight: number;
}

/** A word's rarity among the fragments, more for one that the goal repeats. */
function weighGoalWords(
  table: TermTable,
  goalTerms: ReadonlyMap<number, number>,
): readonly GoalWord[] {
  return [...goalTerms]
    .map(([term, count]) => {
      const holders = table.textsWithTerm[term] ?? 0;
      const rarity = Math.log(1 + (table.textCount - holders + 0.5) / (holders + 0.5));
      return { term, weight: (1 + Math.log(count)) * rarity };
    })
    .sort((a, b) => b.weight - a.weight || a.term - b.term)
    .slice(0, MOST_GOAL_WORDS);
}

interface Hit {
  readonly text: number;
  /** Occurrences, fewer than counted in a long text and more in a short one. */
  readonly frequency: number;
}

/** Where each goal word occurs, found in one pass over the table. */
function findHits(table: TermTable, words: readonly GoalWord[]): readonly (readonly Hit[])[] {
  const hits: Hit[][] = words.map(() => []);
  const wordOfTerm = new Int32Array(table.termCount).fill(-1);
  words.forEach(({ term }, word) => (wordOfTerm[term] = word));
  const meanLength = table.lengths.reduce((sum, length) => sum + length, 0) / table.textCount || 1;

  for (let text = 0; text < table.textCount; text += 1) {
    const relativeLength = (table.lengths[text] ?? 0) / meanLength;
    const penalty = 1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relativeLength;
    const end = table.starts[text + 1] ?? 0;
    for (let entry = table.starts[text] ?? 0; entry < end; entry += 1) {
      const word = wordOfTerm[table.terms[entry] ?? 0] ?? -1;
      if (word < 0) continue;
      hits[word]?.push({ text, frequency: (table.counts[entry] ?? 0) / penalty });
    }
  }
  return hits;
}

function addSaturated(scores: Float64Array, frequencies: Float64Array, weight: number): void {
  for (let at = 0; at < scores.length; at += 1) {
    const frequency = frequencies[at] ?? 0;
    if (frequency === 0) continue;
    const saturated = (frequency * (REPETITION + 1)) / (frequency + REPETITION);
    scores[at] = (scores[at] ?? 0) + weight * saturated;
  }
}
