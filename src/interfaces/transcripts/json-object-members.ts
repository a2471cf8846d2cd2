/**
 * Members of large JSON objects, written one behind the other, in bounded memory: arrays under chosen
 * names element by element, every other value as one text.
 */
import { isUtf8 } from 'node:buffer';
import { type ByteLine, MAX_LINE_BYTES } from './byte-lines.js';
import { isEscapedAt } from './json-values.js';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);

export type ValueText = Pick<ByteLine, 'number' | 'byteOffset' | 'length' | 'text' | 'fault'>;

export type MemberPart =
  /** An object begins. */
  | { readonly part: 'object' }
  | ({ readonly part: 'member'; readonly name: string } & ValueText)
  | ({ readonly part: 'element'; readonly name: string } & ValueText)
  /** `isClosed` is false where an object has no end, or other text stands between two. */
  | {
      readonly part: 'end';
      readonly lines: number;
      readonly bytes: number;
      readonly isClosed: boolean;
    };

interface Held {
  readonly number: number;
  readonly byteOffset: number;
  length: number;
  pieces: Buffer[];
}

/** @param isStreamed whether the array under this name is given out element by element. */
export async function* jsonObjectMembers(
  chunks: AsyncIterable<Uint8Array>,
  isStreamed: (name: string) => boolean,
  maxValueBytes = MAX_LINE_BYTES,
): AsyncGenerator<MemberPart> {
  let depth = 0;
  let base = 1;
  let inString = false;
  let escaped = false;
  let name = '';
  let isName = false;
  let line = 1;
  let offset = 0;
  let held: Held | null = null;

  for await (const piece of chunks) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    const take = (end: number): ValueText | null => {
      if (held === null) return null;
      const value = heldValue(held, chunk.subarray(from, end), maxValueBytes);
      held = null;
      return value;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      if (inString) {
        if (escaped) {
          escaped = false;
          continue;
        }
        const quote = chunk.indexOf(QUOTE, at);
        const end = quote === -1 ? chunk.length : quote;
        const isEscaped = isEscapedAt(chunk, at, end);
        inString = quote === -1 || isEscaped;
        escaped = quote === -1 && isEscaped;
        at = end;
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) line += 1;
      if (byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === LINE_FEED) continue;
      if (depth === 0) {
        if (offset + at < BYTE_ORDER_MARK.size && BYTE_ORDER_MARK.has(byte)) continue;
        if (byte !== BRACE_OPEN) {
          yield { part: 'end', lines: line, bytes: offset + at, isClosed: false };
          return;
        }
        depth = 1;
        isName = true;
        yield { part: 'object' };
        continue;
      }
      if (depth === base && (byte === COMMA || byte === COLON || isClosing(byte))) {
        const value = take(at);
        if (byte === COLON) {
          name = nameIn(value);
          isName = false;
          continue;
        }
        if (value !== null && !isName) {
          yield { part: base === 1 ? 'member' : 'element', name, ...value };
        }
        if (byte === COMMA) isName = base === 1;
        else if (base === 2) {
          base = 1;
          depth = 1;
          isName = true;
        } else depth = 0;
        continue;
      }
      if (held === null) {
        if (base === 1 && !isName && byte === BRACKET_OPEN && isStreamed(name)) {
          base = 2;
          depth = 2;
          continue;
        }
        held = { number: line, byteOffset: offset + at, length: 0, pieces: [] };
        from = at;
      }
      if (byte === QUOTE) inString = true;
      else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) depth += 1;
      else if (isClosing(byte)) depth -= 1;
    }
    keep(held, chunk.subarray(from), maxValueBytes);
    offset += chunk.length;
  }
  yield { part: 'end', lines: line, bytes: offset, isClosed: depth === 0 };
}

function keep(held: Held | null, rest: Buffer, maxBytes: number): void {
  if (held === null) return;
  held.length += rest.length;
  if (held.length > maxBytes) held.pieces = [];
  else held.pieces.push(Buffer.from(rest));
}

function heldValue(held: Held, rest: Buffer, maxBytes: number): ValueText {
  const { number, byteOffset } = held;
  const length = held.length + rest.length;
  const place = { number, byteOffset, length };
  if (length > maxBytes) return { ...place, text: null, fault: 'too-long' };
  const bytes = held.pieces.length === 0 ? rest : Buffer.concat([...held.pieces, rest], length);
  if (!isUtf8(bytes)) return { ...place, text: null, fault: 'not-utf8' };
  return { ...place, text: bytes.toString('utf8'), fault: null };
}

function isClosing(byte: number): boolean {
  return byte === BRACE_CLOSE || byte === BRACKET_CLOSE;
}

function nameIn(value: ValueText | null): string {
  try {
    return String(JSON.parse(value?.text ?? '""'));
  } catch {
    return '';
  }
}
