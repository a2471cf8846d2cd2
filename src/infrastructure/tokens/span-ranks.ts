/**
 * The hash of any span of a piece in constant time. With P[i] the hash of the first i bytes and b
 * the base, the span [i, j) hashes to P[j] − P[i] · b^(j−i), all modulo 2^32. Without this
 * a merge would read the bytes of every candidate again.
 */
import { extendHash, HASH_BASE, NO_RANK, type RankTable } from './rank-table.js';

/** Taken once, as in `rank-table.ts`. */
const { imul } = Math;

export class SpanRanks {
  private readonly powers: Int32Array;
  private prefixes = new Int32Array(256);
  private bytes: Uint8Array = new Uint8Array(0);

  constructor(private readonly table: RankTable) {
    this.powers = new Int32Array(table.longestToken + 1);
    let power = 1;
    for (let exponent = 0; exponent < this.powers.length; exponent += 1) {
      this.powers[exponent] = power;
      power = imul(power, HASH_BASE);
    }
  }

  /** Makes `bytes[0, length)` the piece that `rankOf` speaks of. */
  load(bytes: Uint8Array, length: number): void {
    if (this.prefixes.length <= length) this.prefixes = new Int32Array(2 * length);
    this.bytes = bytes;
    let hash = 0;
    for (let index = 0; index < length; index += 1) {
      hash = extendHash(hash, bytes[index] ?? 0);
      this.prefixes[index + 1] = hash;
    }
  }

  /** The rank of the token that two bytes are. Every merge asks for all pairs, so they have a table. */
  rankOfPair(start: number): number {
    return this.table.rankOfPair(this.bytes[start] ?? 0, this.bytes[start + 1] ?? 0);
  }

  /** The rank of the token that the span [start, end) is, or `NO_RANK`. */
  rankOf(start: number, end: number): number {
    const power = this.powers[end - start];
    if (power === undefined) return NO_RANK;
    const before = imul(this.prefixes[start] ?? 0, power);
    return this.table.rankOf(this.bytes, start, end, ((this.prefixes[end] ?? 0) - before) | 0);
  }
}
