/**
 * Exact o200k_base token counts, in time n log n on any text.
 *
 *     text ──scanner──▶ pieces ──caches──▶ seen before: its count
 *                                    └───▶ new: bytes ──merge──▶ its count
 *
 * Only counts are made, never token ids. Names of special tokens are plain text here: what others
 * wrote must not steer the counter, nor make it throw.
 */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { BytePairMerge } from './byte-pair-merge.js';
import { loadO200kRanks } from './o200k-ranks.js';
import { CACHED_UNITS, PieceCache } from './piece-cache.js';
import { LINE_UNITS, LineCache, UNKNOWN_LINE } from './line-cache.js';
import { PieceScanner } from './piece-scanner.js';
import { NO_RANK } from './rank-table.js';
import { NOT_ASCII, SHORT_UNITS, ShortPieceCache } from './short-piece-cache.js';
import { SpanRanks } from './span-ranks.js';
import { writeUtf8 } from './utf8.js';

const BYTES_PER_UNIT = 3;

/** The vocabulary is read at the first count, not before: most commands never count. */
export function createO200kCounter(): TokenCounter {
  let counter: PieceCounter | undefined;
  return {
    name: 'o200k_base',
    version: '1',
    count(text) {
      counter ??= new PieceCounter();
      return counter.countText(text);
    },
  };
}

class PieceCounter {
  private readonly scanner = new PieceScanner();
  private readonly lines = new LineCache();
  private readonly short = new ShortPieceCache();
  private readonly cache = new PieceCache();
  private readonly spans = new SpanRanks(loadO200kRanks());
  private readonly merge = new BytePairMerge(this.spans);
  private readonly shortBytes = new Uint8Array(BYTES_PER_UNIT * CACHED_UNITS);

  countText(text: string): number {
    const { scanner } = this;
    let tokens = 0;
    scanner.begin(text);
    for (;;) {
      const lineEnd = scanner.endOfLine(LINE_UNITS);
      if (lineEnd > 0) tokens += this.countLine(lineEnd);
      else if (scanner.next()) tokens += this.countPiece();
      else return tokens;
    }
  }

  private countLine(end: number): number {
    const { scanner, lines } = this;
    const { units, end: start } = scanner;
    const known = lines.tokensOf(units, start, end);
    if (known !== UNKNOWN_LINE) {
      scanner.end = end;
      return known;
    }
    let tokens = 0;
    while (scanner.end < end && scanner.next()) tokens += this.countPiece();
    lines.keep(units, start, end, tokens);
    return tokens;
  }

  private countPiece(): number {
    const { units, start, end } = this.scanner;
    const length = end - start;
    if (length <= SHORT_UNITS) return this.countShort(units, start, end);
    if (length <= CACHED_UNITS) return this.countCached(units, start, end);
    return this.countNew(units, start, end, new Uint8Array(BYTES_PER_UNIT * length));
  }

  private countShort(units: Uint16Array, start: number, end: number): number {
    const known = this.short.tokensOf(units, start, end);
    if (known > 0) return known;
    const tokens = this.countCached(units, start, end);
    if (known !== NOT_ASCII) this.short.keep(tokens);
    return tokens;
  }

  private countCached(units: Uint16Array, start: number, end: number): number {
    const place = this.cache.placeOf(units, start, end);
    const known = this.cache.get(place, units, start, end);
    if (known > 0) return known;
    const tokens = this.countNew(units, start, end, this.shortBytes);
    this.cache.set(place, units, start, end, tokens);
    return tokens;
  }

  private countNew(units: Uint16Array, start: number, end: number, bytes: Uint8Array): number {
    const length = writeUtf8(units, start, end, bytes);
    this.spans.load(bytes, length);
    if (this.spans.rankOf(0, length) !== NO_RANK) return 1;
    return this.merge.count(length);
  }
}
