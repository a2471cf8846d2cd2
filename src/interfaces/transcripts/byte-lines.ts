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

/**
 * Calls `visit` with the bytes of each line, without its end and without a byte order mark: for a search
 * that need not decode a line to know that it does not matter. Lines too long to be held are left out.
 *
 * @param visit may keep the bytes no longer than the call.
 */
export async function visitLines(
  chunks: AsyncIterable<Uint8Array>,
  visit: (line: Buffer) => void,
): Promise<void> {
  const splitter = new LineSplitter(MAX_LINE_BYTES, (line, number) => {
    visit(number === 1 && line.indexOf(BYTE_ORDER_MARK) === 0 ? line.subarray(3) : line);
    return VISITED;
  });
  for await (const chunk of chunks) {
    for (const line of splitter.split(chunk)) void line;
  }
  for (const line of splitter.end()) void line;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const VISITED = { text: null, fault: null };

type Decode = (line: Buffer, number: number) => Pick<ByteLine, 'text' | 'fault'>;

async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
  decode: Decode,
): AsyncGenerator<ByteLine> {
  const splitter = new LineSplitter(maxLineBytes, decode);
  for await (const chunk of chunks) yield* splitter.split(chunk);
  yield* splitter.end();
}

/** Cuts chunks at their line ends. For loops that are not to wait line by line. */
export class LineSplitter {
  #held: Buffer[] = [];
  /** Bytes of the line that is being read. */
  #length = 0;
  #number = 1;
  #byteOffset = 0;

  constructor(
    private readonly maxLineBytes = MAX_LINE_BYTES,
    private readonly decode: Decode = decodeUtf8,
  ) {}

  /** The lines that end in this chunk; to be taken to their end before the next one is given. */
  *split(piece: Uint8Array): Generator<ByteLine> {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      yield this.#take(chunk.subarray(from, at), true);
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    this.#length += rest.length;
    if (this.#length > this.maxLineBytes) this.#held = [];
    else if (rest.length > 0) this.#held.push(Buffer.from(rest));
  }

  /** A last line without an end. */
  *end(): Generator<ByteLine> {
    if (this.#length > 0) yield this.#take(Buffer.alloc(0), false);
  }

  #take(end: Buffer, isTerminated: boolean): ByteLine {
    const whole = this.#length + end.length;
    const isTooLong = whole > this.maxLineBytes;
    const held = this.#held;
    const bytes = held.length === 0 || isTooLong ? end : Buffer.concat([...held, end], whole);
    const content =
      bytes.length > 0 && bytes[bytes.length - 1] === CARRIAGE_RETURN
        ? bytes.subarray(0, -1)
        : bytes;
    const { text, fault } = isTooLong ? TOO_LONG : this.decode(content, this.#number);
    const line = {
      number: this.#number,
      byteOffset: this.#byteOffset,
      byteEnd: this.#byteOffset + whole + (isTerminated ? 1 : 0),
      length: isTooLong ? whole : content.length,
      text,
      fault,
      isTerminated,
    };
    this.#byteOffset = line.byteEnd;
    this.#number += 1;
    this.#held = [];
    this.#length = 0;
    return line;
  }
}

const TOO_LONG = { text: null, fault: 'too-long' } as const;

function decodeUtf8(line: Buffer, number: number): Pick<ByteLine, 'text' | 'fault'> {
  if (!isUtf8(line)) return { text: null, fault: 'not-utf8' };
  const text = line.toString('utf8');
  return { text: number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text, fault: null };
}
