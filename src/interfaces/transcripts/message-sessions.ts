/** The sessions of a source whose records are messages, record by record, in bounded memory. */
import type {
  TranscriptProblem,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { JsonObject, JsonValue } from '../../domain/redaction/json-value.js';
import type { ByteLine } from './byte-lines.js';
import { jsonArrayElements } from './json-array-elements.js';
import { parseJson } from './json-fields.js';
import { jsonObjectMembers, type ValueText } from './json-object-members.js';
import { jsonlParts } from './jsonl-values.js';
import {
  MESSAGE_ARRAYS,
  type MessageLayout,
  partWrapper,
  TELLING_MEMBERS,
} from './message-layout.js';

export type RecordPlace = Pick<ByteLine, 'number' | 'byteOffset' | 'length'>;

export type SessionPart =
  /** Records that follow belong to it. `members` are its object's, without the messages. */
  | { readonly part: 'session'; readonly members: JsonObject }
  /** `raw` as it is in the source, or written again where it lies inside a larger value. */
  | {
      readonly part: 'record';
      readonly value: JsonValue;
      readonly raw: string;
      readonly place: RecordPlace;
    }
  | { readonly part: 'problem'; readonly problem: TranscriptProblem }
  | { readonly part: 'end'; readonly lines: number; readonly bytes: number };

/** Elements by which a source is judged as a whole (specification of sessions, §4). */
const JUDGED_ELEMENTS = 1_000;

export function messageSessions(
  source: TranscriptSource,
  layout: MessageLayout,
): AsyncIterable<SessionPart> {
  switch (layout) {
    case 'array':
      return arraySessions(source);
    case 'lines':
      return lineSessions(source);
    case 'objects':
      return objectSessions(source);
  }
}

async function* arraySessions(source: TranscriptSource): AsyncGenerator<SessionPart> {
  const sessions = new OpenSession();
  const judge = new Judge(source.name);
  for await (const part of jsonArrayElements(source.open())) {
    if (part.part === 'end') {
      judge.finish();
      if (!part.isClosed) yield notClosed(part);
      yield { part: 'end', lines: part.lines, bytes: part.bytes };
      return;
    }
    const value = judge.read(part);
    if (value === undefined) yield unreadable(part);
    else for (const one of sessions.add(value, part.text ?? '', part)) yield one;
  }
}

async function* lineSessions(source: TranscriptSource): AsyncGenerator<SessionPart> {
  const sessions = new OpenSession();
  for await (const parts of jsonlParts(source.open(), source.name)) {
    for (const part of parts) {
      if (part.part !== 'value') yield part;
      else for (const one of sessions.add(part.value, part.raw, part.line)) yield one;
    }
  }
}

/** Two passes: what stands behind the messages may belong before them. */
async function* objectSessions(source: TranscriptSource): AsyncGenerator<SessionPart> {
  const surveyed = await surveyMembers(source);
  const judge = new Judge(source.name);
  let index = -1;
  for await (const part of jsonObjectMembers(source.open(), isMessageArray)) {
    switch (part.part) {
      case 'object':
        index += 1;
        yield { part: 'session', members: surveyed[index]?.members ?? {} };
        break;
      case 'element': {
        if (part.name !== surveyed[index]?.arrayName) break;
        const value = judge.read(part);
        if (value === undefined) yield unreadable(part);
        else yield { part: 'record', value, raw: part.text ?? '', place: part };
        break;
      }
      case 'member':
        if (part.fault !== null) yield unreadable(part);
        break;
      case 'end':
        judge.finish();
        if (!part.isClosed) yield notClosed(part);
        yield { part: 'end', lines: part.lines, bytes: part.bytes };
        break;
    }
  }
}

function isMessageArray(name: string): boolean {
  return MESSAGE_ARRAYS.includes(name);
}

/** Bytes of a telling member that is kept; of others, and of larger ones, the name alone. */
const MEMBER_BYTES = 4 * 1024 * 1024;

interface Surveyed {
  readonly members: Record<string, JsonValue>;
  arrayName: string | null;
}

async function surveyMembers(source: TranscriptSource): Promise<readonly Surveyed[]> {
  const objects: Surveyed[] = [];
  for await (const part of jsonObjectMembers(source.open(), isMessageArray)) {
    const current = objects.at(-1);
    if (part.part === 'object') objects.push({ members: {}, arrayName: null });
    if (current === undefined) continue;
    if (part.part === 'member') {
      const isKept = TELLING_MEMBERS.includes(part.name) && part.length <= MEMBER_BYTES;
      current.members[part.name] = isKept ? (parseJson(part.text ?? '') ?? null) : null;
    }
    if (part.part === 'element') {
      const rank = MESSAGE_ARRAYS.indexOf(part.name);
      const known = current.arrayName;
      if (known === null || rank < MESSAGE_ARRAYS.indexOf(known)) {
        current.arrayName = part.name;
        if (known !== null) current.members[known] = null;
      } else if (known !== part.name) current.members[part.name] = null;
    }
  }
  return objects;
}

/** Messages that stand by themselves form one session; each object that holds some begins another. */
class OpenSession {
  #isPlain = false;

  *add(value: JsonValue, raw: string, place: RecordPlace): Generator<SessionPart> {
    const wrapper = partWrapper(value);
    if (wrapper === null) {
      if (!this.#isPlain) yield { part: 'session', members: {} };
      this.#isPlain = true;
      yield { part: 'record', value, raw, place };
      return;
    }
    this.#isPlain = false;
    yield { part: 'session', members: wrapper.members };
    for (const record of wrapper.records) {
      yield { part: 'record', value: record, raw: JSON.stringify(record), place };
    }
  }
}

/** Refuses a source of which most of the first elements cannot be read. */
class Judge {
  #elements = 0;
  #unreadable = 0;

  constructor(private readonly sourceName: string) {}

  read({ text }: ValueText): JsonValue | undefined {
    const value = text === null ? undefined : parseJson(text);
    if (this.#elements < JUDGED_ELEMENTS) {
      this.#elements += 1;
      if (value === undefined) this.#unreadable += 1;
      if (this.#elements === JUDGED_ELEMENTS) this.finish();
    }
    return value;
  }

  /** @throws INVALID_TRANSCRIPT more than half of the elements so far cannot be read. */
  finish(): void {
    if (this.#unreadable * 2 <= this.#elements) return;
    const details = {
      source: this.sourceName,
      elements: this.#elements,
      unreadable: this.#unreadable,
    };
    throw new OssatureError(
      'INVALID_TRANSCRIPT',
      `${this.sourceName}: ${this.#unreadable} of the first ${this.#elements} elements cannot be read as JSON, so it is not read at all. Check that it is the file you mean.`,
      { details },
    );
  }
}

function unreadable({ number, byteOffset, length, fault }: ValueText): SessionPart {
  const problem = {
    line: number,
    byteOffset,
    length,
    reason: fault ?? 'not-json',
    ids: [],
  } as const;
  return { part: 'problem', problem };
}

function notClosed({
  lines,
  bytes,
}: {
  readonly lines: number;
  readonly bytes: number;
}): SessionPart {
  const problem = { line: lines, byteOffset: bytes, length: 0, ids: [] };
  return { part: 'problem', problem: { ...problem, reason: 'incomplete-tail' } };
}
