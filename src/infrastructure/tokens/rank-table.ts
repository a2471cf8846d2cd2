/**
 * The vocabulary of an encoding: which byte sequences are tokens, and how early each was learned
 * (its rank; a lower rank merges first).
 *
 * The bytes of all tokens lie end to end in one array, found through an open-addressing table of
 * ranks. Against a Map of strings this loads in a quarter of the time and holds a fifth of the
 * memory, and a lookup makes no string. Hashes are polynomials, so that a merge can have the hash of
 * any span of a piece from the hashes of its prefixes (`span-ranks.ts`).
 */

/** Taken once: a global is slow to reach where code runs in a context of its own, as tests do. */
const { imul } = Math;

/** Odd, so that it has an inverse modulo 2^32 and no byte is forgotten. */
export const HASH_BASE = 0x01000193;

/** The rank of what is no token: later than every token. */
export const NO_RANK = 0x7fffffff;

const EMPTY = -1;
/** Slots for each token, at least: short probes matter more than 4 bytes a slot. */
const SLOTS_PER_TOKEN = 2;

export class RankTable {
  /** The most bytes a token has. */
  readonly longestToken: number;
  private readonly slots: Int32Array;
  private readonly hashes: Int32Array;
  /** The ranks of two-byte tokens, by both bytes. */
  private readonly pairs = new Int32Array(0x10000).fill(NO_RANK);

  /**
   * @param bytes the tokens end to end, in the order of their ranks.
   * @param starts where each token begins, and a last entry where the last one ends.
   */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly starts: Uint32Array,
  ) {
    const tokens = starts.length - 1;
    const bits = Math.ceil(Math.log2(tokens * SLOTS_PER_TOKEN));
    this.slots = new Int32Array(2 ** bits).fill(EMPTY);
    this.hashes = new Int32Array(tokens);
    let longest = 0;
    for (let rank = 0; rank < tokens; rank += 1) {
      const start = starts[rank] ?? 0;
      const end = starts[rank + 1] ?? 0;
      if (end - start > longest) longest = end - start;
      let hash = 0;
      for (let index = start; index < end; index += 1) hash = extendHash(hash, bytes[index] ?? 0);
      this.insert(hash, rank);
      if (end - start === 2)
        this.pairs[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] = rank;
    }
    this.longestToken = longest;
  }

  /** The rank of `bytes[start, end)`, or `NO_RANK`. `hash` must be the polynomial hash of that span. */
  rankOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.slots.length - 1;
    for (let slot = scatter(hash) & mask; ; slot = (slot + 1) & mask) {
      const rank = this.slots[slot] ?? EMPTY;
      if (rank === EMPTY) return NO_RANK;
      if (this.hashes[rank] === hash && this.equals(rank, bytes, start, end)) return rank;
    }
  }

  rankOfPair(first: number, second: number): number {
    return this.pairs[(first << 8) | second] ?? NO_RANK;
  }

  private insert(hash: number, rank: number): void {
    const mask = this.slots.length - 1;
    let slot = scatter(hash) & mask;
    while (this.slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.slots[slot] = rank;
    this.hashes[rank] = hash;
  }

  private equals(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    const tokenStart = this.starts[rank] ?? 0;
    const length = (this.starts[rank + 1] ?? 0) - tokenStart;
    if (length !== end - start) return false;
    for (let offset = 0; offset < length; offset += 1) {
      if (this.bytes[tokenStart + offset] !== bytes[start + offset]) return false;
    }
    return true;
  }
}

/** The polynomial hash of a sequence that is one value longer, modulo 2^32; it begins with 0. */
export function extendHash(hash: number, value: number): number {
  return (imul(hash, HASH_BASE) + value) | 0;
}

/** Spreads a polynomial hash, whose low bits know only the last bytes, over all bits. */
export function scatter(hash: number): number {
  const mixed = imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
