/** Title, gist and prompts as terms, for recall without a model. */
import type { LessonTerm } from './lesson-event.js';

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** UTF-16 units of one term; longer runs are cut, since terms stand in an index. */
const LONGEST_TERM = 64;

/** Runs of letters and digits in NFKC and lower case; scripts without spaces as pairs of neighbours. In order. */
export function termsOf(text: string): readonly string[] {
  const terms: string[] = [];
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(RUN)) {
    let from = 0;
    for (const match of run.matchAll(UNSPACED)) {
      if (match.index > from) terms.push(run.slice(from, match.index).slice(0, LONGEST_TERM));
      terms.push(...pairsOf(match[0]));
      from = match.index + match[0].length;
    }
    if (from < run.length) terms.push(run.slice(from).slice(0, LONGEST_TERM));
  }
  return terms;
}

/** Distinct terms with how often they occur, by term. */
export function countTerms(title: string, gist: string): readonly LessonTerm[] {
  const counts = new Map<string, number>();
  for (const term of [...termsOf(title), ...termsOf(gist)]) {
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([term, count]) => ({ term, count }));
}

function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => (characters[at] ?? '') + character);
}
