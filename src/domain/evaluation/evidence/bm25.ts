/**
 * Plain BM25, the reference of every search engine: turns against a question, nothing of ours on top.
 * Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
 */
import { type TermRow, TermRows } from '../../relevance/term-rows.js';

/** The usual values of k1 and b; no unit. */
const REPETITION = 1.2;
const LENGTH_NORMALISATION = 0.75;

/** Scores any question of one case; the rows of its turns are made once. */
export function bm25Scorer(texts: readonly string[]): (question: string) => Float64Array {
  const rows = new TermRows();
  const turns = texts.map((text) => rows.add(text));
  rows.stopLearning();
  const holdersOfTerm = countHolders(rows, turns);
  const meanLength = turns.reduce((sum, { length }) => sum + length, 0) / turns.length || 1;
  return (question) => {
    const asked = rows.add(question);
    const wanted = new Map<number, number>();
    for (let entry = asked.start; entry < asked.end; entry += 1) {
      wanted.set(rows.terms[entry] ?? 0, rows.counts[entry] ?? 0);
    }
    rows.drop(asked);
    return Float64Array.from(turns, (turn) => {
      const relativeLength = turn.length / meanLength;
      const penalty =
        REPETITION * (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relativeLength);
      let score = 0;
      for (let entry = turn.start; entry < turn.end; entry += 1) {
        const term = rows.terms[entry] ?? 0;
        const repeated = wanted.get(term);
        if (repeated === undefined) continue;
        const holders = holdersOfTerm[term] ?? 0;
        const rarity = Math.log(1 + (turns.length - holders + 0.5) / (holders + 0.5));
        const count = rows.counts[entry] ?? 0;
        score += (repeated * rarity * count * (REPETITION + 1)) / (count + penalty);
      }
      return score;
    });
  };
}

/** Turns that hold each term. */
function countHolders({ terms, termCount }: TermRows, turns: readonly TermRow[]): Uint32Array {
  const holders = new Uint32Array(termCount);
  for (const { start, end } of turns) {
    for (let entry = start; entry < end; entry += 1) {
      const term = terms[entry] ?? 0;
      holders[term] = (holders[term] ?? 0) + 1;
    }
  }
  return holders;
}
