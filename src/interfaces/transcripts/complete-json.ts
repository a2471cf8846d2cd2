/** The beginning of a JSON text, closed where it was cut, so that it can be parsed. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Closes open strings, arrays and objects; a member whose value has not begun is left out.
 *
 * @returns JSON, if the beginning was some.
 */
export function completeJson(beginning: string): string {
  const closers: string[] = [];
  let inString = false;
  let isKey = false;
  let expectsKey = false;
  let safe = { end: 0, closers: '' };

  const mark = (end: number): void => {
    safe = { end, closers: [...closers].reverse().join('') };
  };
  for (let at = 0; at < beginning.length; at += 1) {
    const code = beginning.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) {
        inString = false;
        if (!isKey) mark(at + 1);
      }
      continue;
    }
    if (code === QUOTE) {
      inString = true;
      isKey = expectsKey;
    } else if (code === COMMA) {
      mark(at);
      expectsKey = closers.at(-1) === '}';
    } else if (code === COLON) {
      expectsKey = false;
    } else if (code === 0x7b || code === 0x5b) {
      closers.push(code === 0x7b ? '}' : ']');
      expectsKey = code === 0x7b;
      mark(at + 1);
    } else if (code === 0x7d || code === 0x5d) {
      closers.pop();
      expectsKey = false;
      mark(at + 1);
    }
  }
  if (inString && !isKey) {
    const text = beginning.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '');
    return `${text}"${[...closers].reverse().join('')}`;
  }
  return `${beginning.slice(0, safe.end)}${safe.closers}`;
}
