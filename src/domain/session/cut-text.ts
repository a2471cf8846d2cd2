/** Cuts that fall between characters as a reader sees them, never inside one. */

/** Longest grapheme cluster that is respected, in UTF-16 units; longer ones are cut between code points. */
const WINDOW = 64;

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The last boundary between two grapheme clusters at or before `index`, in UTF-16 units. */
export function boundaryBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const start = codePointStart(text, Math.max(0, index - WINDOW));
  const window = text.slice(start, index + WINDOW);
  let boundary = 0;
  for (const { index: at } of GRAPHEMES.segment(window)) {
    if (start + at > index) break;
    boundary = at;
  }
  return boundary > 0 ? start + boundary : codePointStart(text, index);
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
