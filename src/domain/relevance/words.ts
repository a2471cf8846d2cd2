/**
 * Text to terms. A word is a run of letters and digits of any alphabet; identifiers give the whole
 * name and its parts (`readUserFile`, `read_user_file`), scripts without spaces give characters and
 * character pairs, emoji stand alone. English words are stemmed and its function words left out.
 */
import { stemWord } from './stem-word.js';

/** UTF-16 units of a run that are read as one word; a longer run (base64, a line of `=`) is cut here. */
const LONGEST_WORD = 64;

const SEPARATOR = 0;
const WORD = 1;
const UNSPACED = 2;
const SYMBOL = 3;

/** English function words: they say how a sentence is built, not what it is about. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being ' +
    'below between both but by can could did do does doing down during each few for from further had ' +
    'has have having he her here hers herself him himself his how i if in into is it its itself just ' +
    'let me more most my myself no nor not now of off on once only or other our ours out over own ' +
    'same she should so some such than that the their theirs them themselves then there these they ' +
    'this those through to too under until up very was we were what when where which while who whom ' +
    'whose why will with would you your yours yourself s t ll re ve d m'
  ).split(' '),
);

/**
 * Calls `visit` with start and end of each run of the text, in order. In scripts without spaces
 * every character is a run, and every pair of neighbours.
 */
export function forEachRun(text: string, visit: (start: number, end: number) => void): void {
  const classes = characterClasses();
  const length = text.length;
  const classAt = (at: number) => (at < length ? classes[text.charCodeAt(at)] : SEPARATOR);
  let at = 0;
  while (at < length) {
    const kind = classAt(at);
    const start = at;
    at += 1;
    if (kind === WORD) {
      while (classAt(at) === WORD) at += 1;
      visit(start, Math.min(at, start + LONGEST_WORD));
    } else if (kind === UNSPACED) {
      visit(start, at);
      if (classAt(at) === UNSPACED) visit(start, at + 1);
    } else if (kind === SYMBOL) {
      if (classAt(at) === SYMBOL) at += 1;
      visit(start, at);
    }
  }
}

/** The terms that one run stands for, none for a function word. */
export function termsOfRun(run: string): readonly string[] {
  const normal = run.normalize('NFKC');
  const whole = normal.replaceAll('_', '').toLowerCase();
  const parts = identifierParts(normal);
  if (parts.length <= 1) return whole === '' || FUNCTION_WORDS.has(whole) ? [] : [stemWord(whole)];
  const terms = new Set([whole]);
  for (const part of parts) {
    const word = part.toLowerCase();
    if (!FUNCTION_WORDS.has(word)) terms.add(stemWord(word));
  }
  return [...terms];
}

/** `parseHTTPHeader2` → parse, HTTP, Header, 2. A plain or capitalised word is one part. */
function identifierParts(name: string): readonly string[] {
  if (!/[_\p{Ll}\p{N}][\p{Lu}]|[\p{L}]\p{N}|\p{N}\p{L}|_/u.test(name)) return [name];
  return (
    name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}|\p{N}+/gu) ?? [name]
  );
}

let tableOfClasses: Uint8Array | undefined;

/** One class a UTF-16 unit; made once, since asking the Unicode tables for each character is slow. */
function characterClasses(): Uint8Array {
  if (tableOfClasses !== undefined) return tableOfClasses;
  const table = new Uint8Array(0x1_00_00);
  const unspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
  const word = /[\p{L}\p{N}\p{M}_]/u;
  const symbol = /[\p{So}\p{Sc}]/u;
  for (let unit = 0; unit < table.length; unit += 1) {
    const isSurrogate = unit >= 0xd8_00 && unit <= 0xdf_ff;
    const character = String.fromCharCode(unit);
    if (isSurrogate || symbol.test(character)) table[unit] = SYMBOL;
    else if (unspaced.test(character)) table[unit] = UNSPACED;
    else if (word.test(character)) table[unit] = WORD;
  }
  tableOfClasses = table;
  return table;
}
