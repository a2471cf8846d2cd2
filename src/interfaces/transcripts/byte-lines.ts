/** Lines of a byte stream, one at a time, in bounded memory. */
import { isUtf8 } from 'node:buffer';

/** Bytes above which a line is skipped without being held (specification of sessions, §4). */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface ByteLine {
  /** From 1. */
  readonly number: number;
  /** Of its first byte in the stream; the byte order mark counts. */
  readonly byteOffset: number;
  /** Bytes without the line end. */
  readonly length: number;
  /** Of the first byte behind the line and its end. */
  readonly byteEnd: number;
  /** Null where the line could not be read, and why. */
  readonly text: string | null;
  readonly fault: 'too-long' | 'not-utf8' | null;
  /** False for a last line without a line end. */
  readonly isTerminated: boolean;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads LF and CRLF ends; a byte order mark at the start is no part of the first line. */
export function byteLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncIterable<ByteLine> {
  return splitLines(chunks, maxLineBytes, decodeUtf8);
}

/**
 * Lines for a search of ASCII words: one character a byte, several times as fast as decoding. A line
 * that turns out to matter is decoded by `utf8Text`.
 */
export function rawLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<ByteLine> {
  return splitLines(chunks, MAX_LINE_BYTES, (line, number) => {
    const text = line.toString('latin1');
    const hasMark = number === 1 && text.startsWith(RAW_BYTE_ORDER_MARK);
    return { text: hasMark ? text.slice(RAW_BYTE_ORDER_MARK.length) : text, fault: null };
  });
}

/** In UTF-8, one character a byte. */
const RAW_BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF';

export function utf8Text(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}

type Decode = (line: Buffer, number: number) => Pick<ByteLine, 'text' | 'fault'>;

async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
  decode: Decode,
): AsyncGenerator<ByteLine> {
  let held: Buffer[] = [];
  let length = 0;
  let number = 1;
  let byteOffset = 0;

  const decodeContent = (bytes: Buffer): Pick<ByteLine, 'length' | 'text' | 'fault'> => {
    const content = bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
    return { length: content.length, ...decode(content, number) };
  };
  const take = (end: Buffer, isTerminated: boolean): ByteLine => {
    length += end.length;
    const isTooLong = length > maxLineBytes;
    const bytes = isTooLong
      ? null
      : held.length === 0
        ? end
        : Buffer.concat([...held, end], length);
    const byteEnd = byteOffset + length + (isTerminated ? 1 : 0);
    const place = { number, byteOffset, byteEnd, isTerminated };
    const line: ByteLine =
      bytes === null
        ? { ...place, length, text: null, fault: 'too-long' }
        : { ...place, ...decodeContent(bytes) };
    byteOffset = byteEnd;
    number += 1;
    held = [];
    length = 0;
    return line;
  };

  for await (const piece of chunks) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      yield take(chunk.subarray(from, at), true);
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > maxLineBytes) held = [];
    else if (rest.length > 0) held.push(Buffer.from(rest));
  }
  if (length > 0) yield take(Buffer.alloc(0), false);
}

function decodeUtf8(line: Buffer, number: number): Pick<ByteLine, 'text' | 'fault'> {
  if (!isUtf8(line)) return { text: null, fault: 'not-utf8' };
  const text = line.toString('utf8');
  return { text: number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text, fault: null };
}
