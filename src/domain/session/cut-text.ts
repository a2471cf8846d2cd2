/** Cuts that fall between characters as a reader sees them, never inside one. */

/** UTF-16 units looked at on either side; a character longer than that is cut between code points. */
const WINDOW = 4_096;

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The last boundary between two grapheme clusters at or before `index`, in UTF-16 units. */
export function boundaryBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const start = windowStart(text, Math.max(0, index - WINDOW), index);
  const window = text.slice(start, index + WINDOW);
  let boundary = 0;
  for (const { index: at } of GRAPHEMES.segment(window)) {
    if (start + at > index) break;
    boundary = at;
  }
  return boundary > 0 || start === 0 ? start + boundary : codePointStart(text, index);
}

/**
 * The first place in a window where a character certainly begins: before an ASCII character. From
 * anywhere else a row of flags could be read off by one.
 */
function windowStart(text: string, from: number, to: number): number {
  if (from === 0) return 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 && code < 0x7f) return at;
  }
  return codePointStart(text, from);
}

function codePointStart(text: string, index: number): number {
  const code = text.charCodeAt(index);
  const isInsidePair =
    code >= 0xdc00 && code <= 0xdfff && isHighSurrogate(text.charCodeAt(index - 1));
  return isInsidePair ? index - 1 : index;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
