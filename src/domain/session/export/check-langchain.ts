/** What LangChain demands of dumped messages, checked on either shape. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../redaction/json-value.js';
import { BreachList, isVisibleText, readMessages, type RuleBreach } from './rule-breach.js';

const TYPES: Readonly<Record<string, string>> = {
  HumanMessage: 'human',
  AIMessage: 'ai',
  ChatMessage: 'chat',
  SystemMessage: 'system',
  ToolMessage: 'tool',
};

interface Loaded {
  readonly type: string;
  readonly fields: JsonObject;
}

/** @returns no breaches for dumps that load, and whose messages a chat model accepts. */
export function checkLangchain(messages: unknown): readonly RuleBreach[] {
  const list = new BreachList();
  const callIds = new Set<string>();
  let open = new Set<string>();
  const read = readMessages(messages, list);
  for (const [index, message] of read.entries()) {
    const loaded = load(message);
    if (loaded === null) {
      list.add('shape', index, message['type']);
      continue;
    }
    const { type, fields } = loaded;
    if (type === 'tool') {
      checkResult(fields, open, index, list);
      continue;
    }
    if (open.size > 0) list.add('call-answered', index, [...open].join(' '));
    open = new Set(type === 'ai' ? checkCalls(fields, callIds, index, list) : []);
    const { content } = fields;
    const mayBeEmpty =
      open.size > 0 && (content === '' || (Array.isArray(content) && content.length === 0));
    if (!mayBeEmpty) checkContent(content, index, list);
  }
  if (open.size > 0) list.add('call-answered', read.length - 1, [...open].join(' '));
  return list.breaches;
}

function load({ lc, type, id, kwargs, data }: JsonObject): Loaded | null {
  if (lc === 1 && type === 'constructor' && Array.isArray(id) && isJsonObject(kwargs)) {
    const loaded = TYPES[String(id.at(-1))];
    return loaded === undefined ? null : { type: loaded, fields: kwargs };
  }
  const isKnown = typeof type === 'string' && Object.values(TYPES).includes(type);
  return isKnown && isJsonObject(data) ? { type, fields: data } : null;
}

function checkContent(content: JsonValue | undefined, index: number, list: BreachList): void {
  if (isVisibleText(content)) return;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const isEmpty = parts.length === 0 || parts.some(isEmptyText);
  if (isEmpty) list.add('content-not-empty', index);
}

function isEmptyText({ type, text }: JsonObject): boolean {
  return type === 'text' && !isVisibleText(text);
}

function checkResult(
  { tool_call_id: callId, content, status }: JsonObject,
  open: Set<string>,
  index: number,
  list: BreachList,
): void {
  if (typeof callId !== 'string' || !open.delete(callId)) {
    list.add('result-has-its-call', index, callId);
  }
  if (status !== undefined && status !== 'success' && status !== 'error') {
    list.add('status', index, status);
  }
  checkContent(content, index, list);
}

function checkCalls(
  { tool_calls: calls }: JsonObject,
  callIds: Set<string>,
  index: number,
  list: BreachList,
): readonly string[] {
  if (calls === undefined) return [];
  if (!Array.isArray(calls)) {
    list.add('calls-are-a-list', index);
    return [];
  }
  return calls.filter(isJsonObject).flatMap(({ name, args, id }: JsonObject) => {
    if (!isVisibleText(name)) list.add('tool-name', index, id);
    if (!isJsonObject(args)) list.add('arguments-are-an-object', index, id);
    if (typeof id !== 'string' || id === '') {
      list.add('call-id', index, id);
      return [];
    }
    if (callIds.has(id)) list.add('call-id-unique', index, id);
    callIds.add(id);
    return [id];
  });
}
