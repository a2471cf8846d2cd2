/**
 * BM25 of every text against the goal, in one pass over the term table. Source of the formula:
 * S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
 * the idf that never falls below zero.
 */
import type { TermTable } from './term-table.js';

/** How soon a repeated word stops counting (k1); the usual value, no unit. */
const REPETITION = 1.2;
/** How much a long text is held against itself (b), 0 to 1; the usual value. */
const LENGTH_NORMALISATION = 0.75;

/** 0..1 for each text, 1 for the best match; all 0 when no word of the goal is known. */
export function matchWords(table: TermTable, goalTerms: ReadonlyMap<number, number>): Float64Array {
  const scores = new Float64Array(table.textCount);
  if (goalTerms.size === 0) return scores;
  const weights = new Float64Array(table.termCount);
  for (const [term, count] of goalTerms) {
    weights[term] = (1 + Math.log(count)) * rarity(table, term);
  }

  const meanLength = mean(table.lengths) || 1;
  let best = 0;
  for (let text = 0; text < table.textCount; text += 1) {
    const relativeLength = (table.lengths[text] ?? 0) / meanLength;
    const damping = REPETITION * (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relativeLength);
    const end = table.starts[text + 1] ?? 0;
    let score = 0;
    for (let entry = table.starts[text] ?? 0; entry < end; entry += 1) {
      const weight = weights[table.terms[entry] ?? 0] ?? 0;
      if (weight === 0) continue;
      const count = table.counts[entry] ?? 0;
      score += (weight * count * (REPETITION + 1)) / (count + damping);
    }
    scores[text] = score;
    if (score > best) best = score;
  }
  return best > 0 ? scores.map((score) => score / best) : scores;
}

function rarity(table: TermTable, term: number): number {
  const holders = table.textsWithTerm[term] ?? 0;
  return Math.log(1 + (table.textCount - holders + 0.5) / (holders + 0.5));
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}
