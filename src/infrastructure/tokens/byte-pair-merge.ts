/**
 * Byte pair encoding of one piece: begin with single bytes, and again and again join the two
 * neighbours whose union has the lowest rank, the leftmost of equals, until no union is a token.
 *
 * The parts are a linked list over byte positions. A short piece looks at all unions to find the
 * next one: quadratic, and the fastest way for the pieces that words are. A long piece keeps them in
 * a heap: a megabyte of one letter is a single piece, and takes n log n instead of n².
 */
import { MinHeap } from './min-heap.js';
import { NO_RANK } from './rank-table.js';
import type { SpanRanks } from './span-ranks.js';

/** Bytes up to which looking at all unions beats keeping them in order. */
const SHORT_BYTES = 96;

/** A heap key is rank · 2^32 + position: ranks have 18 bits, so it is exact in a double. */
const POSITIONS = 2 ** 32;

/** Taken once, as in `rank-table.ts`. */
const { floor } = Math;

export class BytePairMerge {
  private readonly shortParts: PartList;

  constructor(private readonly spans: SpanRanks) {
    this.shortParts = new PartList(spans, SHORT_BYTES);
  }

  /** Tokens of the piece of `length` ≥ 1 bytes that `spans` has loaded. */
  count(length: number): number {
    return length <= SHORT_BYTES
      ? joinByLooking(this.shortParts, length)
      : joinByHeap(new PartList(this.spans, length), length);
  }
}

function joinByLooking(parts: PartList, length: number): number {
  parts.begin(length);
  for (let count = length; ; count -= 1) {
    const position = parts.lowestUnion(length);
    if (position < 0) return count;
    parts.join(position, length);
  }
}

/** A union whose parts have changed since stays in the heap, and is passed over when it comes up. */
function joinByHeap(parts: PartList, length: number): number {
  parts.begin(length);
  const heap = new MinHeap(length);
  const offer = (position: number): void => {
    const rank = parts.unionRank(position);
    if (rank !== NO_RANK) heap.push(rank * POSITIONS + position);
  };
  for (let position = 0; position < length; position += 1) offer(position);
  let count = length;
  while (heap.size > 0) {
    const key = heap.pop();
    const rank = floor(key / POSITIONS);
    const position = key - rank * POSITIONS;
    if (parts.unionRank(position) !== rank) continue;
    const before = parts.join(position, length);
    count -= 1;
    offer(position);
    if (before >= 0) offer(before);
  }
  return count;
}

/** The parts of one piece, each named by the byte position where it begins. */
class PartList {
  private readonly next: Int32Array;
  private readonly previous: Int32Array;
  /** Rank of the union of the part that begins here with the next; `NO_RANK` where there is none. */
  private readonly ranks: Int32Array;

  constructor(
    private readonly spans: SpanRanks,
    capacity: number,
  ) {
    this.next = new Int32Array(capacity + 1);
    this.previous = new Int32Array(capacity + 1);
    this.ranks = new Int32Array(capacity + 1);
  }

  /** Single bytes. */
  begin(length: number): void {
    for (let position = 0; position <= length; position += 1) {
      this.next[position] = position + 1;
      this.previous[position] = position - 1;
      this.ranks[position] = position + 2 <= length ? this.spans.rankOfPair(position) : NO_RANK;
    }
  }

  unionRank(position: number): number {
    return this.ranks[position] ?? NO_RANK;
  }

  /** Where the first of the unions with the lowest rank begins; −1 if no union is a token. */
  lowestUnion(length: number): number {
    let lowest = -1;
    let lowestRank = NO_RANK;
    for (let position = 0; position < length; position += 1) {
      const rank = this.ranks[position] ?? NO_RANK;
      if (rank < lowestRank) {
        lowest = position;
        lowestRank = rank;
      }
    }
    return lowest;
  }

  /** Joins the part with the next, and returns the part before, or −1: the unions of both are new. */
  join(position: number, length: number): number {
    const joined = this.next[position] ?? length;
    const after = this.next[joined] ?? length;
    const before = this.previous[position] ?? -1;
    this.next[position] = after;
    this.previous[after] = position;
    this.ranks[joined] = NO_RANK;
    this.rank(position, length);
    if (before >= 0) this.rank(before, length);
    return before;
  }

  private rank(position: number, length: number): void {
    const second = this.next[position] ?? length;
    this.ranks[position] =
      second < length ? this.spans.rankOf(position, this.next[second] ?? length) : NO_RANK;
  }
}
