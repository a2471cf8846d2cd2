/**
 * Cuts text into the pieces within which o200k_base may merge bytes. This is the split pattern of
 * the encoding as a scanner. The alternatives, in the order in which they are tried:
 *
 *     1  lead? upperish* lowerish+ contraction?      "Hello", " don't", "_name"
 *     2  lead? upperish+ lowerish* contraction?      "HTTP", " USA's"
 *     3  number{1,3}                                 "202", "6"
 *     4  " "? symbol+ [\r\n/]*                       " ===", ");\n"
 *     5  whitespace* [\r\n]+                         "  \n\n"
 *     6  whitespace+, before more whitespace or the end of the text
 *     7  whitespace+
 *
 * A RegExp does the same at a third of the speed, and its backtracking stack overflows on
 * a run of ten million characters. Here no character is looked at more than a few times, whatever
 * the text. Pattern: tiktoken, `o200k_base`; marks are upperish, lowerish and symbols at once.
 *
 * The units are copied out of the string, block by block: what a string is made of is asked at every
 * `charCodeAt`, and costs more than the copy and all else that is done with a unit.
 */
import {
  LEADING,
  LINE_BREAK,
  LOWERISH,
  NUMBER,
  SYMBOLIC,
  TRAITS,
  traitsOfSurrogate,
  traitsOfUnit,
  UPPERISH,
  WHITE_SPACE,
  width,
} from './character-traits.js';
import { copyUnits } from './copy-units.js';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const DELETE = 0x7f;

/** UTF-16 units that are looked at together: they stay in the processor's cache. */
const BLOCK_UNITS = 2 ** 15;

/** Behind the last unit of a block. A surrogate, so that only where one is met the end is looked for. */
const END = 0xd800;

/** Units of the longest contraction with its apostrophe. */
const CONTRACTION_UNITS = 3;

export class PieceScanner {
  /** The piece of now is `units[start, end)`. */
  units = new Uint16Array(BLOCK_UNITS + 1);
  start = 0;
  end = 0;

  private text = '';
  /** Of the first unit of the block in the text. */
  private offset = 0;
  /** Units of the block. */
  private length = 0;
  /** What stands behind the block might have been a part of the piece. */
  private sawEnd = false;

  begin(text: string): void {
    this.text = text;
    this.load(0, BLOCK_UNITS);
  }

  /** Goes on to the next piece. False: there is none, and the text is let go. */
  next(): boolean {
    for (;;) {
      const start = this.end;
      const isLast = this.offset + this.length === this.text.length;
      if (start < this.length) {
        this.sawEnd = false;
        const end = this.endOfPiece(start);
        if (isLast || !this.sawEnd) {
          this.start = start;
          this.end = end;
          return true;
        }
      } else if (isLast) {
        this.letGo();
        return false;
      }
      // A piece that fills its block is looked at in one of twice the size.
      this.load(this.offset + start, start === 0 ? 2 * this.length : BLOCK_UNITS);
    }
  }

  /**
   * Where the line ends that begins here, if one does and has at most so many units: whatever stands
   * before and behind it, its pieces are the same. 0: there is none.
   */
  endOfLine(most: number): number {
    const { units, end: start, length } = this;
    const isBegin = start === 0 ? this.offset === 0 : units[start - 1] === LINE_FEED;
    if (!isBegin || start === length) return 0;
    const stop = Math.min(start + most, length);
    for (let at = start; at < stop; at += 1) {
      if (units[at] === LINE_FEED && this.isApart(at + 1)) return at + 1;
    }
    return stop === length && this.offset + length === this.text.length ? length : 0;
  }

  /** Only symbols take a slash behind their line break, and white space ends with its last break. */
  private isApart(at: number): boolean {
    const { units } = this;
    if (at + CONTRACTION_UNITS > this.length || units[at] === SLASH) return false;
    let behind = at;
    while (units[behind] === SPACE || units[behind] === TAB) behind += 1;
    const unit = units[behind] ?? END;
    return unit > SPACE && unit < DELETE;
  }

  private load(offset: number, most: number): void {
    const { text } = this;
    const length = Math.min(most, text.length - offset);
    if (this.units.length <= length) this.units = new Uint16Array(length + 1);
    copyUnits(text, offset, length, this.units);
    this.units[length] = END;
    this.offset = offset;
    this.length = length;
    this.end = 0;
  }

  private letGo(): void {
    this.text = '';
    if (this.units.length > BLOCK_UNITS + 1) this.units = new Uint16Array(BLOCK_UNITS + 1);
  }

  /** The traits of the character at an index; 0, which no test matches, at the end of the block. */
  private traitsAt(index: number): number {
    const unit = this.units[index] ?? END;
    return TRAITS[unit] || this.rareTraits(unit, index);
  }

  private rareTraits(unit: number, index: number): number {
    if ((unit & 0xf800) !== 0xd800) return traitsOfUnit(unit);
    if (index + 1 >= this.length) this.sawEnd = true;
    return index < this.length ? traitsOfSurrogate(unit, this.units[index + 1] ?? END) : 0;
  }

  private endOfPiece(start: number): number {
    const traits = this.traitsAt(start);
    if (traits & NUMBER) return this.endOfNumber(start);
    const wordEnd = this.endOfWord(start, traits);
    if (wordEnd > start) {
      return this.units[wordEnd] === APOSTROPHE ? this.endOfContraction(wordEnd) : wordEnd;
    }
    const symbols = this.units[start] === SPACE ? start + 1 : start;
    if (this.traitsAt(symbols) & SYMBOLIC) return this.endOfSymbols(symbols);
    return this.endOfWhiteSpace(start);
  }

  /** Alternatives 1 and 2 without the contraction; `start` itself where no word begins. */
  private endOfWord(start: number, traits: number): number {
    const body = traits & LEADING ? start + width(traits) : start;
    let end = body;
    let current = this.traitsAt(end);
    let lowerishEnd = start;
    while (current & UPPERISH) {
      end += width(current);
      if (current & LOWERISH) lowerishEnd = end;
      current = this.traitsAt(end);
    }
    if (current & LOWERISH) return this.endOfRun(end + width(current), LOWERISH);
    // Alternative 1 gives characters back until a lowerish one ends the word, and in the end the lead.
    if (lowerishEnd > start) return lowerishEnd;
    if (traits & LEADING && traits & LOWERISH) return body;
    return end > body ? end : start;
  }

  /** `'s`, `'t`, `'m`, `'d`, `'re`, `'ve` or `'ll` in any case; the old long s (U+017F) is an s. */
  private endOfContraction(apostrophe: number): number {
    if (apostrophe + CONTRACTION_UNITS > this.length) this.sawEnd = true;
    const [first, second] = [this.units[apostrophe + 1] ?? END, this.units[apostrophe + 2] ?? END];
    switch (first === LONG_S ? LETTER.s : first | TO_LOWER) {
      case LETTER.s:
      case LETTER.t:
      case LETTER.m:
      case LETTER.d:
        return apostrophe + 2;
      case LETTER.r:
      case LETTER.v:
        return (second | TO_LOWER) === LETTER.e ? apostrophe + CONTRACTION_UNITS : apostrophe;
      case LETTER.l:
        return (second | TO_LOWER) === LETTER.l ? apostrophe + CONTRACTION_UNITS : apostrophe;
      default:
        return apostrophe;
    }
  }

  private endOfNumber(start: number): number {
    let end = start;
    for (let digits = 0; digits < 3; digits += 1) {
      const traits = this.traitsAt(end);
      if (!(traits & NUMBER)) break;
      end += width(traits);
    }
    return end;
  }

  private endOfSymbols(start: number): number {
    let end = this.endOfRun(start, SYMBOLIC);
    while (this.traitsAt(end) & LINE_BREAK || this.units[end] === SLASH) end += 1;
    return end;
  }

  /** Alternatives 5 to 7: up to the last line break; else all, or all but one before a word. */
  private endOfWhiteSpace(start: number): number {
    let end = start;
    let lastCharacter = start;
    let lineBreakEnd = start;
    for (let traits = this.traitsAt(end); traits & WHITE_SPACE; traits = this.traitsAt(end)) {
      lastCharacter = end;
      end += 1;
      if (traits & LINE_BREAK) lineBreakEnd = end;
    }
    if (lineBreakEnd > start) return lineBreakEnd;
    return end === this.length || lastCharacter === start ? end : lastCharacter;
  }

  private endOfRun(start: number, trait: number): number {
    let end = start;
    for (let traits = this.traitsAt(end); traits & trait; traits = this.traitsAt(end)) {
      end += width(traits);
    }
    return end;
  }
}

const LONG_S = 0x17f;
/** Makes an ASCII letter small, and nothing else an ASCII letter. */
const TO_LOWER = 0x20;
const LETTER = {
  d: 0x64,
  e: 0x65,
  l: 0x6c,
  m: 0x6d,
  r: 0x72,
  s: 0x73,
  t: 0x74,
  v: 0x76,
} as const;
