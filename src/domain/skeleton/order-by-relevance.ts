/**
 * The order of a compression: relevance descending, then id ascending by code unit.
 *
 * A comparison sort asks n log n times for objects that lie all over the memory. Here each row's
 * number is spread, with the row, over buckets by its size, and each bucket again, until a bucket
 * holds a few. Equal relevances are then spread the same way by numbers that stand for their ids;
 * ids are compared as strings only where those are equal too. Numbers that spreading does not part
 * are sorted by comparison, so that no input takes longer than n log n.
 */
import { type IdPacking, packId, packIds, packingOf } from './pack-ids.js';

/** Spans this short are sorted by insertion. */
const FEW = 16;

/** A longer span is spread into parts that fit the first-level cache, a shorter one into single rows. */
const LONG = 16_384;
const ROWS_PER_PART = 1024;

/** Spreading that goes deeper than this parts its numbers badly. */
const DEEPEST = 4;

/** Share of the rows in long ties from which on all ids are packed in one pass over the fragments. */
const TIED_SHARE = 1 / 64;

type Fragments = readonly { readonly fragmentId: string }[];

/**
 * The rows (indexes) of the fragments in order.
 *
 * @param relevances theirs, finite; taken over as working memory, their values are lost.
 */
export function orderByRelevance(fragments: Fragments, relevances: Float64Array): Uint32Array {
  const sorting = new Sorting(fragments, relevances);
  const { keys, rows } = sorting;
  for (let row = 0; row < rows.length; row += 1) {
    keys[row] = -(relevances[row] ?? 0);
    rows[row] = row;
  }
  sorting.sort(0, rows.length, 'relevance', 0);
  return rows;
}

/** Rows and their keys, ascending by key, then by id: `keys[at]` belongs to `rows[at]`. */
class Sorting {
  readonly rows: Uint32Array;
  private readonly givenKeys: Float64Array;
  private readonly givenRows: Uint32Array;
  private readonly endsAtLevel: Uint32Array[] = [];
  private packing: IdPacking | undefined;
  private packedIds: Float64Array | undefined;
  private tiedRows = 0;

  constructor(
    private readonly fragments: Fragments,
    readonly keys: Float64Array,
  ) {
    const { length } = fragments;
    this.rows = new Uint32Array(length);
    this.givenKeys = new Float64Array(length);
    this.givenRows = new Uint32Array(length);
  }

  sort(from: number, to: number, by: 'relevance' | 'id', depth: number): void {
    if (to - from <= FEW) {
      this.insert(from, to);
      return;
    }
    const { keys } = this;
    let least = Infinity;
    let most = -Infinity;
    for (let at = from; at < to; at += 1) {
      const key = keys[at] ?? 0;
      if (key < least) least = key;
      if (key > most) most = key;
    }
    if (least === most && by === 'relevance') {
      this.sortTie(from, to);
      return;
    }
    const length = to - from;
    const buckets = length > LONG ? Math.ceil(length / ROWS_PER_PART) : length;
    const perKey = (buckets - 1) / (most - least);
    if (depth === DEEPEST || !Number.isFinite(perKey)) {
      this.compare(from, to);
      return;
    }
    const ends = this.spread(from, to, least, perKey, this.clearEnds(buckets, by, depth));
    let start = from;
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const end = ends[bucket] ?? to;
      if (end - start > 1) this.sort(start, end, by, depth + 1);
      start = end;
    }
  }

  /** Moves the rows of a span into buckets of ascending keys; returns where each bucket ends. */
  private spread(
    from: number,
    to: number,
    least: number,
    perKey: number,
    ends: Uint32Array,
  ): Uint32Array {
    const { keys, rows, givenKeys, givenRows } = this;
    const buckets = ends.length;
    for (let at = from; at < to; at += 1) {
      const key = keys[at] ?? 0;
      const bucket = ((key - least) * perKey) | 0;
      ends[bucket] = (ends[bucket] ?? 0) + 1;
      givenKeys[at] = key;
      givenRows[at] = rows[at] ?? 0;
    }
    let start = from;
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const size = ends[bucket] ?? 0;
      ends[bucket] = start;
      start += size;
    }
    for (let at = from; at < to; at += 1) {
      const key = givenKeys[at] ?? 0;
      const bucket = ((key - least) * perKey) | 0;
      const target = ends[bucket] ?? 0;
      ends[bucket] = target + 1;
      keys[target] = key;
      rows[target] = givenRows[at] ?? 0;
    }
    return ends;
  }

  /** Counts of a spread, all 0. A spread inside another one must not write over the outer's. */
  private clearEnds(buckets: number, by: 'relevance' | 'id', depth: number): Uint32Array {
    const level = by === 'id' ? DEEPEST + depth : depth;
    const known = this.endsAtLevel[level];
    if (known === undefined || known.length < buckets) {
      const ends = new Uint32Array(buckets);
      this.endsAtLevel[level] = ends;
      return ends;
    }
    return known.subarray(0, buckets).fill(0);
  }

  private insert(from: number, to: number): void {
    const { keys, rows } = this;
    for (let next = from + 1; next < to; next += 1) {
      const key = keys[next] ?? 0;
      const row = rows[next] ?? 0;
      let at = next - 1;
      while (at >= from) {
        const before = keys[at] ?? 0;
        if (before < key || (before === key && this.idOf(rows[at] ?? 0) < this.idOf(row))) break;
        keys[at + 1] = before;
        rows[at + 1] = rows[at] ?? 0;
        at -= 1;
      }
      keys[at + 1] = key;
      rows[at + 1] = row;
    }
  }

  private sortTie(from: number, to: number): void {
    const { keys, rows, fragments } = this;
    this.packing ??= packingOf(fragments);
    this.tiedRows += to - from;
    if (this.tiedRows > rows.length * TIED_SHARE)
      this.packedIds ??= packIds(fragments, this.packing);
    const { packing, packedIds } = this;
    for (let at = from; at < to; at += 1) {
      const row = rows[at] ?? 0;
      keys[at] = packedIds?.[row] ?? packId(this.idOf(row), packing);
    }
    this.sort(from, to, 'id', 0);
  }

  private compare(from: number, to: number): void {
    const { keys, rows } = this;
    const sorted = Array.from({ length: to - from }, (_, offset) => ({
      key: keys[from + offset] ?? 0,
      row: rows[from + offset] ?? 0,
    })).sort((a, b) => a.key - b.key || (this.idOf(a.row) < this.idOf(b.row) ? -1 : 1));
    for (const [offset, { key, row }] of sorted.entries()) {
      keys[from + offset] = key;
      rows[from + offset] = row;
    }
  }

  private idOf(row: number): string {
    return this.fragments[row]?.fragmentId ?? '';
  }
}
