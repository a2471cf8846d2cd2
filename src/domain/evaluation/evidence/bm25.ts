/**
 * Plain BM25, the reference of every search engine: turns against a question, nothing of ours on top.
 * Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
 */
import { type TermTable, tabulateTerms } from '../../relevance/term-table.js';

/** The usual values of k1 and b; no unit. */
const REPETITION = 1.2;
const LENGTH_NORMALISATION = 0.75;

/** Scores any question of one case; the table of its turns is made once. */
export function bm25Scorer(texts: readonly string[]): (question: string) => Float64Array {
  const table = tabulateTerms(texts);
  return (question) => scoreTexts(table, question);
}

function scoreTexts(table: TermTable, question: string): Float64Array {
  const wanted = table.countIn(question);
  const meanLength = table.lengths.reduce((sum, length) => sum + length, 0) / table.textCount || 1;
  const scores = new Float64Array(table.textCount);
  for (let text = 0; text < table.textCount; text += 1) {
    const length = (table.lengths[text] ?? 0) / meanLength;
    const penalty = REPETITION * (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * length);
    const end = table.starts[text + 1] ?? 0;
    for (let entry = table.starts[text] ?? 0; entry < end; entry += 1) {
      const term = table.terms[entry] ?? 0;
      const repeated = wanted.get(term);
      if (repeated === undefined) continue;
      const holders = table.textsWithTerm[term] ?? 0;
      const rarity = Math.log(1 + (table.textCount - holders + 0.5) / (holders + 0.5));
      const count = table.counts[entry] ?? 0;
      scores[text] =
        (scores[text] ?? 0) + (repeated * rarity * count * (REPETITION + 1)) / (count + penalty);
    }
  }
  return scores;
}
