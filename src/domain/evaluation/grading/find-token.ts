/** Whether a text holds a value as a whole, not as a part of a longer name, path or number. */

// eslint-disable-next-line no-control-regex -- colours of terminals begin with U+001B.
const COLOURS = /\u001b\[[\d;]*[A-Za-z]/g;

/** Equal texts for equal readers: one form of every character, no colours, white space as one space. */
export function foldText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(COLOURS, '')
    .replaceAll(/[ \t\r\f\v\u00a0]+/g, ' ');
}

/** Line ends too, for values that a text may break. */
export function foldLines(text: string): string {
  return foldText(text).replaceAll(/ ?\n ?/g, ' ');
}

const WORD = /[\p{L}\p{N}_]/u;

/** Signs that join two words into one name: `src/a.ts`, `4.0.2`, `user@host`, `re-run`. */
const JOINS = './-@\\';

/** Where the value stands first as a whole, from the given place on; -1: nowhere. Case counts. */
export function findToken(text: string, value: string, from = 0): number {
  if (value === '') return -1;
  for (let at = text.indexOf(value, from); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!isJoinedBefore(text, at) && !isJoinedAfter(text, at + value.length)) return at;
  }
  return -1;
}

export function holdsToken(text: string, value: string): boolean {
  return findToken(text, value) >= 0;
}

function isWord(text: string, at: number): boolean {
  return at >= 0 && at < text.length && WORD.test(text.charAt(at));
}

function isJoinedBefore(text: string, start: number): boolean {
  if (!isWord(text, start) && !JOINS.includes(text.charAt(start))) return false;
  if (isWord(text, start - 1)) return isWord(text, start);
  return JOINS.includes(text.charAt(start - 1) || ' ') && isWord(text, start - 2);
}

function isJoinedAfter(text: string, end: number): boolean {
  if (!isWord(text, end - 1)) return false;
  if (isWord(text, end)) return true;
  return JOINS.includes(text.charAt(end) || ' ') && isWord(text, end + 1);
}
