/** Elements of one large JSON array as texts, one at a time, in bounded memory. */
import type { ByteLine } from './byte-lines.js';
import { MAX_LINE_BYTES } from './byte-lines.js';
import { isUtf8 } from 'node:buffer';
import { isEscapedAt } from './json-values.js';

const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);

export type ArrayPart =
  | ({ readonly part: 'element' } & Pick<
      ByteLine,
      'number' | 'byteOffset' | 'length' | 'text' | 'fault'
    >)
  /** `isClosed` is false for an array without its end, or with text behind it. */
  | {
      readonly part: 'end';
      readonly lines: number;
      readonly bytes: number;
      readonly isClosed: boolean;
    };

/** `number` is the line of an element's first byte; elements are trimmed and not parsed. */
export async function* jsonArrayElements(
  chunks: AsyncIterable<Uint8Array>,
  maxElementBytes = MAX_LINE_BYTES,
): AsyncGenerator<ArrayPart> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let line = 1;
  let offset = 0;
  let isClosed = false;
  let element: { number: number; byteOffset: number; length: number; held: Buffer[] } | null = null;

  for await (const piece of chunks) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    const take = (end: number): ArrayPart | null => {
      if (element === null) return null;
      const rest = chunk.subarray(from, end);
      const done = { ...element, length: element.length + rest.length };
      const isTooLong = done.length > maxElementBytes;
      const whole = done.held.length === 0 ? rest : Buffer.concat([...done.held, rest]);
      const bytes = isTooLong ? null : whole;
      element = null;
      return finishElement(done, bytes);
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
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
      if (byte === LINE_FEED) line += 1;
      if (isBlankByte(byte)) continue;
      if (depth === 0) {
        if (offset + at < BYTE_ORDER_MARK.size && BYTE_ORDER_MARK.has(byte)) continue;
        if (byte !== BRACKET_OPEN || isClosed) {
          yield { part: 'end', lines: line, bytes: offset + at, isClosed: false };
          return;
        }
        depth = 1;
        continue;
      }
      if (depth === 1 && (byte === COMMA || byte === BRACKET_CLOSE)) {
        const part = take(at);
        if (part !== null) yield part;
        if (byte === BRACKET_CLOSE) {
          depth = 0;
          isClosed = true;
        }
        continue;
      }
      if (element === null) {
        element = { number: line, byteOffset: offset + at, length: 0, held: [] };
        from = at;
      }
      if (byte === QUOTE) inString = true;
      else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) depth += 1;
      else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) depth -= 1;
    }
    if (element !== null) {
      element.length += chunk.length - from;
      if (element.length > maxElementBytes) element.held = [];
      else element.held.push(Buffer.from(chunk.subarray(from)));
    }
    offset += chunk.length;
  }
  yield { part: 'end', lines: line, bytes: offset, isClosed };
}

function finishElement(
  { number, byteOffset, length }: Pick<ByteLine, 'number' | 'byteOffset' | 'length'>,
  bytes: Buffer | null,
): ArrayPart {
  const place = { part: 'element' as const, number, byteOffset, length };
  if (bytes === null) return { ...place, text: null, fault: 'too-long' };
  if (!isUtf8(bytes)) return { ...place, text: null, fault: 'not-utf8' };
  return { ...place, text: bytes.toString('utf8'), fault: null };
}

function isBlankByte(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === LINE_FEED;
}
