/** BM25 over title and gist: how well words match. It is called relevance, never a judgement. */
import type { ApexSearch } from './repositories.js';

const K1 = 1.2;
const B = 0.75;

/** Score at which relevance is one half. */
const HALF_SCORE = 4;

export interface ScoredApex {
  readonly lessonId: string;
  readonly score: number;
  /** score / (score + 4), 0..1. */
  readonly relevance: number;
  /** Terms of the query that it has, in code-unit order. */
  readonly matched: readonly string[];
}

/** In the order of the matches. Each term of the query counts once. */
export function scoreApexes(search: ApexSearch): readonly ScoredApex[] {
  const { lessonsInScope, meanLength, documentFrequencies } = search;
  return search.matches.map(({ lesson, length, terms }) => {
    const lengthNorm = K1 * (1 - B + (B * length) / Math.max(meanLength, 1e-9));
    let score = 0;
    for (const { term, count } of terms) {
      const frequency = documentFrequencies.get(term) ?? 0;
      const idf = Math.log(1 + (lessonsInScope - frequency + 0.5) / (frequency + 0.5));
      score += (idf * count * (K1 + 1)) / (count + lengthNorm);
    }
    return {
      lessonId: lesson.lessonId,
      score,
      relevance: score / (score + HALF_SCORE),
      matched: terms.map(({ term }) => term).sort(),
    };
  });
}
