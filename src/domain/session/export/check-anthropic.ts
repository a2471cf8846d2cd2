/** The published rules of Anthropic's Messages API, checked on any list of messages. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../redaction/json-value.js';
import { BreachList, isName, isVisibleText, readMessages, type RuleBreach } from './rule-breach.js';

const IMAGE_TYPES = new Set<unknown>(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const USER_BLOCKS = new Set<unknown>(['text', 'image', 'document', 'tool_result']);
const ASSISTANT_BLOCKS = new Set<unknown>(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/** @returns no breaches for messages that the API accepts. */
export function checkAnthropic(messages: unknown): readonly RuleBreach[] {
  const list = new BreachList();
  const read = readMessages(messages, list);
  const callIds = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, { role, content }] of read.entries()) {
    if (role !== 'user' && role !== 'assistant') list.add('role', index, role);
    if (index === 0 && role !== 'user') list.add('first-message-is-the-users', index);
    if (index > 0 && read[index - 1]?.['role'] === role) list.add('roles-alternate', index);
    const blocks = readBlocks(content, index, list);
    const accepted = role === 'assistant' ? ASSISTANT_BLOCKS : USER_BLOCKS;
    for (const block of blocks) {
      if (!accepted.has(block['type'])) list.add('block-of-the-role', index, block['type']);
      checkBlock(block, index, list);
    }
    checkAnswers(blocks, open, index, list);
    open = role === 'assistant' ? checkCalls(blocks, callIds, index, list) : [];
    if (role === 'assistant' && isThinking(blocks.at(-1))) list.add('ends-in-thinking', index);
  }
  if (open.length > 0) list.add('call-answered', read.length - 1, open.join(' '));
  checkLast(read, list);
  return list.breaches;
}

function readBlocks(
  content: JsonValue | undefined,
  index: number,
  list: BreachList,
): readonly JsonObject[] {
  if (isVisibleText(content)) return [{ type: 'text', text: content }];
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  if (blocks.length === 0) list.add('content-not-empty', index);
  return blocks;
}

function checkBlock(block: JsonObject, index: number, list: BreachList): void {
  const { type } = block;
  if (type === 'text' && !isVisibleText(block['text'])) list.add('text-not-empty', index);
  if (type === 'image' || type === 'document') checkMedia(block, index, list);
  if (type === 'tool_result') checkResult(block, index, list);
  if (type === 'thinking' && !isVisibleText(block['signature'])) {
    list.add('thinking-is-signed', index);
  }
}

function checkMedia({ type, source }: JsonObject, index: number, list: BreachList): void {
  if (!isJsonObject(source)) list.add('media-have-a-source', index);
  else if (source['type'] === 'base64') {
    const mediaType = source['media_type'];
    const isKnown = type === 'image' ? IMAGE_TYPES.has(mediaType) : mediaType === 'application/pdf';
    if (!isKnown) list.add('media-type', index, mediaType);
    if (!isVisibleText(source['data'])) list.add('media-not-empty', index);
  }
}

function checkResult(block: JsonObject, index: number, list: BreachList): void {
  const { content, is_error: isError } = block;
  if (Array.isArray(content)) {
    if (content.length === 0) list.add('content-not-empty', index);
    for (const inner of content.filter(isJsonObject)) {
      checkBlock(inner, index, list);
      if (isError === true && inner['type'] !== 'text') list.add('failure-is-text', index);
    }
  } else if (isError === true && !isVisibleText(content)) list.add('failure-not-empty', index);
  else if (content !== undefined && typeof content !== 'string') list.add('result-content', index);
}

/** Results come first, answer the calls of the message before, each once. */
function checkAnswers(
  blocks: readonly JsonObject[],
  open: readonly string[],
  index: number,
  list: BreachList,
): void {
  const left = new Set(open);
  let isFirst = true;
  for (const block of blocks) {
    if (block['type'] !== 'tool_result') isFirst = false;
    else {
      const callId = block['tool_use_id'];
      if (!isFirst) list.add('results-come-first', index);
      if (typeof callId !== 'string' || !left.delete(callId)) {
        list.add('result-has-its-call', index, callId);
      }
    }
  }
  if (left.size > 0) list.add('call-answered', index, [...left].join(' '));
}

function checkCalls(
  blocks: readonly JsonObject[],
  callIds: Set<string>,
  index: number,
  list: BreachList,
): readonly string[] {
  return blocks.flatMap((block) => {
    if (block['type'] !== 'tool_use') return [];
    const { id, name, input } = block;
    if (!isName(name, 128)) list.add('tool-name', index, name);
    if (!isJsonObject(input)) list.add('arguments-are-an-object', index, id);
    if (!isName(id, Number.POSITIVE_INFINITY)) {
      list.add('call-id', index, id);
      return [];
    }
    if (callIds.has(id)) list.add('call-id-unique', index, id);
    callIds.add(id);
    return [id];
  });
}

function checkLast(messages: readonly JsonObject[], list: BreachList): void {
  const last = messages.at(-1);
  if (last?.['role'] !== 'assistant') return;
  const { content } = last;
  const block = Array.isArray(content) ? (content.at(-1) as JsonValue | undefined) : undefined;
  const text = isJsonObject(block) ? block['text'] : content;
  if (typeof text === 'string' && text !== text.trimEnd()) {
    list.add('no-white-space-at-the-end', messages.length - 1);
  }
}

function isThinking(block: JsonObject | undefined): boolean {
  return block?.['type'] === 'thinking' || block?.['type'] === 'redacted_thinking';
}
