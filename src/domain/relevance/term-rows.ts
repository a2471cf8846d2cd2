/**
 * Texts as rows of numbers: the distinct terms of a text and how often each occurs. Rows stand one
 * after another in two arrays and may be dropped again, so that all texts of a context can be read
 * one by one in the place of a single row.
 */
import { RunTable } from './run-table.js';
import { forEachRun, termsOfRun } from './words.js';

/** One text: its terms stand at `start` up to, not including, `end`. */
export interface TermRow {
  readonly start: number;
  readonly end: number;
  /** Occurrences of any term in the text, known or not. */
  readonly length: number;
}

/** Characters of one text that are read; what follows cannot change which text is the more relevant. */
const LONGEST_TEXT = 200_000;

const MOST_OCCURRENCES = 0xff_ff;
const FIRST_CAPACITY = 4096;
/** Stands for a term that came too late to get a number. */
const UNKNOWN = -1;

export class TermRows {
  /** Numbers of terms, from 0 in the order in which they were learnt. */
  terms = new Uint32Array(FIRST_CAPACITY);
  /** Occurrences, beside `terms`; 65,535 stands for that many and more. */
  counts = new Uint16Array(FIRST_CAPACITY);
  private readonly idOfTerm = new Map<string, number>();
  private readonly idsOfRun = new RunTable<readonly number[]>();
  /** Where the row that is being read holds each term; any other place is of an earlier row. */
  private readonly entryOfTerm: number[] = [];
  private size = 0;
  private isLearning = true;

  get termCount(): number {
    return this.idOfTerm.size;
  }

  /** Adds the row of a text. */
  add(whole: string): TermRow {
    const text = whole.length > LONGEST_TEXT ? whole.slice(0, LONGEST_TEXT) : whole;
    const start = this.size;
    let length = 0;
    forEachRun(text, (from, to) => {
      for (const id of this.idsOfRun.valueOf(text, from, to, this.idsOf)) {
        length += 1;
        if (id !== UNKNOWN) this.addOccurrence(id, start);
      }
    });
    return { start, end: this.size, length };
  }

  /** Takes back the row that was added last. */
  drop({ start }: TermRow): void {
    this.size = start;
  }

  /** From now on a new term counts in a text's length and has no number. */
  stopLearning(): void {
    this.isLearning = false;
  }

  private addOccurrence(id: number, start: number): void {
    const entry = this.entryOfTerm[id] ?? -1;
    if (entry >= start && entry < this.size && this.terms[entry] === id) {
      this.counts[entry] = Math.min(MOST_OCCURRENCES, (this.counts[entry] ?? 0) + 1);
      return;
    }
    if (this.size === this.terms.length) this.grow();
    this.terms[this.size] = id;
    this.counts[this.size] = 1;
    this.entryOfTerm[id] = this.size;
    this.size += 1;
  }

  private readonly idsOf = (run: string): readonly number[] =>
    termsOfRun(run).map((term) => {
      const known = this.idOfTerm.get(term);
      if (known !== undefined) return known;
      if (!this.isLearning) return UNKNOWN;
      const id = this.idOfTerm.size;
      this.idOfTerm.set(term, id);
      this.entryOfTerm.push(-1);
      return id;
    });

  private grow(): void {
    const terms = new Uint32Array(this.size * 2);
    const counts = new Uint16Array(this.size * 2);
    terms.set(this.terms);
    counts.set(this.counts);
    this.terms = terms;
    this.counts = counts;
  }
}
