/** The published rules of OpenAI's Chat Completions API, checked on any list of messages. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../redaction/json-value.js';
import { BreachList, isName, isVisibleText, readMessages, type RuleBreach } from './rule-breach.js';

const ROLES = new Set<unknown>(['system', 'developer', 'user', 'assistant', 'tool']);

/** Longest id of a call and longest name of a function, in characters. */
const CALL_ID_LENGTH = 40;
const NAME_LENGTH = 64;

/** @returns no breaches for messages that the API accepts. */
export function checkOpenaiChat(messages: unknown): readonly RuleBreach[] {
  const list = new BreachList();
  const callIds = new Set<string>();
  let open = new Set<string>();
  const read = readMessages(messages, list);
  for (const [index, message] of read.entries()) {
    const { role, content } = message;
    if (!ROLES.has(role)) list.add('role', index, role);
    if (role === 'tool') {
      const callId = message['tool_call_id'];
      if (typeof callId !== 'string' || !open.delete(callId)) {
        list.add('result-has-its-call', index, callId);
      }
      checkContent(content, index, list, new Set(['text']));
      continue;
    }
    if (open.size > 0) list.add('call-answered', index, [...open].join(' '));
    open = new Set(
      role === 'assistant' ? checkCalls(message['tool_calls'], callIds, index, list) : [],
    );
    const mayBeNull = role === 'assistant' && (open.size > 0 || isVisibleText(message['refusal']));
    const accepted = role === 'user' ? ['text', 'image_url', 'file', 'input_audio'] : ['text'];
    if (!(mayBeNull && (content ?? null) === null)) {
      checkContent(content, index, list, new Set(accepted));
    }
  }
  if (open.size > 0) list.add('call-answered', read.length - 1, [...open].join(' '));
  return list.breaches;
}

function checkContent(
  content: JsonValue | undefined,
  index: number,
  list: BreachList,
  accepted: ReadonlySet<string>,
): void {
  if (isVisibleText(content)) return;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  if (parts.length === 0) list.add('content-not-empty', index);
  for (const { type, text, image_url: image } of parts) {
    if (typeof type !== 'string' || !accepted.has(type)) {
      list.add('part-of-the-role', index, type);
    } else if (type === 'text' && !isVisibleText(text)) list.add('content-not-empty', index);
    else if (type === 'image_url' && !(isJsonObject(image) && isVisibleText(image['url']))) {
      list.add('image-has-a-url', index);
    }
  }
}

function checkCalls(
  calls: JsonValue | undefined,
  callIds: Set<string>,
  index: number,
  list: BreachList,
): readonly string[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls) || calls.length === 0) {
    list.add('calls-not-empty', index);
    return [];
  }
  return calls.filter(isJsonObject).flatMap(({ id, type, function: called }: JsonObject) => {
    const isCall = type === 'function' && isJsonObject(called);
    if (!isCall || !isName(called['name'], NAME_LENGTH)) list.add('tool-name', index, id);
    if (!isCall || !isVisibleText(called['arguments'])) {
      list.add('arguments-are-text', index, id);
    }
    if (typeof id !== 'string' || id === '' || id.length > CALL_ID_LENGTH) {
      list.add('call-id', index, id);
      return [];
    }
    if (callIds.has(id)) list.add('call-id-unique', index, id);
    callIds.add(id);
    return [id];
  });
}
