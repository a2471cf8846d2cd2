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
 * A RegExp does the same at half the speed, and its backtracking stack overflows on
 * a run of ten million characters. Here no character is looked at more than a few times, whatever
 * the text. Pattern: tiktoken, `o200k_base`; marks are upperish, lowerish and symbols at once.
 */
import {
  LEADING,
  LINE_BREAK,
  LOWERISH,
  NUMBER,
  SYMBOLIC,
  traitsAt,
  UPPERISH,
  WHITE_SPACE,
  width,
} from './character-traits.js';

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;

/** The unit index behind the piece that begins at `start`, which must lie inside the text. */
export function endOfPiece(text: string, start: number): number {
  const traits = traitsAt(text, start);
  if (traits & NUMBER) return endOfNumber(text, start);
  const wordEnd = endOfWord(text, start, traits);
  if (wordEnd > start) return endOfContraction(text, wordEnd);
  const symbols = text.charCodeAt(start) === SPACE ? start + 1 : start;
  if (traitsAt(text, symbols) & SYMBOLIC) return endOfSymbols(text, symbols);
  return endOfWhiteSpace(text, start);
}

/** Alternatives 1 and 2 without the contraction; `start` itself where no word begins. */
function endOfWord(text: string, start: number, traits: number): number {
  const body = traits & LEADING ? start + width(traits) : start;
  let end = body;
  let current = traitsAt(text, end);
  let lowerishEnd = start;
  while (current & UPPERISH) {
    end += width(current);
    if (current & LOWERISH) lowerishEnd = end;
    current = traitsAt(text, end);
  }
  if (current & LOWERISH) return endOfRun(text, end, LOWERISH);
  // Alternative 1 gives characters back until a lowerish one ends the word, and in the end the lead.
  if (lowerishEnd > start) return lowerishEnd;
  if (traits & LEADING && traits & LOWERISH) return body;
  return end > body ? end : start;
}

/** `'s`, `'t`, `'m`, `'d`, `'re`, `'ve` or `'ll` in any case; the old long s (U+017F) is an s. */
function endOfContraction(text: string, start: number): number {
  if (start >= text.length || text.charCodeAt(start) !== APOSTROPHE) return start;
  const suffix = /^(?:[stmd\u017f]|re|ve|ll)/i.exec(text.slice(start + 1, start + 3));
  return suffix ? start + 1 + suffix[0].length : start;
}

function endOfNumber(text: string, start: number): number {
  let end = start;
  for (let digits = 0; digits < 3; digits += 1) {
    const traits = traitsAt(text, end);
    if (!(traits & NUMBER)) break;
    end += width(traits);
  }
  return end;
}

function endOfSymbols(text: string, start: number): number {
  let end = endOfRun(text, start, SYMBOLIC);
  while (traitsAt(text, end) & LINE_BREAK || text.charCodeAt(end) === SLASH) end += 1;
  return end;
}

/** Alternatives 5 to 7: up to the last line break; else all, or all but one before a word. */
function endOfWhiteSpace(text: string, start: number): number {
  let end = start;
  let lastCharacter = start;
  let lineBreakEnd = start;
  for (let traits = traitsAt(text, end); traits & WHITE_SPACE; traits = traitsAt(text, end)) {
    lastCharacter = end;
    end += 1;
    if (traits & LINE_BREAK) lineBreakEnd = end;
  }
  if (lineBreakEnd > start) return lineBreakEnd;
  return end === text.length || lastCharacter === start ? end : lastCharacter;
}

function endOfRun(text: string, start: number, trait: number): number {
  let end = start;
  for (let traits = traitsAt(text, end); traits & trait; traits = traitsAt(text, end)) {
    end += width(traits);
  }
  return end;
}
