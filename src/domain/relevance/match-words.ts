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
import type { TermRow, TermRows } from './term-rows.js';

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
/** A hit is one number, text × this + occurrences: half the memory of two. */
const OCCURRENCES = 0x1_00_00;

/** Each 0..1 in the order of the fragments, 1 for the best; all 0 when no word of the goal is known. */
export interface WordMatch {
  readonly own: Float64Array;
  readonly near: Float64Array;
  readonly far: Float64Array;
}

interface GoalWord {
  /** Where it occurs, in the order of the texts. */
  readonly hits: readonly number[];
  readonly weight: number;
}

/** Collects where the words of a goal occur, one text after another. */
export class WordMatcher {
  private readonly hitsOfTerm = new Map<
    number,
    { readonly count: number; readonly hits: number[] }
  >();
  private readonly lengths: Float64Array;
  private textCount = 0;

  /** @param goalTerms how often each term occurs in the goal; the terms below `goalTerms.size` are these */
  constructor(goalTerms: ReadonlyMap<number, number>, textCount: number) {
    for (const [term, count] of goalTerms) this.hitsOfTerm.set(term, { count, hits: [] });
    this.lengths = new Float64Array(textCount);
  }

  /** Takes the next text. */
  see({ terms, counts }: TermRows, { start, end, length }: TermRow): void {
    const text = this.textCount;
    this.textCount += 1;
    this.lengths[text] = length;
    // The goal was read first, so that its terms have the lowest numbers.
    const goalTerms = this.hitsOfTerm.size;
    for (let entry = start; entry < end; entry += 1) {
      const term = terms[entry] ?? goalTerms;
      if (term >= goalTerms) continue;
      this.hitsOfTerm.get(term)?.hits.push(text * OCCURRENCES + (counts[entry] ?? 0));
    }
  }

  match(): WordMatch {
    const { textCount } = this;
    const own = new Float64Array(textCount);
    const near = new Float64Array(textCount);
    const far = new Float64Array(textCount);
    const occurrences = new Float64Array(textCount);
    const spread = new Float64Array(textCount);
    const penalties = this.penalties();

    for (const { hits, weight } of this.weighGoalWords()) {
      for (const hit of hits) {
        const text = Math.floor(hit / OCCURRENCES);
        occurrences[text] = (hit % OCCURRENCES) / (penalties[text] ?? 1);
      }
      addSaturated(own, occurrences, weight);
      addSaturated(near, addNeighbours(occurrences, NEAR_DECAY, spread), weight);
      addSaturated(far, addNeighbours(occurrences, FAR_DECAY, spread), weight);
      for (const hit of hits) occurrences[Math.floor(hit / OCCURRENCES)] = 0;
    }
    return { own: scaleToOne(own), near: scaleToOne(near), far: scaleToOne(far) };
  }

  /** A word's rarity among the fragments, more for one that the goal repeats. */
  private weighGoalWords(): readonly GoalWord[] {
    return [...this.hitsOfTerm]
      .filter(([, { hits }]) => hits.length > 0)
      .map(([term, { count, hits }]) => {
        const rarity = Math.log(1 + (this.textCount - hits.length + 0.5) / (hits.length + 0.5));
        return { term, hits, weight: (1 + Math.log(count)) * rarity };
      })
      .sort((a, b) => b.weight - a.weight || a.term - b.term)
      .slice(0, MOST_GOAL_WORDS);
  }

  /** What occurrences in each text are divided by: more in a long text, less in a short one. */
  private penalties(): Float64Array {
    let total = 0;
    for (const length of this.lengths) total += length;
    const meanLength = total / this.textCount || 1;
    return this.lengths.map(
      (length) => 1 - LENGTH_NORMALISATION + (LENGTH_NORMALISATION * length) / meanLength,
    );
  }
}

function addSaturated(scores: Float64Array, frequencies: Float64Array, weight: number): void {
  for (let at = 0; at < scores.length; at += 1) {
    const frequency = frequencies[at] ?? 0;
    if (frequency === 0) continue;
    const saturated = (frequency * (REPETITION + 1)) / (frequency + REPETITION);
    scores[at] = (scores[at] ?? 0) + weight * saturated;
  }
}
