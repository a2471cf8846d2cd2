/** How many columns a text takes on a terminal, and how to make it fit. */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** East Asian wide and full-width blocks (Unicode UAX #11). */
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[#*0-9]\uFE0F?\u20E3)/u;
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\x20-\x7E]*$/;

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (WITHOUT_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) || EMOJI.test(grapheme) ? 2 : 1;
}

/** The text in at most so many columns; what was cut off shows as …. */
export function truncate(text: string, columns: number): string {
  if (splitAt(text, columns).rest === '') return text;
  return `${splitAt(text, Math.max(0, columns - 1)).fitting}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - textWidth(text))) + text;
}

/** The text in lines of at most so many columns, parted at blanks where there are any. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    if (line !== '' && textWidth(`${line} ${word}`) <= columns) {
      line += ` ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    while (textWidth(rest) > columns) {
      const { fitting, rest: after } = splitAt(rest, columns);
      if (fitting === '') break;
      lines.push(fitting);
      rest = after;
    }
    line = rest;
  }
  return [...lines, line];
}

function splitAt(text: string, columns: number): { fitting: string; rest: string } {
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns) return { fitting: text.slice(0, index), rest: text.slice(index) };
  }
  return { fitting: text, rest: '' };
}

const CONTROL = /[\p{Cc}\u202A-\u202E\u2066-\u2069\u200E\u200F]/gu;

/**
 * Text of others must not steer the terminal: control characters show as pictures or as �. Line ends
 * stay only where lines are wanted.
 */
export function printable(text: string, keep: 'one-line' | 'lines' = 'one-line'): string {
  const parted = keep === 'one-line' ? text.replace(/\s*\n\s*/g, ' ') : text;
  return parted.replace(CONTROL, (character) => {
    if (character === '\n') return character;
    if (character === '\t') return ' ';
    if (character === '\r') return '';
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
  });
}
