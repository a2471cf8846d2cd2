/** What only conversations in the format of Anthropic's Messages API have. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { nameOf, objectsOf } from './json-fields.js';
import { isLangchainRecord } from './langchain-record.js';
import type { HeadSession } from './message-layout.js';

const OWN_BLOCKS = new Set([
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'web_search_tool_result',
  'image',
  'document',
]);

/** Messages of two roles; a member `system` or a block of its own tells them from OpenAI's. */
export function isAnthropicSession({ members, records }: HeadSession): boolean {
  if (!records.every(isPossible)) return false;
  const { system } = members;
  const hasSystem = typeof system === 'string' || Array.isArray(system);
  return hasSystem || records.some(hasOwnBlock);
}

function isPossible(record: JsonValue): boolean {
  if (!isJsonObject(record) || isLangchainRecord(record)) return false;
  const role = nameOf(record['role']);
  if (role === null) return Object.keys(record).length === 0;
  return (role === 'user' || role === 'assistant') && !hasForeignField(record);
}

function hasForeignField(record: JsonObject): boolean {
  return ['tool_calls', 'function_call', 'payload', 'sessionId'].some((name) => name in record);
}

function hasOwnBlock(record: JsonValue): boolean {
  const content = isJsonObject(record) ? record['content'] : null;
  return objectsOf(content).some((block) => OWN_BLOCKS.has(nameOf(block['type']) ?? ''));
}
