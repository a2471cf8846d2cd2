/** Errors that a session met, and whether they were overcome. */
import { boundaryBefore } from '../cut-text.js';
import { errorLines } from './error-lines.js';
import { errorSignature, MAX_FIRST_LINE } from './error-signature.js';

export interface SessionError {
  /** The line without what differs from run to run; with `key` the identity of the error. */
  readonly signature: string;
  /** The command or call that failed; its next success resolves the error. */
  readonly key: string;
  /** First line, word for word, at most 500 UTF-16 units. */
  readonly firstLine: string;
  readonly file: string | null;
  readonly line: number | null;
  /** Seqs of the calls, the first and the latest ones. */
  readonly seenAt: readonly number[];
  readonly count: number;
  readonly state: 'open' | 'resolved';
  /** Seq of the call that succeeded where this one had failed. */
  readonly resolvedBy: number | null;
}

export interface FoundError {
  readonly firstLine: string;
  readonly signature: string;
  readonly file: string | null;
  readonly line: number | null;
}

/** Seqs kept for one error. */
const MAX_SEEN = 20;

/** The errors that a failed result tells of, by `errorLines`. Distinct, in order. */
export function findErrors(output: string): readonly FoundError[] {
  const found = new Map<string, FoundError>();
  for (const { text, file, line } of errorLines(output)) {
    const signature = errorSignature(text);
    const firstLine = text.slice(0, boundaryBefore(text, MAX_FIRST_LINE));
    if (!found.has(signature)) found.set(signature, { firstLine, signature, file, line });
  }
  return [...found.values()];
}

export const errorId = ({ key, signature }: Pick<SessionError, 'key' | 'signature'>): string =>
  JSON.stringify([key, signature]);

/** The parts of an `errorId`. */
export function readErrorId(id: string): Pick<SessionError, 'key' | 'signature'> {
  const [key, signature] = JSON.parse(id) as readonly [string, string];
  return { key, signature };
}

/** The error seen once more; one that was overcome is open again. */
export function seeError(
  before: SessionError | undefined,
  found: FoundError,
  key: string,
  seq: number,
): SessionError {
  if (before === undefined) {
    return { ...found, key, seenAt: [seq], count: 1, state: 'open', resolvedBy: null };
  }
  const [first = seq, ...later] = before.seenAt;
  return {
    ...before,
    file: found.file ?? before.file,
    line: found.line ?? before.line,
    seenAt: [first, ...[...later, seq].slice(1 - MAX_SEEN)],
    count: before.count + 1,
    state: 'open',
    resolvedBy: null,
  };
}
