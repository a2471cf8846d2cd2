/**
 * The terms of many texts as flat arrays: for each text its distinct terms and how often each
 * occurs. Built once for one scoring; every later step is a pass over these arrays.
 */
import { RunTable } from './run-table.js';
import { forEachRun, termsOfRun } from './words.js';

export interface TermTable {
  readonly textCount: number;
  readonly termCount: number;
  /** The terms of text t stand at `starts[t]` up to, not including, `starts[t + 1]`. */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  /** Occurrences, beside `terms`; 65,535 stands for that many and more. */
  readonly counts: Uint16Array;
  /** Texts that hold the term. */
  readonly textsWithTerm: Uint32Array;
  /** Occurrences of any term in the text. */
  readonly lengths: Float64Array;
  /** How often each known term occurs in another text, such as the goal. */
  readonly countIn: (text: string) => ReadonlyMap<number, number>;
}

/** Characters of one text that are read; what follows cannot change which text is the more relevant. */
const LONGEST_TEXT = 200_000;

const MOST_OCCURRENCES = 0xff_ff;
/** Factor by which the arrays grow; small, since at the largest size both copies are in memory. */
const GROWTH = 1.5;

export function tabulateTerms(texts: readonly string[]): TermTable {
  const idOfTerm = new Map<string, number>();
  const idsOfRun = new RunTable();
  const textsWithTerm: number[] = [];
  const latestText: number[] = [];
  const latestEntry: number[] = [];
  const starts = new Uint32Array(texts.length + 1);
  const lengths = new Float64Array(texts.length);
  let terms = new Uint32Array(1024);
  let counts = new Uint16Array(1024);
  let size = 0;

  const idsOf = (run: string): readonly number[] =>
    termsOfRun(run).map((term) => {
      const id = idOfTerm.get(term) ?? idOfTerm.size;
      if (id === idOfTerm.size) {
        idOfTerm.set(term, id);
        textsWithTerm.push(0);
        latestText.push(-1);
        latestEntry.push(0);
      }
      return id;
    });

  texts.forEach((whole, textAt) => {
    const text = whole.length > LONGEST_TEXT ? whole.slice(0, LONGEST_TEXT) : whole;
    let length = 0;
    forEachRun(text, (start, end) => {
      const ids = idsOfRun.valueOf(text, start, end, idsOf);
      for (const id of ids) {
        length += 1;
        if (latestText[id] === textAt) {
          const entry = latestEntry[id] ?? 0;
          counts[entry] = Math.min(MOST_OCCURRENCES, (counts[entry] ?? 0) + 1);
          continue;
        }
        if (size === terms.length) {
          const capacity = Math.ceil(size * GROWTH);
          const moreTerms = new Uint32Array(capacity);
          const moreCounts = new Uint16Array(capacity);
          moreTerms.set(terms);
          moreCounts.set(counts);
          terms = moreTerms;
          counts = moreCounts;
        }
        terms[size] = id;
        counts[size] = 1;
        latestText[id] = textAt;
        latestEntry[id] = size;
        textsWithTerm[id] = (textsWithTerm[id] ?? 0) + 1;
        size += 1;
      }
    });
    lengths[textAt] = length;
    starts[textAt + 1] = size;
  });

  return {
    textCount: texts.length,
    termCount: idOfTerm.size,
    starts,
    terms: terms.subarray(0, size),
    counts: counts.subarray(0, size),
    textsWithTerm: Uint32Array.from(textsWithTerm),
    lengths,
    countIn: (text) => {
      const found = new Map<number, number>();
      forEachRun(text, (start, end) => {
        for (const term of termsOfRun(text.slice(start, end))) {
          const id = idOfTerm.get(term);
          if (id !== undefined) found.set(id, (found.get(id) ?? 0) + 1);
        }
      });
      return found;
    },
  };
}
