/** JSON values of a JSONL stream, with everything on the way that is not one. */
import type { TranscriptProblem } from '../../application/session/transcript-reader.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { JsonValue } from '../../domain/redaction/json-value.js';
import { type ByteLine, LineSplitter, MAX_LINE_BYTES } from './byte-lines.js';
import { splitGluedValues } from './json-values.js';

export type JsonlPart =
  | {
      readonly part: 'value';
      readonly value: JsonValue;
      readonly raw: string;
      readonly line: ByteLine;
    }
  | { readonly part: 'problem'; readonly problem: TranscriptProblem }
  | { readonly part: 'end'; readonly lines: number; readonly bytes: number };

/** Lines by which a file is judged as a whole; more than half unreadable: it is no JSONL. */
const JUDGED_LINES = 1_000;

/**
 * What a source holds, a chunk at a time: only a chunk is waited for, not a line. Each is to be taken
 * to its end before the next one is asked for.
 *
 * @throws INVALID_TRANSCRIPT more than half of the first 1,000 lines that are not blank cannot be read.
 */
export async function* jsonlParts(
  chunks: AsyncIterable<Uint8Array>,
  sourceName: string,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<Iterable<JsonlPart>> {
  const judged = { lines: 0, unreadable: 0 };
  let lines = 0;
  let bytes = 0;
  const splitter = new LineSplitter(maxLineBytes);
  const partsOf = function* (these: Iterable<ByteLine>): Generator<JsonlPart> {
    for (const line of these) {
      lines = line.number;
      bytes = line.byteEnd;
      if (line.text !== null && isBlank(line.text)) continue;
      const { values, problem } = parseLine(line);
      if (judged.lines < JUDGED_LINES) {
        judged.lines += 1;
        if (values.length === 0 && problem?.reason !== 'incomplete-tail') judged.unreadable += 1;
        if (judged.lines === JUDGED_LINES) requireReadable(judged, sourceName);
      }
      if (problem !== null) yield { part: 'problem', problem };
      for (const { value, raw } of values) yield { part: 'value', value, raw, line };
    }
  };
  for await (const chunk of chunks) yield partsOf(splitter.split(chunk));
  yield partsOf(splitter.end());
  requireReadable(judged, sourceName);
  yield [{ part: 'end', lines, bytes }];
}

/** A record begins with its brace: nearly no line is looked through for blanks. */
function isBlank(text: string): boolean {
  return text.charCodeAt(0) !== BRACE && text.trim() === '';
}

const BRACE = 0x7b;

interface ParsedLine {
  readonly values: readonly { readonly value: JsonValue; readonly raw: string }[];
  readonly problem: TranscriptProblem | null;
}

function parseLine(line: ByteLine): ParsedLine {
  const { text, fault } = line;
  if (text === null) return { values: [], problem: problemAt(line, fault ?? 'not-utf8') };
  const value = parseJson(text);
  if (value !== undefined) return { values: [{ value, raw: text }], problem: null };
  const glued = splitGluedValues(text)?.flatMap((raw) => {
    const part = parseJson(raw);
    return part === undefined ? [] : [{ value: part, raw }];
  });
  if (glued !== undefined && glued.length > 0) {
    return { values: glued, problem: problemAt(line, 'glued') };
  }
  return {
    values: [],
    problem: problemAt(line, line.isTerminated ? 'not-json' : 'incomplete-tail'),
  };
}

export function problemAt(
  { number, byteOffset, length }: ByteLine,
  reason: TranscriptProblem['reason'],
  ids: readonly string[] = [],
): TranscriptProblem {
  return { reason, line: number, byteOffset, length, ids };
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function requireReadable(
  { lines, unreadable }: { readonly lines: number; readonly unreadable: number },
  sourceName: string,
): void {
  if (unreadable * 2 <= lines) return;
  throw new OssatureError(
    'INVALID_TRANSCRIPT',
    `${sourceName}: ${unreadable} of the first ${lines} lines cannot be read as JSON, so it is not read at all. Check that it is the file you mean.`,
    { details: { source: sourceName, lines, unreadable } },
  );
}
