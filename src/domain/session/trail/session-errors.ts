/** Errors that a session met, and whether they were overcome. */
import { boundaryBefore } from '../cut-text.js';

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

/** UTF-16 units of a first line that are kept (specification of sessions, §6.1). */
const MAX_FIRST_LINE = 500;

/** Errors taken from one result. */
const MAX_ERRORS = 10;

/** UTF-16 units at either end of an output that are looked at. */
const LOOKED_AT = 100_000;

/** Seqs kept for one error. */
const MAX_SEEN = 20;

// eslint-disable-next-line no-control-regex -- colours of terminals begin with U+001B.
const COLOURS = /\u001b\[[\d;]*[A-Za-z]/g;
const EXIT_LINE = /^(?:Error: )?Exit code \d{1,3}\s*$/;
const SOUNDS_LIKE_ERROR =
  /\berror\b|\bexception\b|\bpanic(?:ked)?\b|\bfatal\b|^\s*(?:--- )?FAIL(?:ED)?\b|[✕✗×] |\bcannot\b|\bnot found\b|\bno such file\b|\b\w+Error:/i;
const SOUNDS_HARMLESS =
  /\b(?:0|no) (?:errors?|failed|failures?)\b|\berror(?:s)?: 0\b|\bwarnings?\b/i;
const PLACE =
  /(?:^|[\s("'[])((?:[A-Za-z]:)?(?:[\w.@~+-]*[/\\])*[\w.@+-]+\.[A-Za-z]\w{0,9})(?::(\d+)(?::\d+)?|\((\d+),\d+\)|", line (\d+))/;

/**
 * The errors that a failed result tells of: lines that name a place and an error, else the first line
 * that sounds like one, else the first line at all. Distinct, in order.
 */
export function findErrors(output: string): readonly FoundError[] {
  const looked =
    output.length <= 2 * LOOKED_AT
      ? output
      : `${output.slice(0, LOOKED_AT)}\n${output.slice(-LOOKED_AT)}`;
  const lines = looked
    .replaceAll(COLOURS, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '' && !EXIT_LINE.test(line));
  const telling = lines.filter(
    (line) => SOUNDS_LIKE_ERROR.test(line) && !SOUNDS_HARMLESS.test(line),
  );
  const placed = telling.filter((line) => PLACE.test(line));
  const chosen = placed.length > 0 ? placed : [telling[0] ?? lines[0]];
  const found = new Map<string, FoundError>();
  for (const line of chosen) {
    if (line === undefined || found.size >= MAX_ERRORS) continue;
    const error = readError(line, lines);
    if (!found.has(error.signature)) found.set(error.signature, error);
  }
  return [...found.values()];
}

/** Lines behind an error in which its place is looked for. */
const PLACE_WITHIN = 12;

function readError(line: string, lines: readonly string[]): FoundError {
  const at = lines.indexOf(line);
  const around = lines.slice(at, at + PLACE_WITHIN);
  const placeLine = around.find((candidate) => PLACE.test(candidate)) ?? '';
  const [, file, ...numbers] = PLACE.exec(placeLine) ?? [];
  const number = numbers.find((digits) => digits !== undefined);
  return {
    firstLine: line.slice(0, boundaryBefore(line, MAX_FIRST_LINE)),
    signature: errorSignature(line),
    file: file ?? null,
    line: number === undefined ? null : Number(number),
  };
}

/** The line without numbers, addresses, ids, times and folders: equal for the same error in two runs. */
export function errorSignature(line: string): string {
  return line
    .slice(0, boundaryBefore(line, MAX_FIRST_LINE))
    .replaceAll(
      /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g,
      '<time>',
    )
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<id>')
    .replaceAll(/\b0x[\da-f]+\b/gi, '<address>')
    .replaceAll(/\b(?=[a-f]*\d)[\da-f]{7,64}\b/gi, '<hash>')
    .replaceAll(/(?:[A-Za-z]:)?(?:[\w.@~+-]*[/\\])+(?=[\w.@+-])/g, '')
    .replaceAll(/\d+(?:\.\d+)?/g, '<n>')
    .replaceAll(/\s+/g, ' ')
    .trim();
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
