/**
 * Latent semantic analysis on the fragments themselves: texts that share no word with the goal but
 * speak of the same things come near it. No shipped weights; the topics are the leading singular
 * vectors of the tf-idf matrix, found by subspace iteration from a fixed start.
 *
 * Topics are learnt from at most `SAMPLE` texts, evenly spread, and all texts are then placed in
 * them; the cost of learning is therefore bounded and the rest grows linearly.
 * Source: S. Deerwester et al., "Indexing by latent semantic analysis" (1990).
 */
import { addScaled, orthonormalise } from './orthonormalise.js';
import type { TermRow, TermRows } from './term-rows.js';

/** Topics at most. */
const TOPICS = 64;
/** Sampled texts for each topic: with as many topics as texts nothing is generalised. */
const TEXTS_PER_TOPIC = 4;
/** Texts that topics are learnt from. */
const SAMPLE = 512;
/** Of fewer texts there is nothing to learn. */
const FEWEST_SAMPLED = 3;
/** Rounds of subspace iteration; the ranking no longer changes noticeably after three. */
const ROUNDS = 3;
/** A term must stand in this many sampled texts to connect any. */
const FEWEST_TEXTS = 2;
/** Below this length a vector counts as zero. */
const NEGLIGIBLE = 1e-12;

/** Rows (texts) of weighted terms, all rows one after another. */
interface WeightedRows {
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly weights: Float64Array;
}

/** What a term is to the topics: its column of the matrix, −1 for none, and how rare it is. */
interface Columns {
  readonly columnOfTerm: Int32Array;
  readonly rarityOfTerm: Float64Array;
  readonly columnCount: number;
}

/** Positions of the texts to learn from, evenly spread over so many. */
export function samplePositions(textCount: number): readonly number[] {
  const size = Math.min(SAMPLE, textCount);
  return Array.from({ length: size }, (_, at) => Math.floor(((at + 0.5) * textCount) / size));
}

/** The topics of a context. They follow from its texts alone, so that any goal can be placed in them. */
export class TopicSpace {
  private constructor(
    private readonly columns: Columns,
    private readonly basis: Float64Array,
    /** Topics, at least 1: numbers that a place has. */
    readonly width: number,
  ) {}

  /** Null where the texts have no common words. */
  static learn(rows: TermRows, sample: readonly TermRow[]): TopicSpace | null {
    if (sample.length < FEWEST_SAMPLED) return null;
    const columns = connectingTerms(rows, sample);
    const { columnCount } = columns;
    if (columnCount === 0) return null;
    const topics = Math.min(TOPICS, Math.ceil(sample.length / TEXTS_PER_TOPIC), columnCount);
    const weighted = weighRows(rows, sample, columns);
    const basis = learnTopics(weighted, sample.length, columnCount, topics);
    return new TopicSpace(columns, basis, topics);
  }

  /** Where a goal lies, of length 1; null where it has none of the topics' words. */
  placeGoal(goalTerms: ReadonlyMap<number, number>): Float64Array | null {
    const goal = new Float64Array(this.width);
    for (const [term, count] of goalTerms) this.addTerm(goal, 0, term, count);
    const length = Math.hypot(...goal);
    return length < NEGLIGIBLE ? null : goal.map((value) => value / length);
  }

  /** Writes where a text lies into `places`, `width` numbers from `at`. */
  placeText(
    { terms, counts }: TermRows,
    { start, end }: TermRow,
    places: Float64Array,
    at: number,
  ): void {
    places.fill(0, at, at + this.width);
    for (let entry = start; entry < end; entry += 1) {
      this.addTerm(places, at, terms[entry] ?? 0, counts[entry] ?? 0);
    }
  }

  private addTerm(places: Float64Array, at: number, term: number, count: number): void {
    const { basis, columns, width } = this;
    const column = columns.columnOfTerm[term] ?? -1;
    if (column < 0) return;
    addScaled(places, at, basis, column * width, width, weigh(columns, term, count));
  }
}

/** Cosine of a goal and the place of a text, which stands from `at`, a negative one as 0; 0..1. */
export function nearness(goal: Float64Array, places: Float64Array, at: number): number {
  let product = 0;
  let square = 0;
  for (let topic = 0; topic < goal.length; topic += 1) {
    const value = places[at + topic] ?? 0;
    product += value * (goal[topic] ?? 0);
    square += value * value;
  }
  const cosine = square > NEGLIGIBLE ? product / Math.sqrt(square) : 0;
  return Math.min(1, Math.max(0, cosine));
}

function connectingTerms({ terms, termCount }: TermRows, sample: readonly TermRow[]): Columns {
  const holders = new Uint32Array(termCount);
  for (const { start, end } of sample) {
    for (let entry = start; entry < end; entry += 1) {
      const term = terms[entry] ?? 0;
      holders[term] = (holders[term] ?? 0) + 1;
    }
  }
  const columnOfTerm = new Int32Array(termCount).fill(-1);
  let columnCount = 0;
  for (let term = 0; term < termCount; term += 1) {
    if ((holders[term] ?? 0) < FEWEST_TEXTS) continue;
    columnOfTerm[term] = columnCount;
    columnCount += 1;
  }
  const rarityOfTerm = Float64Array.from(
    holders,
    (texts) => Math.log((1 + sample.length) / (1 + texts)) + 1,
  );
  return { columnOfTerm, rarityOfTerm, columnCount };
}

function weigh({ rarityOfTerm }: Columns, term: number, count: number): number {
  const rarity = rarityOfTerm[term] ?? 0;
  return count === 1 ? rarity : (1 + Math.log(count)) * rarity;
}

/** The sampled texts as rows of unit length: a long text must not own the topics. */
function weighRows(
  { terms, counts }: TermRows,
  sample: readonly TermRow[],
  by: Columns,
): WeightedRows {
  const starts = new Uint32Array(sample.length + 1);
  const columns: number[] = [];
  const weights: number[] = [];
  sample.forEach(({ start, end }, row) => {
    let square = 0;
    for (let entry = start; entry < end; entry += 1) {
      const term = terms[entry] ?? 0;
      const weight = weigh(by, term, counts[entry] ?? 0);
      square += weight * weight;
      const column = by.columnOfTerm[term] ?? -1;
      if (column < 0) continue;
      columns.push(column);
      weights.push(weight);
    }
    const length = Math.sqrt(square) || 1;
    for (let at = starts[row] ?? 0; at < weights.length; at += 1) {
      weights[at] = (weights[at] ?? 0) / length;
    }
    starts[row + 1] = weights.length;
  });
  return { starts, columns: Uint32Array.from(columns), weights: Float64Array.from(weights) };
}

/** Orthonormal topics as columns of a matrix of terms × topics. */
function learnTopics(
  rows: WeightedRows,
  texts: number,
  columns: number,
  topics: number,
): Float64Array {
  let basis = fixedStart(columns, topics);
  for (let round = 0; round < ROUNDS; round += 1) {
    const places = new Float64Array(texts * topics);
    for (let text = 0; text < texts; text += 1) {
      forEachEntry(rows, text, (column, weight) => {
        addScaled(places, text * topics, basis, column * topics, topics, weight);
      });
    }
    orthonormalise(places, texts, topics);
    basis = new Float64Array(columns * topics);
    for (let text = 0; text < texts; text += 1) {
      forEachEntry(rows, text, (column, weight) => {
        addScaled(basis, column * topics, places, text * topics, topics, weight);
      });
    }
  }
  orthonormalise(basis, columns, topics);
  return basis;
}

function forEachEntry(
  rows: WeightedRows,
  row: number,
  visit: (column: number, weight: number) => void,
): void {
  const end = rows.starts[row + 1] ?? 0;
  for (let at = rows.starts[row] ?? 0; at < end; at += 1) {
    visit(rows.columns[at] ?? 0, rows.weights[at] ?? 0);
  }
}

/** Numbers in -0.5..0.5 that look like noise and are the same every time (Knuth's multiplicative hash). */
function fixedStart(columns: number, topics: number): Float64Array {
  return Float64Array.from({ length: columns * topics }, (_, at) => {
    let mixed = Math.imul(at + 1, 0x9e_37_79_b1);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85_eb_ca_77);
    mixed ^= mixed >>> 13;
    return (mixed >>> 0) / 0x1_00_00_00_00 - 0.5;
  });
}
