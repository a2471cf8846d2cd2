/** The published rules of OpenAI's Responses API, checked on any list of input items. */
import { isJsonObject, type JsonObject } from '../../redaction/json-value.js';
import { BreachList, isName, isVisibleText, readMessages, type RuleBreach } from './rule-breach.js';

const ROLES = new Set<unknown>(['system', 'developer', 'user', 'assistant']);

/** Longest id of a call and longest name of a function, in characters. */
const NAME_LENGTH = 64;

const CALLS = new Set<unknown>(['function_call', 'custom_tool_call']);
const OUTPUTS = new Set<unknown>(['function_call_output', 'custom_tool_call_output']);

/** @returns no breaches for items that the API accepts. */
export function checkOpenaiResponses(items: unknown): readonly RuleBreach[] {
  const list = new BreachList();
  const callIds = new Set<string>();
  const open = new Set<string>();
  const read = readMessages(items, list);
  for (const [index, item] of read.entries()) {
    const type = item['type'] ?? 'message';
    if (type === 'message') {
      if (open.size > 0) list.add('call-answered', index, [...open].join(' '));
      open.clear();
      checkMessage(item, index, list);
    } else if (CALLS.has(type)) checkCall(item, callIds, open, index, list);
    else if (OUTPUTS.has(type)) checkOutput(item, open, index, list);
    else if (type === 'reasoning') {
      if (!Array.isArray(item['summary'])) list.add('reasoning-has-a-summary', index);
      if (!isReply(read[index + 1])) list.add('reasoning-has-its-item', index);
    } else list.add('item-type', index, type);
  }
  if (open.size > 0) list.add('call-answered', read.length - 1, [...open].join(' '));
  return list.breaches;
}

function checkMessage({ role, content }: JsonObject, index: number, list: BreachList): void {
  if (!ROLES.has(role)) list.add('role', index, role);
  if (isVisibleText(content)) return;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  if (parts.length === 0) list.add('content-not-empty', index);
  const textType = role === 'assistant' ? 'output_text' : 'input_text';
  for (const part of parts) {
    const { type } = part;
    if (type === textType) {
      if (!isVisibleText(part['text'])) list.add('content-not-empty', index);
    } else if (type === 'input_image' && role === 'user') {
      if (!isVisibleText(part['image_url'] ?? part['file_id'])) list.add('image-has-a-url', index);
    } else if (type === 'input_file' && role === 'user') {
      const place = part['file_data'] ?? part['file_url'] ?? part['file_id'];
      if (!isVisibleText(place)) list.add('file-has-a-place', index);
    } else list.add('part-of-the-role', index, type);
  }
}

function checkCall(
  { type, call_id: callId, name, arguments: written, input }: JsonObject,
  callIds: Set<string>,
  open: Set<string>,
  index: number,
  list: BreachList,
): void {
  if (!isName(name, NAME_LENGTH)) list.add('tool-name', index, callId);
  if (!isVisibleText(type === 'custom_tool_call' ? input : written))
    list.add('arguments-are-text', index, callId);
  if (typeof callId !== 'string' || callId === '' || callId.length > NAME_LENGTH) {
    list.add('call-id', index, callId);
    return;
  }
  if (callIds.has(callId)) list.add('call-id-unique', index, callId);
  callIds.add(callId);
  open.add(callId);
}

function checkOutput(
  { call_id: callId, output }: JsonObject,
  open: Set<string>,
  index: number,
  list: BreachList,
): void {
  if (typeof callId !== 'string' || !open.delete(callId)) {
    list.add('result-has-its-call', index, callId);
  }
  if (!isVisibleText(output) && !(Array.isArray(output) && output.length > 0)) {
    list.add('content-not-empty', index);
  }
}

function isReply(item: JsonObject | undefined): boolean {
  return (
    CALLS.has(item?.['type']) ||
    item?.['type'] === 'reasoning' ||
    (item?.['type'] === 'message' && item['role'] === 'assistant')
  );
}
