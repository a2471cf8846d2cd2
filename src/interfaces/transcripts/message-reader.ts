/** A reader of messages in any layout, made from what one message of a vendor means. */
import type {
  TranscriptEvent,
  TranscriptHead,
  TranscriptReader,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import type { Digest } from '../../domain/kernel/measures.js';
import type { JsonObject, JsonValue } from '../../domain/redaction/json-value.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import { isNestedTooDeep, nameOf } from './json-fields.js';
import { SESSION_NAMES, viewHead } from './message-layout.js';
import { messageSessions, type RecordPlace, type SessionPart } from './message-sessions.js';
import { SourceKeys, type TakenKey } from './source-keys.js';

/** What one record became. */
export interface RecordReading {
  readonly entries: readonly TranscriptEntry[];
  /** What the record is counted under where it is no conversation, or not all of it. */
  readonly skippedAs: readonly string[];
  readonly isBadShape: boolean;
  /** What the provider reports of the requests behind the record; absent: nothing. */
  readonly usage?: readonly UsageEvent[];
}

export type UsageEvent = Extract<TranscriptEvent, { event: 'usage' }>;

/** A record with the name it has in the source. */
export interface KeyedRecord {
  readonly record: JsonValue;
  readonly recordKey: string;
}

/** Maps the records of one session, in their order. */
export interface SessionMapper {
  /** The object's members that say something of the conversation, as records before the first. */
  readonly preamble: readonly JsonObject[];
  /** Names of members that were read; the others are counted as skipped. */
  readonly readMembers: readonly string[];
  /**
   * Takes a record as the source has it apart into those that count, such as the messages of a
   * snapshot. Null: it is one.
   */
  unfold(record: JsonValue): readonly JsonValue[] | null;
  /** The vendor's id of a record, or null. */
  idOf(record: JsonValue): string | null;
  add(keyed: KeyedRecord): RecordReading;
  /** The record is a further piece of a message that is being put together. */
  continues(record: JsonValue): boolean;
  /** Messages with an id come again in snapshots, put together or not: their content is not compared. */
  readonly repeatsById: boolean;
  /** What was held back for records that did not come. */
  finish(): RecordReading;
}

export interface MessageFormat {
  readonly name: string;
  detect(head: TranscriptHead): boolean;
  begin(members: JsonObject): SessionMapper;
}

export const NOTHING_READ: RecordReading = { entries: [], skippedAs: [], isBadShape: false };
export const BAD_SHAPE: RecordReading = { ...NOTHING_READ, isBadShape: true };

export function skippedRecord(...types: readonly string[]): RecordReading {
  return { ...NOTHING_READ, skippedAs: types };
}

/** Of every format of messages: to be changed when a file gives other events than before. */
const VERSION = '2';

/** @param digest names records that have no id of their own. */
export function messageReader(format: MessageFormat, digest: Digest): TranscriptReader {
  return {
    name: format.name,
    version: VERSION,
    detect: (head) => format.detect(head),
    read: (source) => read(source, format, digest),
  };
}

async function* read(
  source: TranscriptSource,
  format: MessageFormat,
  digest: Digest,
): AsyncGenerator<TranscriptEvent> {
  const view = viewHead(await source.head());
  let session: SessionReading | null = null;
  let sessions = 0;
  for await (const part of messageSessions(source, view?.layout ?? 'lines')) {
    if (part.part === 'session') {
      if (session !== null) for (const event of session.finish()) yield event;
      sessions += 1;
      session = new SessionReading(format, part.members, digest, sessions);
      for (const event of session.begin()) yield event;
      continue;
    }
    // A problem before the first record still belongs behind the event that is always first.
    if (session === null) {
      session = new SessionReading(format, {}, digest, 1);
      for (const event of session.begin()) yield event;
    }
    if (part.part === 'record') {
      // Not by yield*: from a synchronous source that costs several turns of the queue an event.
      for (const event of session.add(part)) yield event;
    } else if (part.part === 'problem') yield { event: 'problem', problem: part.problem };
    else {
      for (const event of session.finish()) yield event;
      yield { event: 'end', lines: part.lines, bytes: part.bytes };
    }
  }
}

class SessionReading {
  readonly #mapper: SessionMapper;
  readonly #keys: SourceKeys;
  readonly #vendorSessionId: string | null;

  constructor(
    format: MessageFormat,
    private readonly members: JsonObject,
    digest: Digest,
    number: number,
  ) {
    this.#mapper = format.begin(members);
    const named = SESSION_NAMES.map((name) => nameOf(members[name]));
    this.#vendorSessionId = named.find((name) => name !== null) ?? null;
    const isAnother = number > 1 && this.#vendorSessionId === null;
    this.#keys = new SourceKeys(digest, isAnother ? `${number}/` : '');
  }

  *begin(): Generator<TranscriptEvent> {
    yield { event: 'session', vendorSessionId: this.#vendorSessionId };
    const { preamble, readMembers } = this.#mapper;
    for (const name of Object.keys(this.members)) {
      if (!readMembers.includes(name) && !SESSION_NAMES.includes(name)) {
        yield { event: 'skipped', recordType: `member/${name}` };
      }
    }
    for (const record of preamble) {
      yield* this.#addOne(record, JSON.stringify(record), null);
    }
  }

  *add({
    value,
    raw,
    place,
  }: Extract<SessionPart, { part: 'record' }>): Generator<TranscriptEvent> {
    if (isNestedTooDeep(value)) {
      yield badShape(place);
      return;
    }
    const parts = this.#mapper.unfold(value);
    if (parts === null) yield* this.#addOne(value, raw, place);
    else for (const part of parts) yield* this.#addOne(part, JSON.stringify(part), place);
  }

  *finish(): Generator<TranscriptEvent> {
    yield* eventsOf(this.#mapper.finish(), null);
  }

  *#addOne(record: JsonValue, raw: string, place: RecordPlace | null): Generator<TranscriptEvent> {
    if (this.#mapper.continues(record)) {
      yield* eventsOf(this.#mapper.add({ record, recordKey: '' }), place);
      return;
    }
    const id = this.#mapper.idOf(record);
    const isKnown = this.#mapper.repeatsById && id !== null && this.#keys.knows(id);
    const { recordKey, state } = isKnown ? REPEATED : this.#keys.take(id, raw);
    if (state === 'repeated') {
      yield { event: 'repeated' };
      return;
    }
    if (state === 'reused') yield reused(place, recordKey);
    yield* eventsOf(this.#mapper.add({ record, recordKey }), place);
  }
}

const REPEATED: TakenKey = { recordKey: '', state: 'repeated' };

function* eventsOf(
  { entries, skippedAs, isBadShape, usage = [] }: RecordReading,
  place: RecordPlace | null,
): Generator<TranscriptEvent> {
  if (isBadShape) yield badShape(place);
  for (const recordType of skippedAs) yield { event: 'skipped', recordType };
  for (const entry of entries) yield { event: 'entry', entry };
  yield* usage;
}

function badShape(place: RecordPlace | null): TranscriptEvent {
  return { event: 'problem', problem: { ...placeOf(place), reason: 'bad-shape', ids: [] } };
}

function reused(place: RecordPlace | null, recordKey: string): TranscriptEvent {
  return {
    event: 'problem',
    problem: { ...placeOf(place), reason: 'key-reused', ids: [recordKey] },
  };
}

function placeOf(place: RecordPlace | null) {
  return {
    line: place?.number ?? null,
    byteOffset: place?.byteOffset ?? null,
    length: place?.length ?? null,
  };
}
