/**
 * Remembers how many tokens a line has. What agents read they read again: a file before and after an
 * edit, the output of the same command, a listing. A line that was seen before costs a hash and a
 * comparison, a tenth of cutting it into pieces and looking each of them up.
 *
 * The bytes of the lines lie one behind the other in a ring, where new ones overwrite the oldest; each
 * hash has one place. A fixed size (about 6 MB), and nothing to be visited by the collector.
 */
import { scatter } from './rank-table.js';

/** Units of the longest line that is kept. */
export const LINE_UNITS = 160;

/** A line that is not known, as far as this cache can tell. */
export const UNKNOWN_LINE = -1;

/** Bytes of the ring: some hundred thousand lines of source code. */
const RING_BYTES = 2 ** 22;
const PLACES = 2 ** 17;
/** Hash, lap and place in the ring, length and tokens of a line: one line of the processor's cache. */
const FIELDS = 4;
const LENGTH_SHIFT = 16;
const TOKENS = 0xffff;
const LAST_ASCII = 0x7f;

/** Odd, with bits all over. */
const FACTOR = 0x297a2d39;

/** Taken once, as in `rank-table.ts`. */
const { imul } = Math;

export class LineCache {
  /** A line that begins before the end is not cut. */
  private readonly ring = new Uint8Array(RING_BYTES + LINE_UNITS);
  /** How often the ring was full, and where the next line is written. */
  private lap = 0;
  private next = 0;
  private readonly fields = new Int32Array(PLACES * FIELDS);

  /** What `tokensOf` looked for last. */
  private hash = 0;
  private isAscii = false;

  /** The tokens of `units[start, end)`, at most `LINE_UNITS` of them, or `UNKNOWN_LINE`. */
  tokensOf(units: Uint16Array, start: number, end: number): number {
    let all = 0;
    let hash = end - start;
    let index = start;
    for (; index + 1 < end; index += 2) {
      const first = units[index] ?? 0;
      const second = units[index + 1] ?? 0;
      all |= first | second;
      hash = imul(hash ^ first ^ (second << 16), FACTOR);
    }
    if (index < end) {
      const last = units[index] ?? 0;
      all |= last;
      hash = imul(hash ^ last, FACTOR);
    }
    hash = scatter(hash);
    this.hash = hash;
    this.isAscii = all <= LAST_ASCII;
    const { fields, ring } = this;
    const place = (hash & (PLACES - 1)) * FIELDS;
    if (fields[place] !== hash) return UNKNOWN_LINE;
    const known = fields[place + 3] ?? 0;
    if (known >> LENGTH_SHIFT !== end - start || !this.holds(place)) return UNKNOWN_LINE;
    let at = fields[place + 2] ?? 0;
    for (index = start; index < end; index += 1, at += 1) {
      if (ring[at] !== units[index]) return UNKNOWN_LINE;
    }
    return known & TOKENS;
  }

  /** Keeps the tokens of the line that was asked for last and was unknown, if it is all ASCII. */
  keep(units: Uint16Array, start: number, end: number, tokens: number): void {
    if (!this.isAscii) return;
    const { fields, ring } = this;
    const place = (this.hash & (PLACES - 1)) * FIELDS;
    fields[place] = this.hash;
    fields[place + 1] = this.lap;
    fields[place + 2] = this.next;
    fields[place + 3] = ((end - start) << LENGTH_SHIFT) | tokens;
    let at = this.next;
    for (let index = start; index < end; index += 1, at += 1) ring[at] = units[index] ?? 0;
    if (at >= RING_BYTES) this.lap += 1;
    this.next = at >= RING_BYTES ? 0 : at;
  }

  /** Nothing was written over the line since. */
  private holds(place: number): boolean {
    const lap = this.fields[place + 1] ?? 0;
    return lap === this.lap || (lap === this.lap - 1 && (this.fields[place + 2] ?? 0) >= this.next);
  }
}
