/**
 * Remembers how many tokens a short piece has. Text repeats its words: nearly all pieces of a
 * transcript have been seen before, and a hit costs one hash and one comparison.
 *
 * Each piece has one place, and a newer piece takes it over: no list, no eviction, a fixed size
 * (about 4.5 MB), and a long-lived process follows what it reads.
 */
import { extendHash, scatter } from './rank-table.js';

/** UTF-16 units of the longest piece worth remembering. Longer ones seldom come twice. */
export const CACHED_UNITS = 32;
const PLACES = 2 ** 16;

export class PieceCache {
  private readonly units = new Uint16Array(PLACES * CACHED_UNITS);
  private readonly lengths = new Uint8Array(PLACES);
  private readonly counts = new Uint8Array(PLACES);

  /** Where the piece `units[start, end)` of at most `CACHED_UNITS` units is kept, if it is. */
  placeOf(units: Uint16Array, start: number, end: number): number {
    let hash = 0;
    for (let index = start; index < end; index += 1) {
      hash = extendHash(hash, units[index] ?? 0);
    }
    return scatter(hash) & (PLACES - 1);
  }

  /** The tokens of the piece, or 0 where another piece, or none, has its place. */
  get(place: number, units: Uint16Array, start: number, end: number): number {
    if (this.lengths[place] !== end - start) return 0;
    let unit = place * CACHED_UNITS;
    for (let index = start; index < end; index += 1, unit += 1) {
      if (this.units[unit] !== units[index]) return 0;
    }
    return this.counts[place] ?? 0;
  }

  set(place: number, units: Uint16Array, start: number, end: number, tokens: number): void {
    let unit = place * CACHED_UNITS;
    for (let index = start; index < end; index += 1, unit += 1) {
      this.units[unit] = units[index] ?? 0;
    }
    this.lengths[place] = end - start;
    this.counts[place] = tokens;
  }
}
