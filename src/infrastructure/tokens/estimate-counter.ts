/**
 * Token counts without a vocabulary, for hosts that want neither its 90 ms nor its memory. Text is
 * cut as o200k_base cuts it (`piece-scanner.ts`); a piece is weighed by its length, script and kind.
 *
 * The weights are mean tokens of o200k_base by kind of piece, over meeting transcripts, agent
 * sessions, TypeScript and JavaScript, the compiler messages of TypeScript in nine languages, and
 * all emoji. They hold for text, not for noise: letters in no order are counted at half.
 */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { PieceScanner } from './piece-scanner.js';
import { weightOfCharacter } from './script-weights.js';
import { codePointOf } from './utf8.js';

/** The most by which a count of English, code, CJK or emoji of a page or more is off, as a share. */
export const ESTIMATE_ERROR = 0.25;

/** Weights are hundredths of a token: whole numbers, whose sums are the same in any order. */
const ONE_TOKEN = 100;

/** A Latin word up to this long is one token, now and then two. */
const SHORT_WORD_LETTERS = 8;
const SHORT_WORD = 112;
const FURTHER_LETTER = 30;

/** Symbols up to this many are one token; the longest runs are rules and borders, 16 a token. */
const SHORT_SYMBOLS = 3;
const LONG_SYMBOLS = 12;
const FURTHER_SYMBOL = 35;
const RULE_SYMBOL = 6;

/** The longest tokens hold 16 line breaks, or 128 blanks. */
const LINE_BREAK = 6;
const BLANK = 1;

export function createEstimateCounter(): TokenCounter {
  const scanner = new PieceScanner();
  return {
    name: 'estimate',
    version: '1',
    count(text) {
      let weight = 0;
      scanner.begin(text);
      while (scanner.next()) {
        weight += Math.max(ONE_TOKEN, weightOfPiece(scanner));
      }
      return Math.round(weight / ONE_TOKEN);
    },
  };
}

function weightOfPiece({ units, start, end }: PieceScanner): number {
  let weight = 0;
  let letters = 0;
  let symbols = 0;
  for (let index = start; index < end; index += 1) {
    const unit = units[index] ?? 0;
    if (unit > 0x7f) {
      const codePoint = codePointOf(unit, index + 1 < end ? (units[index + 1] ?? 0) : 0);
      weight += weightOfCharacter(codePoint);
      if (codePoint > 0xffff) index += 1;
    } else if (isLetter(unit)) {
      letters += 1;
    } else if (unit > 0x20) {
      symbols += 1;
    } else {
      weight += unit === 0x0a || unit === 0x0d ? LINE_BREAK : BLANK;
    }
  }
  return weight + (letters > 0 ? weightOfLetters(letters) : weightOfSymbols(symbols));
}

/** The symbol or blank before a word costs next to nothing: the vocabulary has most words with it. */
function weightOfLetters(letters: number): number {
  return SHORT_WORD + FURTHER_LETTER * Math.max(0, letters - SHORT_WORD_LETTERS);
}

/** Symbols and ASCII digits, of which a piece has at most three. */
function weightOfSymbols(symbols: number): number {
  const further = Math.min(symbols, LONG_SYMBOLS) - SHORT_SYMBOLS;
  const rule = symbols - LONG_SYMBOLS;
  return FURTHER_SYMBOL * Math.max(0, further) + RULE_SYMBOL * Math.max(0, rule);
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
