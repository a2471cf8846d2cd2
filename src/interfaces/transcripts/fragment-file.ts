/** Fragment files: one JSON array, or JSONL, of fragment objects with the names of the wire. */
import type { DetectableFormat } from '../../application/session/detect-format.js';
import type {
  TranscriptHead,
  TranscriptProblem,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import type { Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { type ByteLine, byteLines } from './byte-lines.js';
import { type FieldFault, type FragmentRecord, parseFragmentRecord } from './fragment-record.js';
import { jsonArrayElements } from './json-array-elements.js';

export const FRAGMENT_FILE = 'fragment-file';

/** Faults listed one by one; all are counted. */
const LISTED_FAULTS = 100;

/** A fragment of a file, cleaned and counted. */
export type FileFragment = FragmentRecord & {
  readonly tokenCount: number;
  /** False where the count was taken from the file. */
  readonly counted: boolean;
};

export interface FragmentFault extends Omit<TranscriptProblem, 'reason' | 'ids'> {
  readonly reason: 'not-json' | 'not-utf8' | 'too-long' | 'bad-field' | 'not-closed';
  readonly field: string | null;
  readonly rule: string;
}

export interface FragmentFileReceipt {
  readonly format: typeof FRAGMENT_FILE;
  readonly lines: number;
  readonly bytes: number;
  readonly fragments: number;
  /** Objects left out, only with `skipInvalid`. */
  readonly problems: { readonly total: number; readonly first: readonly FragmentFault[] };
  readonly redactions: Readonly<Record<string, number>>;
  readonly repaired: number;
  readonly notes: readonly string[];
}

export interface FragmentFileRequest {
  readonly source: TranscriptSource;
  readonly counter: TokenCounter;
  readonly redact: Redact;
  /** Leave out objects that break a rule, and name them, instead of refusing the file. */
  readonly skipInvalid: boolean;
}

export const fragmentFileFormat: DetectableFormat = { name: FRAGMENT_FILE, detect };

/** Told by the fields of the first object, even one that a rule refuses later with its reason. */
function detect({ text, isWhole }: TranscriptHead): boolean {
  const start = text.trimStart();
  if (isWhole && /^\[\s*\]\s*$/.test(start)) return true;
  if (!/^\[?\s*\{/.test(start)) return false;
  return /^\[?\s*\{[^]{0,2000}?"fragment_id"\s*:/.test(start) || hasContentAndRelevance(start);
}

function hasContentAndRelevance(start: string): boolean {
  const [line = ''] = start.replace(/^\[\s*/, '').split('\n', 1);
  try {
    const value: unknown = JSON.parse(line.replace(/,\s*$/, ''));
    return isJsonObject(value) && 'content' in value && 'relevance' in value;
  } catch {
    return false;
  }
}

/**
 * Streams the fragments of a file.
 *
 * @returns `items` to be read once, then `receipt`. Without `skipInvalid` the first fault throws
 * INVALID_FRAGMENT naming line and field; earlier fragments were given out by then, so write them
 * in one transaction.
 */
export function readFragmentFile(request: FragmentFileRequest): {
  readonly items: AsyncIterable<FileFragment>;
  receipt(): FragmentFileReceipt;
} {
  let receipt: FragmentFileReceipt | null = null;
  return {
    items: readItems(request, (final) => {
      receipt = final;
    }),
    receipt: () => {
      if (receipt !== null) return receipt;
      throw new OssatureError('INVALID_INPUT', 'The receipt exists once the last item was read.');
    },
  };
}

async function* readItems(
  { source, counter, redact, skipInvalid }: FragmentFileRequest,
  finish: (receipt: FragmentFileReceipt) => void,
): AsyncGenerator<FileFragment> {
  const cleaner = new TextCleaner(redact);
  const listed: FragmentFault[] = [];
  let faults = 0;
  let fragments = 0;
  let end = { lines: 0, bytes: 0 };

  const fault = (
    place: Place,
    reason: FragmentFault['reason'],
    { field, rule }: FieldFault,
  ): void => {
    if (!skipInvalid) throw refused(source.name, place.number, field, rule);
    faults += 1;
    const { number: line, byteOffset, length } = place;
    if (listed.length < LISTED_FAULTS)
      listed.push({ reason, line, byteOffset, length, field, rule });
  };

  const { text: headText } = await source.head();
  const isArray = headText.trimStart().startsWith('[');
  for await (const part of isArray ? arrayParts(source) : lineParts(source)) {
    if (part.part === 'end') {
      end = part;
      if (!part.isClosed) {
        const place = { number: part.lines, byteOffset: part.bytes, length: 0 };
        fault(place, 'not-closed', {
          field: null,
          rule: 'the array has no end, or text stands behind it',
        });
      }
      continue;
    }
    const value = part.text === null ? undefined : parseJson(part.text);
    if (value === undefined) {
      fault(part, part.fault ?? 'not-json', { field: null, rule: RULES[part.fault ?? 'not-json'] });
      continue;
    }
    const record = parseFragmentRecord(value);
    if ('rule' in record) {
      fault(part, 'bad-field', record);
      continue;
    }
    fragments += 1;
    yield measured(record, cleaner, counter);
  }
  finish({
    format: FRAGMENT_FILE,
    ...end,
    fragments,
    problems: { total: faults, first: listed },
    redactions: cleaner.redactions,
    repaired: cleaner.repaired,
    notes: fragments + faults === 0 ? [`${source.name} holds no fragments.`] : [],
  });
}

/** A count given by the file holds for the text it came with; a text that was cleaned is counted again. */
function measured(
  record: FragmentRecord,
  cleaner: TextCleaner,
  counter: TokenCounter,
): FileFragment {
  const content = cleaner.clean(record.content);
  const isAsGiven = content === record.content && record.tokenCount !== null;
  return {
    ...record,
    content,
    tokenCount: isAsGiven ? record.tokenCount : counter.count(content),
    counted: !isAsGiven,
    decision: record.decision === null ? null : cleaner.clean(record.decision),
    metadata: cleaner.cleanJson(record.metadata) as JsonObject,
  };
}

type Place = Pick<ByteLine, 'number' | 'byteOffset' | 'length'>;

type FilePart =
  | ({ readonly part: 'element' } & Place & Pick<ByteLine, 'text' | 'fault'>)
  | {
      readonly part: 'end';
      readonly lines: number;
      readonly bytes: number;
      readonly isClosed: boolean;
    };

function arrayParts(source: TranscriptSource): AsyncIterable<FilePart> {
  return jsonArrayElements(source.open());
}

async function* lineParts(source: TranscriptSource): AsyncGenerator<FilePart> {
  let lines = 0;
  let bytes = 0;
  for await (const line of byteLines(source.open())) {
    lines = line.number;
    bytes = line.byteEnd;
    if (line.text?.trim() === '') continue;
    yield { part: 'element', ...line };
  }
  yield { part: 'end', lines, bytes, isClosed: true };
}

const RULES: Readonly<Record<'not-json' | 'not-utf8' | 'too-long', string>> = {
  'not-json': 'must be JSON',
  'not-utf8': 'must be UTF-8',
  'too-long': 'must be shorter than 64 MB',
};

function refused(source: string, line: number, field: string | null, rule: string): OssatureError {
  const subject = field === null ? '' : `${field} `;
  return new OssatureError(
    'INVALID_FRAGMENT',
    `${source}, line ${line}: ${subject}${rule}. Nothing of this file was imported; correct it, or give --skip-invalid to leave such objects out.`,
    { details: { source, line, field } },
  );
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
