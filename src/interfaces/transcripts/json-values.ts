/** Where complete JSON objects and arrays begin and end, without parsing them. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/**
 * Splits a line that holds several JSON objects or arrays written one behind the other.
 *
 * @returns their texts, or null where the line is anything else (an end is missing, or text stands
 * between the values). One pass over the line.
 */
export function splitGluedValues(line: string): readonly string[] | null {
  const values: string[] = [];
  let depth = 0;
  let start = 0;
  let inString = false;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (OPENING.has(code)) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (CLOSING.has(code)) {
      depth -= 1;
      if (depth < 0) return null;
      if (depth === 0) values.push(line.slice(start, at + 1));
    } else if (depth === 0) {
      if (!isBlank(code)) return null;
    } else if (code === QUOTE) {
      inString = true;
    }
  }
  return depth === 0 && !inString && values.length > 0 ? values : null;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
