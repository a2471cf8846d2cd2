/** What a command is given of the world: its environment, its streams, and the wish to stop. */
import type { Readable, Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

export type OutputStream = Writable & {
  readonly isTTY?: boolean | undefined;
  /** Columns of the terminal; absent where it is none. */
  readonly columns?: number | undefined;
};

export interface Terminal {
  readonly env: Environment;
  readonly stdin: Readable;
  /** Results, and nothing else. */
  readonly stdout: OutputStream;
  /** Errors, progress, and what a person should know while waiting. */
  readonly stderr: OutputStream;
  /** Aborted by Ctrl-C: nothing more is written, and the store is closed. */
  readonly signal: AbortSignal;
}

/** Columns where the output is no terminal. */
const FALLBACK_COLUMNS = 80;

export function columnsOf(stream: OutputStream): number {
  return stream.isTTY === true && stream.columns !== undefined && stream.columns > 0
    ? stream.columns
    : FALLBACK_COLUMNS;
}

export function hasColour(stream: OutputStream, env: Environment): boolean {
  const { NO_COLOR = '', TERM } = env;
  return stream.isTTY === true && NO_COLOR === '' && TERM !== 'dumb';
}

/** Resolves when the stream took the text; rejects where it is closed. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
