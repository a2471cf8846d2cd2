/**
 * BM25 of every fragment against the goal, at three widths: the fragment alone, the few turns around
 * it, and the passage it stands in. An answer lies next to its question and often repeats none of
 * its words, so the occurrences themselves are spread over the neighbours before BM25 saturates
 * them: ten mentions of one word then count less than one mention each of two. The name of the one
 * who speaks is a field of its own.
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
/** What an occurrence is still worth in the fragment after it, and in the one before: answers follow. */
const NEAR_DECAY = 0.7;
const NEAR_DECAY_BACKWARD = 0.5;
/** The same for the passage, in both directions: half after ten fragments. */
const FAR_DECAY = 0.93;
/** What the name of the one who speaks counts, beside a word of the same rarity in the text. */
const SPEAKER_WEIGHT = 1.5;
/** Goal words that are looked for, the rarest ones; bounds the work on a goal of a megabyte. */
const MOST_GOAL_WORDS = 256;
/** A hit is one number, text × this + occurrences: half the memory of two. */
const OCCURRENCES = 0x1_00_00;

/** Scores are 0..1 in the order of the fragments, 1 for the best; all 0 when no word of the goal is known. */
export interface WordMatch {
  /** BM25 of the fragment alone. */
  readonly own: Float64Array;
  readonly near: Float64Array;
  readonly far: Float64Array;
  /** 1 for a fragment that has a word of the goal itself; a speaker's name is none. */
  readonly holds: Uint8Array;
  /** Words of each fragment that are not function words. */
  readonly lengths: Float64Array;
}

/** A term of the goal, how often the goal says it, and where it occurs, in the order of the texts. */
interface GoalTerm {
  readonly term: number;
  readonly count: number;
  readonly hits: number[];
}

interface GoalWord {
  readonly hits: readonly number[];
  readonly weight: number;
  readonly isName: boolean;
}

/** The terms of a speaker's name that the goal has too, and where this speaker speaks. */
export interface NamedSpeaker {
  readonly terms: readonly number[];
  readonly turns: readonly number[];
}

/** Collects where the words of a goal occur, one text after another. */
export class WordMatcher {
  /** In the order in which the goal says them. */
  private readonly goalTerms: readonly GoalTerm[];
  /** By the number of a term: where it stands in `goalTerms`, −1 for one that the goal does not have. */
  private readonly placeOfTerm: Int32Array;
  private readonly lengths: Float64Array;
  private textCount = 0;

  /**
   * @param goalTerms how often each term occurs in the goal
   * @param termCount terms that have a number
   */
  constructor(
    goalTerms: ReadonlyMap<number, number>,
    textCount: number,
    termCount: number,
    private readonly named: readonly NamedSpeaker[] = [],
  ) {
    this.goalTerms = [...goalTerms].map(([term, count]) => ({ term, count, hits: [] }));
    this.placeOfTerm = new Int32Array(termCount).fill(-1);
    for (const [place, { term }] of this.goalTerms.entries()) this.placeOfTerm[term] = place;
    this.lengths = new Float64Array(textCount);
  }

  /** Takes the next text. */
  see({ terms, counts }: TermRows, { start, end, length }: TermRow): void {
    const text = this.textCount;
    this.textCount += 1;
    this.lengths[text] = length;
    for (let entry = start; entry < end; entry += 1) {
      const place = this.placeOfTerm[terms[entry] ?? 0] ?? -1;
      if (place < 0) continue;
      this.goalTerms[place]?.hits.push(text * OCCURRENCES + (counts[entry] ?? 0));
    }
  }

  match(): WordMatch {
    const { textCount } = this;
    const own = new Float64Array(textCount);
    const near = this.matchSpeakers();
    const far = new Float64Array(textCount);
    const occurrences = new Float64Array(textCount);
    const spread = new Float64Array(textCount);
    const holds = new Uint8Array(textCount);
    const penalties = this.penalties();

    for (const { hits, weight, isName } of this.weighGoalWords()) {
      for (const hit of hits) {
        const text = Math.floor(hit / OCCURRENCES);
        occurrences[text] = (hit % OCCURRENCES) / (penalties[text] ?? 1);
      }
      addSaturated(own, occurrences, weight);
      if (!isName) {
        addNeighbours(occurrences, NEAR_DECAY, spread, NEAR_DECAY_BACKWARD);
        addSaturated(near, spread, weight);
        addSaturated(far, addNeighbours(occurrences, FAR_DECAY, spread), weight);
      }
      for (const hit of hits) {
        const text = Math.floor(hit / OCCURRENCES);
        occurrences[text] = 0;
        if (!isName) holds[text] = 1;
      }
    }
    const { lengths } = this;
    return { own: scaleToOne(own), near: scaleToOne(near), far: scaleToOne(far), holds, lengths };
  }

  /**
   * A name in the goal says whose turns are meant. Where it is called out ("hi Ana") it says
   * nothing, so that names are matched with the one who speaks alone.
   */
  private matchSpeakers(): Float64Array {
    const scores = new Float64Array(this.textCount);
    const turnsOfTerm = new Map<number, number>();
    for (const { terms, turns } of this.named) {
      for (const term of terms) turnsOfTerm.set(term, (turnsOfTerm.get(term) ?? 0) + turns.length);
    }
    for (const { terms, turns } of this.named) {
      let weight = 0;
      for (const term of terms) {
        const count = this.goalTerms[this.placeOfTerm[term] ?? -1]?.count ?? 1;
        weight += (1 + Math.log(count)) * this.rarity(turnsOfTerm.get(term) ?? 0);
      }
      for (const turn of turns) scores[turn] = SPEAKER_WEIGHT * weight;
    }
    return scores;
  }

  /** A word's rarity among the fragments, more for one that the goal repeats. */
  private weighGoalWords(): readonly GoalWord[] {
    const names = new Set(this.named.flatMap(({ terms }) => terms));
    // Words of one weight stay in the order of the goal: sorting is stable.
    return this.goalTerms
      .filter(({ hits }) => hits.length > 0)
      .map(({ term, count, hits }) => {
        const weight = (1 + Math.log(count)) * this.rarity(hits.length);
        return { hits, weight, isName: names.has(term) };
      })
      .sort((a, b) => b.weight - a.weight)
      .slice(0, MOST_GOAL_WORDS);
  }

  /** idf of what stands in so many texts. */
  private rarity(textsWithIt: number): number {
    return Math.log(1 + (this.textCount - textsWithIt + 0.5) / (textsWithIt + 0.5));
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
