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
export async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<ByteLine> {
  let held: Buffer[] = [];
  let length = 0;
  let number = 1;
  let byteOffset = 0;

  const take = (end: Buffer, isTerminated: boolean): ByteLine => {
    length += end.length;
    const isTooLong = length > maxLineBytes;
    const bytes = isTooLong
      ? null
      : held.length === 0
        ? end
        : Buffer.concat([...held, end], length);
    const byteEnd = byteOffset + length + (isTerminated ? 1 : 0);
    const line = decode({ number, byteOffset, byteEnd, length, isTerminated }, bytes);
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

function decode(
  place: Pick<ByteLine, 'number' | 'byteOffset' | 'byteEnd' | 'length' | 'isTerminated'>,
  bytes: Buffer | null,
): ByteLine {
  if (bytes === null) return { ...place, text: null, fault: 'too-long' };
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  const line = bytes.subarray(0, end);
  if (!isUtf8(line)) return { ...place, length: end, text: null, fault: 'not-utf8' };
  const text = line.toString('utf8');
  const isMarked = place.number === 1 && text.startsWith('\uFEFF');
  return { ...place, length: end, text: isMarked ? text.slice(1) : text, fault: null };
}
