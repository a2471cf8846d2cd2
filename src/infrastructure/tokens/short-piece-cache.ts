/**
 * Remembers how many tokens a short ASCII piece has, which nearly all pieces are. The piece itself is
 * the key: its units lie packed beside its count in sixteen bytes, so that a hit touches one line of the
 * processor's cache and compares three numbers. The whole is small enough to stay in that cache, which
 * is what the time of counting depends on.
 *
 * Each piece has one place, and a newer piece takes it over.
 */
import { scatter } from './rank-table.js';

/** UTF-16 units of the longest piece that is kept here. */
export const SHORT_UNITS = 12;

export const UNKNOWN = 0;
export const NOT_ASCII = -1;

const LAST_ASCII = 0x7f;
const PLACES = 2 ** 15;
const BITS_PER_UNIT = 7;
const UNITS_PER_FIELD = 4;
/** Three fields of units, the last with the length above them, and the count. */
const FIELDS = 4;
const LENGTH_SHIFT = BITS_PER_UNIT * UNITS_PER_FIELD;

/** Odd, with bits all over. */
const FACTOR = 0x297a2d39;

/** Taken once: a global is slow to reach where code runs in a context of its own, as tests do. */
const { imul } = Math;

export class ShortPieceCache {
  private readonly fields = new Int32Array(PLACES * FIELDS);

  /** What `tokensOf` looked for last, and where it would be kept. */
  private first = 0;
  private second = 0;
  private third = 0;
  private place = 0;

  /** The tokens of the piece `units[start, end)` of at most `SHORT_UNITS` units, `UNKNOWN` or `NOT_ASCII`. */
  tokensOf(units: Uint16Array, start: number, end: number): number {
    let all = 0;
    let first = 0;
    let second = 0;
    let third = 0;
    let index = start;
    for (const stop = Math.min(end, start + UNITS_PER_FIELD); index < stop; index += 1) {
      const unit = units[index] ?? 0;
      all |= unit;
      first = (first << BITS_PER_UNIT) | unit;
    }
    for (const stop = Math.min(end, start + 2 * UNITS_PER_FIELD); index < stop; index += 1) {
      const unit = units[index] ?? 0;
      all |= unit;
      second = (second << BITS_PER_UNIT) | unit;
    }
    for (; index < end; index += 1) {
      const unit = units[index] ?? 0;
      all |= unit;
      third = (third << BITS_PER_UNIT) | unit;
    }
    if (all > LAST_ASCII) return NOT_ASCII;
    third |= (end - start) << LENGTH_SHIFT;
    const hash = imul(imul(first ^ (first >>> 15), FACTOR) ^ second, FACTOR) ^ third;
    const place = (scatter(hash) & (PLACES - 1)) * FIELDS;
    const { fields } = this;
    if (fields[place] === first && fields[place + 1] === second && fields[place + 2] === third) {
      return fields[place + 3] ?? UNKNOWN;
    }
    this.first = first;
    this.second = second;
    this.third = third;
    this.place = place;
    return UNKNOWN;
  }

  /** Keeps the tokens of the piece that was asked for last and was unknown. */
  keep(tokens: number): void {
    const { fields, place } = this;
    fields[place] = this.first;
    fields[place + 1] = this.second;
    fields[place + 2] = this.third;
    fields[place + 3] = tokens;
  }
}
