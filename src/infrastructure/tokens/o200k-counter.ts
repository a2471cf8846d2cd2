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
import { endOfPiece } from './o200k-scanner.js';
import { loadO200kRanks } from './o200k-ranks.js';
import { CACHED_UNITS, PieceCache } from './piece-cache.js';
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
  private readonly short = new ShortPieceCache();
  private readonly cache = new PieceCache();
  private readonly spans = new SpanRanks(loadO200kRanks());
  private readonly merge = new BytePairMerge(this.spans);
  private readonly shortBytes = new Uint8Array(BYTES_PER_UNIT * CACHED_UNITS);

  countText(text: string): number {
    let tokens = 0;
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start);
      const length = end - start;
      tokens +=
        length <= SHORT_UNITS
          ? this.countShort(text, start, end)
          : length <= CACHED_UNITS
            ? this.countCached(text, start, end)
            : this.countNew(text, start, end, new Uint8Array(BYTES_PER_UNIT * length));
      start = end;
    }
    return tokens;
  }

  private countShort(text: string, start: number, end: number): number {
    const known = this.short.tokensOf(text, start, end);
    if (known > 0) return known;
    if (known === NOT_ASCII) return this.countCached(text, start, end);
    const tokens = this.countNew(text, start, end, this.shortBytes);
    this.short.keep(tokens);
    return tokens;
  }

  private countCached(text: string, start: number, end: number): number {
    const place = this.cache.placeOf(text, start, end);
    const known = this.cache.get(place, text, start, end);
    if (known > 0) return known;
    const tokens = this.countNew(text, start, end, this.shortBytes);
    this.cache.set(place, text, start, end, tokens);
    return tokens;
  }

  private countNew(text: string, start: number, end: number, bytes: Uint8Array): number {
    const length = writeUtf8(text, start, end, bytes);
    this.spans.load(bytes, length);
    if (this.spans.rankOf(0, length) !== NO_RANK) return 1;
    return this.merge.count(length);
  }
}
