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
import type { TermTable } from './term-table.js';

/** Topics at most. */
const TOPICS = 64;
/** Sampled texts for each topic: with as many topics as texts nothing is generalised. */
const TEXTS_PER_TOPIC = 4;
/** Texts that topics are learnt from. */
const SAMPLE = 512;
/** Rounds of subspace iteration; the ranking no longer changes noticeably after three. */
const ROUNDS = 3;
/** A term must stand in this many sampled texts to connect any. */
const FEWEST_TEXTS = 2;
/** Below this length a vector counts as zero. */
const NEGLIGIBLE = 1e-12;

/** Rows (texts) of weighted terms, all rows one after another. */
interface Rows {
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly weights: Float64Array;
}

/** Cosine of each text and the goal among the topics, negative values as 0; 0..1. */
export function matchTopics(
  table: TermTable,
  goalTerms: ReadonlyMap<number, number>,
): Float64Array {
  const nearness = new Float64Array(table.textCount);
  if (goalTerms.size === 0 || table.textCount < 3) return nearness;
  const sample = sampleTexts(table.textCount);
  const { columnOfTerm, columns } = connectingTerms(table, sample);
  if (columns === 0) return nearness;

  const rows = weighRows(table, sample, columnOfTerm);
  const topics = Math.min(TOPICS, Math.ceil(sample.length / TEXTS_PER_TOPIC), columns);
  const basis = learnTopics(rows, sample.length, columns, topics);
  const goal = placeGoal(table, goalTerms, columnOfTerm, basis, topics);
  const goalLength = Math.hypot(...goal);
  if (goalLength < NEGLIGIBLE) return nearness;

  const place = new Float64Array(topics);
  for (let text = 0; text < table.textCount; text += 1) {
    place.fill(0);
    const end = table.starts[text + 1] ?? 0;
    for (let entry = table.starts[text] ?? 0; entry < end; entry += 1) {
      const term = table.terms[entry] ?? 0;
      const column = columnOfTerm[term] ?? -1;
      if (column < 0) continue;
      addRow(place, 0, basis, column, topics, weigh(table, term, table.counts[entry] ?? 0));
    }
    let product = 0;
    let square = 0;
    for (let topic = 0; topic < topics; topic += 1) {
      const value = place[topic] ?? 0;
      product += value * (goal[topic] ?? 0);
      square += value * value;
    }
    const cosine = square > NEGLIGIBLE ? product / Math.sqrt(square) / goalLength : 0;
    nearness[text] = Math.min(1, Math.max(0, cosine));
  }
  return nearness;
}

function sampleTexts(textCount: number): readonly number[] {
  const size = Math.min(SAMPLE, textCount);
  return Array.from({ length: size }, (_, at) => Math.floor(((at + 0.5) * textCount) / size));
}

function connectingTerms(
  table: TermTable,
  sample: readonly number[],
): { readonly columnOfTerm: Int32Array; readonly columns: number } {
  const holders = new Uint32Array(table.termCount);
  for (const text of sample) {
    const end = table.starts[text + 1] ?? 0;
    for (let entry = table.starts[text] ?? 0; entry < end; entry += 1) {
      const term = table.terms[entry] ?? 0;
      holders[term] = (holders[term] ?? 0) + 1;
    }
  }
  const columnOfTerm = new Int32Array(table.termCount).fill(-1);
  let columns = 0;
  for (let term = 0; term < table.termCount; term += 1) {
    if ((holders[term] ?? 0) < FEWEST_TEXTS) continue;
    columnOfTerm[term] = columns;
    columns += 1;
  }
  return { columnOfTerm, columns };
}

function weigh(table: TermTable, term: number, count: number): number {
  const rarity = Math.log((1 + table.textCount) / (1 + (table.textsWithTerm[term] ?? 0))) + 1;
  return (1 + Math.log(count)) * rarity;
}

/** The sampled texts as rows of unit length: a long text must not own the topics. */
function weighRows(table: TermTable, sample: readonly number[], columnOfTerm: Int32Array): Rows {
  const starts = new Uint32Array(sample.length + 1);
  const terms: number[] = [];
  const weights: number[] = [];
  sample.forEach((text, row) => {
    const end = table.starts[text + 1] ?? 0;
    let square = 0;
    for (let entry = table.starts[text] ?? 0; entry < end; entry += 1) {
      const term = table.terms[entry] ?? 0;
      const weight = weigh(table, term, table.counts[entry] ?? 0);
      square += weight * weight;
      const column = columnOfTerm[term] ?? -1;
      if (column < 0) continue;
      terms.push(column);
      weights.push(weight);
    }
    const length = Math.sqrt(square) || 1;
    for (let at = starts[row] ?? 0; at < weights.length; at += 1) {
      weights[at] = (weights[at] ?? 0) / length;
    }
    starts[row + 1] = weights.length;
  });
  return { starts, terms: Uint32Array.from(terms), weights: Float64Array.from(weights) };
}

/** Orthonormal topics as columns of a matrix of terms × topics. */
function learnTopics(rows: Rows, texts: number, columns: number, topics: number): Float64Array {
  let basis = fixedStart(columns, topics);
  for (let round = 0; round < ROUNDS; round += 1) {
    const places = new Float64Array(texts * topics);
    for (let text = 0; text < texts; text += 1) {
      forEachEntry(rows, text, (column, weight) =>
        addRow(places, text * topics, basis, column, topics, weight),
      );
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

function forEachEntry(rows: Rows, row: number, visit: (term: number, weight: number) => void) {
  const end = rows.starts[row + 1] ?? 0;
  for (let at = rows.starts[row] ?? 0; at < end; at += 1) {
    visit(rows.terms[at] ?? 0, rows.weights[at] ?? 0);
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

function addRow(
  target: Float64Array,
  targetAt: number,
  basis: Float64Array,
  row: number,
  width: number,
  factor: number,
): void {
  addScaled(target, targetAt, basis, row * width, width, factor);
}

function placeGoal(
  table: TermTable,
  goalTerms: ReadonlyMap<number, number>,
  columnOfTerm: Int32Array,
  basis: Float64Array,
  topics: number,
): Float64Array {
  const place = new Float64Array(topics);
  for (const [term, count] of goalTerms) {
    const column = columnOfTerm[term] ?? -1;
    if (column >= 0) addRow(place, 0, basis, column, topics, weigh(table, term, count));
  }
  return place;
}
