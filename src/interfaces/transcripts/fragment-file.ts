/** Fragment files: one JSON array, or JSONL, of fragment objects with the names of the wire. */
import type { DetectableFormat } from '../../application/session/detect-format.js';
import type {
  TranscriptHead,
  TranscriptProblem,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import { type ErrorCode, type ErrorDetails, OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import type { Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { type ByteLine, byteLines } from './byte-lines.js';
import { type FragmentRecord, parseFragmentRecord } from './fragment-record.js';
import { jsonArrayElements } from './json-array-elements.js';

export const FRAGMENT_FILE = 'fragment-file';

/** Faults listed one by one; all are counted. */
const LISTED_FAULTS = 100;

/** A fragment of a file, cleaned and counted. */
export type FileFragment = FragmentRecord & {
  readonly tokenCount: number;
  /** False where the count was taken from the file. */
  readonly counted: boolean;
  readonly place: FragmentPlace;
};

/** Where an object begins, in lines and bytes of the file; and its length in bytes. */
export type FragmentPlace = Pick<ByteLine, 'number' | 'byteOffset' | 'length'>;

export interface FragmentFault extends Omit<TranscriptProblem, 'reason' | 'ids'> {
  /** `refused`: in form, but the plan cannot take it; the rule is then a whole sentence. */
  readonly reason: 'not-json' | 'not-utf8' | 'too-long' | 'bad-field' | 'not-closed' | 'refused';
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
  /** Characters that no store can hold, replaced by U+FFFD. */
  readonly repaired: number;
  /** Lines of the first objects with such characters. */
  readonly repairedLines: readonly number[];
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

export interface FragmentFileReading {
  /** To be read once. */
  readonly items: AsyncIterable<FileFragment>;
  /**
   * Notes a fragment that was given out and turned out not to fit.
   *
   * @throws the error with file and line, where `skipInvalid` is not set.
   */
  refuse(error: OssatureError, place: FragmentPlace): void;
  /** After the last item, and after the last refusal. */
  receipt(): FragmentFileReceipt;
}

/**
 * Streams the fragments of a file.
 *
 * Without `skipInvalid` the first fault throws INVALID_FRAGMENT naming line and field; earlier fragments
 * were given out by then, so write them in one transaction.
 */
export function readFragmentFile(request: FragmentFileRequest): FragmentFileReading {
  const { source, skipInvalid } = request;
  const tally = new FileTally(source.name, skipInvalid, new TextCleaner(request.redact));
  return {
    items: readItems(request, tally),
    refuse: (error, place) => tally.refuse(error, place),
    receipt: () => tally.receipt(),
  };
}

async function* readItems(
  { source, counter }: FragmentFileRequest,
  tally: FileTally,
): AsyncGenerator<FileFragment> {
  const { text: headText } = await source.head();
  const isArray = headText.trimStart().startsWith('[');
  for await (const part of isArray ? arrayParts(source) : lineParts(source)) {
    if (part.part === 'end') {
      tally.end = { lines: part.lines, bytes: part.bytes };
      if (!part.isClosed) {
        const place = { number: part.lines, byteOffset: part.bytes, length: 0 };
        tally.fault(place, 'not-closed', null, 'the array has no end, or text stands behind it');
      }
      continue;
    }
    const value = part.text === null ? undefined : parseJson(part.text);
    if (value === undefined) {
      const isBegun = !isArray && /^\s*\{[^}]*$/.test(part.text ?? '');
      const rule = RULES[part.fault ?? 'not-json'] + (isBegun ? OBJECT_OVER_LINES : '');
      tally.fault(part, part.fault ?? 'not-json', null, rule);
      continue;
    }
    const record = parseFragmentRecord(value);
    if ('rule' in record) {
      tally.fault(part, 'bad-field', record.field, record.rule);
      continue;
    }
    const { number, byteOffset, length } = part;
    const place = { number, byteOffset, length };
    yield { ...tally.measured(record, place, counter), place };
  }
}

/** What became of the objects of a file. */
class FileTally {
  end: { readonly lines: number; readonly bytes: number } | null = null;
  #fragments = 0;
  #faults = 0;
  readonly #listed: FragmentFault[] = [];
  readonly #repairedLines: number[] = [];

  constructor(
    private readonly name: string,
    private readonly skipInvalid: boolean,
    private readonly cleaner: TextCleaner,
  ) {}

  fault(
    { number: line, byteOffset, length }: FragmentPlace,
    reason: FragmentFault['reason'],
    field: string | null,
    rule: string,
  ): void {
    if (!this.skipInvalid) {
      const subject = field === null ? '' : `${field} `;
      throw refused(this.name, line, `${subject}${rule}.`, 'INVALID_FRAGMENT', { field });
    }
    this.#faults += 1;
    if (this.#listed.length < LISTED_FAULTS)
      this.#listed.push({ reason, line, byteOffset, length, field, rule });
  }

  refuse({ code, message, details }: OssatureError, place: FragmentPlace): void {
    if (!this.skipInvalid) throw refused(this.name, place.number, message, code, details);
    const { field } = details;
    this.fault(place, 'refused', typeof field === 'string' ? wireName(field) : null, message);
    this.#fragments -= 1;
  }

  /** A count given by the file holds for the text it came with; a text that was cleaned is counted again. */
  measured(
    record: FragmentRecord,
    place: FragmentPlace,
    counter: TokenCounter,
  ): Omit<FileFragment, 'place'> {
    const { cleaner } = this;
    const before = cleaner.repaired;
    const content = cleaner.clean(record.content);
    const isAsGiven = content === record.content && record.tokenCount !== null;
    const decision = record.decision === null ? null : cleaner.clean(record.decision);
    const metadata = cleaner.cleanJson(record.metadata) as JsonObject;
    const isRepaired = cleaner.repaired > before;
    if (isRepaired && this.#repairedLines.length < LISTED_FAULTS)
      this.#repairedLines.push(place.number);
    this.#fragments += 1;
    const tokenCount = isAsGiven ? record.tokenCount : counter.count(content);
    return { ...record, content, tokenCount, counted: !isAsGiven, decision, metadata };
  }

  receipt(): FragmentFileReceipt {
    if (this.end === null) {
      throw new OssatureError('INVALID_INPUT', 'The receipt exists once the last item was read.');
    }
    return {
      format: FRAGMENT_FILE,
      ...this.end,
      fragments: this.#fragments,
      problems: {
        total: this.#faults,
        first: this.#listed.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0)),
      },
      redactions: this.cleaner.redactions,
      repaired: this.cleaner.repaired,
      repairedLines: [...this.#repairedLines],
      notes: this.#fragments + this.#faults === 0 ? [`${this.name} holds no fragments.`] : [],
    };
  }
}

type FilePart =
  | ({ readonly part: 'element' } & FragmentPlace & Pick<ByteLine, 'text' | 'fault'>)
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

const OBJECT_OVER_LINES =
  ': one whole object a line. Objects that go over several lines stand in one JSON array, [ … ]';

function refused(
  source: string,
  line: number,
  message: string,
  code: ErrorCode,
  details: ErrorDetails,
): OssatureError {
  return new OssatureError(
    code,
    `${source}, line ${line}: ${message} Nothing of this file was imported; correct it, or give --skip-invalid to leave such objects out.`,
    { details: { ...details, source, line } },
  );
}

/** `tokenCount` is `token_count` in a file. */
function wireName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
