/**
 * Conversations in the formats of OpenAI: messages of Chat Completions and items of Responses, as an
 * array, JSONL, or an object that holds them.
 */
import type {
  TranscriptHead,
  TranscriptReader,
} from '../../application/session/transcript-reader.js';
import type { Digest } from '../../domain/kernel/measures.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { isAnthropicSession } from './anthropic-marks.js';
import { nameOf, objectsOf, textOf } from './json-fields.js';
import { isLangchainRecord } from './langchain-record.js';
import { type HeadSession, STEP_ARRAY, viewHead } from './message-layout.js';
import {
  BAD_SHAPE,
  type KeyedRecord,
  type MessageFormat,
  messageReader,
  NOTHING_READ,
  type RecordReading,
  type SessionMapper,
} from './message-reader.js';
import { ChatMapper } from './openai-chat.js';
import { isItemType, ItemMapper, PLAIN_RULES } from './openai-items.js';

export const OPENAI = 'openai';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Fields of records that other vendors write. */
const FOREIGN_FIELDS = ['payload', 'record_type', 'sessionId', 'sessionID'];

/** Roles that begin a conversation. */
const FIRST_ROLES = new Set(['system', 'developer', 'user']);

/** @param digest names messages that have no id of their own. */
export function openaiReader(digest: Digest): TranscriptReader {
  return messageReader(openaiFormat, digest);
}

const openaiFormat: MessageFormat = { name: OPENAI, detect, begin };

/** Every record of the head must be one of this format; fields that others have alone rule it out. */
function detect(head: TranscriptHead): boolean {
  const sessions = viewHead(head)?.sessions ?? [];
  const withRecords = sessions.filter(({ records }) => records.length > 0);
  if (withRecords.length === 0) return sessions.some(({ members }) => hasSteps(members));
  return withRecords.every((session) => isOwnSession(session, head.isWhole));
}

/** The messages lie behind the head, but what stands before them is known. */
function hasSteps(members: JsonObject): boolean {
  const [step] = objectsOf(members[STEP_ARRAY]);
  return step !== undefined && 'action' in step && 'observation' in step;
}

function isOwnSession(session: HeadSession, isWhole: boolean): boolean {
  const { records } = session;
  const [first] = records;
  const role = isJsonObject(first) ? nameOf(first['role']) : null;
  if (role !== null && !FIRST_ROLES.has(role)) return false;
  return (
    !isAnthropicSession(session) &&
    records.every((record, index) => isOwnRecord(record, !isWhole && index === records.length - 1))
  );
}

function isOwnRecord(record: JsonValue, isCut: boolean): boolean {
  if (!isJsonObject(record) || isLangchainRecord(record)) return false;
  if (FOREIGN_FIELDS.some((name) => name in record)) return false;
  const type = nameOf(record['type']);
  if (type !== null && isItemType(type)) return type !== 'message' || 'role' in record;
  const role = nameOf(record['role']);
  if (role === null) return isCut && Object.keys(record).length === 0;
  if (type !== null || !ROLES.has(role)) return false;
  return 'content' in record || 'tool_calls' in record || 'function_call' in record || isCut;
}

function begin(members: JsonObject): SessionMapper {
  const chat = new ChatMapper();
  const items = new ItemMapper(PLAIN_RULES);
  const instructions = textOf(members['instructions']);
  const add = ({ record, recordKey }: KeyedRecord): RecordReading => {
    if (!isJsonObject(record)) return BAD_SHAPE;
    if (nameOf(record['type']) !== null) return items.add(record, { recordKey, occurredAt: null });
    if (!ROLES.has(nameOf(record['role']) ?? '')) return BAD_SHAPE;
    items.endMessage();
    return chat.add(record, recordKey);
  };
  return {
    preamble: instructions === null ? [] : [{ role: 'system', content: instructions }],
    readMembers: ['instructions'],
    unfold: () => null,
    idOf: (record) => (isJsonObject(record) ? nameOf(record['id']) : null),
    continues: () => false,
    repeatsById: false,
    add,
    finish: () => NOTHING_READ,
  };
}
