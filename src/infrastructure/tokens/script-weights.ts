/** What a character outside ASCII costs in o200k_base, on average over text of its script. */

/**
 * Ranges of code points up to and with `last`, in rising order, and the hundredths of a token that
 * a character of the range weighs. Measured where text was at hand (see `estimate-counter.ts`), else set from scripts
 * that the vocabulary treats alike.
 */
// prettier-ignore
const SCRIPTS = [
  { last: 0x0002af, weight: 80 },  // Latin with marks: breaks a word that would be one token
  { last: 0x0002ff, weight: 100 }, // modifier letters
  { last: 0x00036f, weight: 100 }, // combining marks
  { last: 0x0007ff, weight: 24 },  // Greek, Cyrillic, Armenian, Hebrew, Arabic
  { last: 0x000dff, weight: 38 },  // scripts of India
  { last: 0x001cff, weight: 45 },  // Thai, Georgian, Ethiopic, Khmer and others
  { last: 0x001fff, weight: 60 },  // more Latin and Greek with marks
  { last: 0x00206f, weight: 80 },  // general punctuation, joiners
  { last: 0x0025ff, weight: 80 },  // arrows, mathematics, boxes
  { last: 0x002bff, weight: 130 }, // dingbats
  { last: 0x00303f, weight: 70 },  // CJK punctuation
  { last: 0x0033ff, weight: 66 },  // kana
  { last: 0x009fff, weight: 82 },  // Han
  { last: 0x00abff, weight: 100 }, // rarer scripts
  { last: 0x00d7ff, weight: 62 },  // Hangul
  { last: 0x00faff, weight: 100 }, // lone surrogates, private use
  { last: 0x00ffff, weight: 75 },  // variation selectors, full-width forms
  { last: 0x01efff, weight: 250 }, // ancient scripts, mathematical letters
  { last: 0x01ffff, weight: 180 }, // emoji
  { last: 0x10ffff, weight: 250 }, // rare Han, tags
] as const;

/** Hundredths of a token of a code point above U+007F. */
export function weightOfCharacter(codePoint: number): number {
  return SCRIPTS.find(({ last }) => codePoint <= last)?.weight ?? 0;
}
