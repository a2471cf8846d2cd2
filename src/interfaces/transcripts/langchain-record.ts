/** The three shapes in which LangChain writes a message out, as one. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { nameOf, objectsOf } from './json-fields.js';

export type LangchainKind = 'human' | 'ai' | 'system' | 'tool' | 'chat' | 'remove';

export interface LangchainMessage {
  readonly kind: LangchainKind;
  /** One piece of a message that came as a stream. */
  readonly isChunk: boolean;
  /** `content`, `tool_calls`, `additional_kwargs` and so on. */
  readonly fields: JsonObject;
}

const KINDS: Readonly<Record<string, LangchainKind>> = {
  human: 'human',
  user: 'human',
  ai: 'ai',
  assistant: 'ai',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
  chat: 'chat',
  generic: 'chat',
  remove: 'remove',
};

/** `AIMessageChunk`, `HumanMessage`, or short names such as `ai`. */
const CLASS_NAME = /^(\w+?)(?:Message)?(Chunk)?$/;

export function readLangchainMessage(record: JsonValue): LangchainMessage | null {
  if (!isJsonObject(record)) return null;
  if (record['type'] === 'constructor' && isJsonObject(record['kwargs'])) {
    const path = Array.isArray(record['id']) ? (record['id'] as readonly JsonValue[]) : [];
    return messageOf(nameOf(path.at(-1)), record['kwargs']);
  }
  if (isJsonObject(record['data'])) return messageOf(nameOf(record['type']), record['data']);
  return messageOf(nameOf(record['type']) ?? nameOf(record['role']), record);
}

function messageOf(name: string | null, fields: JsonObject): LangchainMessage | null {
  const [, stem = '', chunk] = CLASS_NAME.exec(name ?? '') ?? [];
  const kind = KINDS[stem.toLowerCase()];
  if (kind === undefined || !('content' in fields || 'tool_calls' in fields || kind === 'remove')) {
    return null;
  }
  return { kind, isChunk: chunk !== undefined, fields };
}

/** Types that a plain message of LangChain has, and no other vendor's. */
const OWN_TYPES = new Set(['human', 'ai']);

/** A record that only LangChain writes; a plain `{ role, content }` may be anybody's. */
export function isLangchainRecord(record: JsonValue): boolean {
  if (!isJsonObject(record) || 'sessionId' in record || 'payload' in record) return false;
  const message = readLangchainMessage(record);
  if (message === null) return false;
  if (record['type'] === 'constructor' || isJsonObject(record['data'])) return true;
  const type = nameOf(record['type']) ?? nameOf(record['role']) ?? '';
  if (OWN_TYPES.has(type) || /Message(?:Chunk)?$/.test(type)) return true;
  const isTyped = 'type' in record && !('role' in record) && !('uuid' in record);
  return (
    objectsOf(record['tool_calls']).some((call) => 'name' in call && 'args' in call) ||
    (isTyped &&
      (message.kind === 'tool' ? 'tool_call_id' in record : 'additional_kwargs' in record))
  );
}
