/** Where complete JSON objects and arrays begin and end, without parsing them. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
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

/** Elements of an array that may have no end, as they stand there; blank ones are left out. */
export function splitElements(array: string): readonly string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = 0;
  let inString = false;
  const take = (end: number): void => {
    const element = array.slice(start, end).trim();
    if (element !== '') elements.push(element);
    start = end + 1;
  };
  for (let at = 0; at < array.length; at += 1) {
    const code = array.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) {
      inString = true;
    } else if (OPENING.has(code)) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (CLOSING.has(code)) {
      depth -= 1;
      if (depth === 0) {
        take(at);
        return elements;
      }
    } else if (code === COMMA && depth === 1) {
      take(at);
    }
  }
  take(array.length);
  return elements;
}

/** Whether the byte at `end` is escaped: an odd number of backslashes stands before it, from `start` on. */
export function isEscapedAt(chunk: Buffer, start: number, end: number): boolean {
  let at = end;
  while (at > start && chunk[at - 1] === BACKSLASH) at -= 1;
  return (end - at) % 2 === 1;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
