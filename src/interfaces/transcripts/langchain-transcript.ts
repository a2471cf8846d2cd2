/**
 * Conversations as LangChain and LangGraph write them out: messages in three shapes, and streams of
 * `[mode, value]` with pieces of messages and snapshots of all messages so far.
 */
import type {
  TranscriptHead,
  TranscriptReader,
} from '../../application/session/transcript-reader.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { isJsonObject, type JsonValue } from '../../domain/redaction/json-value.js';
import { nameOf } from './json-fields.js';
import { ChunkJoiner, type JoinedMessage } from './langchain-chunks.js';
import { LangchainMapper } from './langchain-message.js';
import { isLangchainRecord, readLangchainMessage } from './langchain-record.js';
import { viewHead } from './message-layout.js';
import {
  BAD_SHAPE,
  type KeyedRecord,
  type MessageFormat,
  messageReader,
  type RecordReading,
  type SessionMapper,
  skippedRecord,
} from './message-reader.js';

export const LANGCHAIN = 'langchain';

/** @param digest names messages that have no id of their own. */
export function langchainReader(digest: Digest): TranscriptReader {
  return messageReader({ name: LANGCHAIN, detect, begin } satisfies MessageFormat, digest);
}

/** At least one record of the head is LangChain's alone, and none contradicts it. */
function detect(head: TranscriptHead): boolean {
  const records = (viewHead(head)?.sessions ?? []).flatMap((session) => session.records);
  const last = records.length - 1;
  return (
    records.some((record) => isLangchainRecord(record) || messagesIn(record).length > 0) &&
    records.every(
      (record, index) =>
        (index === last && !head.isWhole) ||
        readLangchainMessage(record) !== null ||
        streamMode(record) !== null,
    )
  );
}

/** The mode of an element of a stream, or null. */
function streamMode(record: JsonValue): string | null {
  if (!Array.isArray(record)) return null;
  const [mode] = record as readonly JsonValue[];
  return record.length === 2 ? nameOf(mode) : null;
}

/** Levels below an element of a stream in which messages are looked for. */
const SEARCHED_LEVELS = 4;

function messagesIn(record: JsonValue): readonly JsonValue[] {
  if (streamMode(record) === null) return [];
  const [, value] = record as readonly JsonValue[];
  return search(value ?? null, SEARCHED_LEVELS);
}

function search(value: JsonValue, levels: number): readonly JsonValue[] {
  if (isLangchainRecord(value)) return [value];
  if (levels === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value as Record<string, JsonValue>).flatMap((part) =>
    search(part, levels - 1),
  );
}

function begin(): SessionMapper {
  const mapper = new LangchainMapper();
  const chunks = new ChunkJoiner();
  const idOf = (record: JsonValue): string | null =>
    nameOf(readLangchainMessage(record)?.fields['id']);
  const readJoined = (all: readonly JoinedMessage[]): readonly RecordReading[] =>
    all.map(({ message, recordKey }) => mapper.add(message, recordKey));

  const add = ({ record, recordKey }: KeyedRecord): RecordReading => {
    const mode = streamMode(record);
    if (mode !== null) return skippedRecord(`stream/${mode}`);
    const message = readLangchainMessage(record);
    if (message === null) return BAD_SHAPE;
    const id = idOf(record);
    if (message.isChunk && message.kind === 'ai' && id !== null) {
      return merged(readJoined(chunks.add(id, recordKey, message.fields)));
    }
    return merged([...readJoined(chunks.flush()), mapper.add(message, recordKey)]);
  };
  return {
    preamble: [],
    readMembers: [],
    unfold: (record) => {
      const messages = messagesIn(record);
      if (messages.length === 0) return null;
      return streamMode(record) === 'messages' ? messages : messages.map(wholeMessage);
    },
    idOf,
    continues: (record) => {
      const message = readLangchainMessage(record);
      const id = idOf(record);
      return message !== null && message.isChunk && id !== null && chunks.holds(id);
    },
    repeatsById: true,
    add,
    finish: () => merged(readJoined(chunks.flush())),
  };
}

/** A snapshot holds whole messages, whatever their class says. */
function wholeMessage(record: JsonValue): JsonValue {
  const message = readLangchainMessage(record);
  return message === null || !isJsonObject(record)
    ? record
    : { type: message.kind, data: message.fields };
}

function merged(readings: readonly RecordReading[]): RecordReading {
  return {
    entries: readings.flatMap(({ entries }) => entries),
    skippedAs: readings.flatMap(({ skippedAs }) => skippedAs),
    isBadShape: readings.some(({ isBadShape }) => isBadShape),
    usage: readings.flatMap(({ usage = [] }) => usage),
  };
}
