/**
 * Items of OpenAI's Responses API, which rollouts of Codex hold too: messages, reasoning, calls and
 * outputs, each an item of its own. Items of the agent without another's between them are one message.
 */
import type { JsonObject, JsonValue } from '../../domain/redaction/json-value.js';
import type { EntryAuthor, ToolCallEntry } from '../../domain/session/transcript.js';
import { EntryBuilder, type BuiltResult, type RecordCommon } from './entry-builder.js';
import { argumentsOf, asWritten, nameOf, objectsOf, textOf } from './json-fields.js';
import { fieldsOf, messageForm } from './message-form.js';
import { type MessageParts, messageParts } from './message-parts.js';
import { BAD_SHAPE, type RecordReading, skippedRecord } from './message-reader.js';
import { OpenCalls } from './open-calls.js';
import { toolEffectOf } from './tool-effects.js';

export interface ItemRules {
  /** Who wrote a message of the role user. */
  authorOf(parts: MessageParts, item: JsonObject): EntryAuthor;
  /** What else is known of a result. */
  completeResult(result: BuiltResult): BuiltResult;
  spawnOf(toolName: string, given: JsonValue): ToolCallEntry['spawn'];
}

export const PLAIN_RULES: ItemRules = {
  authorOf: () => 'human',
  completeResult: (result) => result,
  spawnOf: () => null,
};

type ItemPlace = Pick<RecordCommon, 'recordKey' | 'occurredAt' | 'model'>;

const RESPONSES = 'openai-responses';

/** Fields of an item beside those that become entries. */
const FORM_FIELDS = ['status', 'phase', 'namespace'];

/** Calls that the client answers by an output item. */
const CALLS = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
  'tool_search_call',
]);

const OUTPUTS = new Set([
  'function_call_output',
  'function_result',
  'custom_tool_call_output',
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
  'computer_call_output',
  'tool_search_output',
]);

/** Calls that the provider answers itself: call and result are one item. */
const SERVED_CALLS = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);

export function isItemType(type: string): boolean {
  return (
    type === 'message' ||
    type === 'reasoning' ||
    type === 'item_reference' ||
    type === 'compaction' ||
    CALLS.has(type) ||
    OUTPUTS.has(type) ||
    SERVED_CALLS.has(type)
  );
}

export class ItemMapper {
  readonly #calls = new OpenCalls();
  #runKey: string | null = null;

  constructor(private readonly rules: ItemRules) {}

  add(item: JsonObject, place: ItemPlace): RecordReading {
    const type = nameOf(item['type']) ?? (item['role'] === undefined ? 'unknown' : 'message');
    if (type === 'message') return this.#message(item, place);
    if (type === 'reasoning') return this.#reasoning(item, place);
    if (CALLS.has(type)) return this.#call(item, type, place);
    if (OUTPUTS.has(type)) return this.#output(item, place);
    if (SERVED_CALLS.has(type)) return this.#served(item, type, place);
    if (type !== 'compaction') return skippedRecord(type);
    this.#runKey = null;
    return read(new EntryBuilder({ ...place, messageKey: null }).system('', true), []);
  }

  /** The next item of the agent begins another message. */
  endMessage(): void {
    this.#runKey = null;
  }

  #message(item: JsonObject, place: ItemPlace): RecordReading {
    const role = nameOf(item['role']);
    const parts = messageParts(item['content'] ?? item['message']);
    if (role === null || parts === null) return BAD_SHAPE;
    if (role === 'assistant') {
      const builder = this.#agent(place);
      for (const [index, text] of parts.texts.entries()) {
        const vendor = index === 0 ? itemName(item) : MORE_OF_ITEM;
        builder.text('assistant', 'agent', text, { vendor });
      }
      builder.media(parts.media, 'agent', null).keepForm(formOfItem(item, parts));
      return read(builder, ['message/empty']);
    }
    this.#runKey = null;
    const builder = new EntryBuilder({ ...place, messageKey: place.recordKey });
    const content = parts.texts.join('\n\n');
    if (role === 'system' || role === 'developer') {
      if (content !== '') builder.system(content);
      builder.media(parts.media, 'system', null).keepForm(formOfItem(item, parts));
      return read(builder, [`message/${role}`]);
    }
    const author = role === 'user' ? this.rules.authorOf(parts, item) : 'harness';
    if (content !== '') builder.text('user', author, content);
    builder.media(parts.media, author, null).keepForm(formOfItem(item, parts));
    return read(builder, ['message/empty']);
  }

  #reasoning(item: JsonObject, place: ItemPlace): RecordReading {
    const builder = this.#agent(place);
    const blocks = [...objectsOf(item['summary']), ...objectsOf(item['content'])];
    const texts = blocks.flatMap((block) => nameOf(block['text']) ?? []);
    const vendor = sealOf(item);
    if (texts.length > 0 || vendor !== null) {
      builder.text('thinking', 'agent', texts.join('\n\n'), { vendor });
    }
    return read(builder, ['reasoning/without-text']);
  }

  #call(item: JsonObject, type: string, place: ItemPlace): RecordReading {
    const builder = this.#agent(place);
    const named = item['function'] as JsonObject | undefined;
    const toolName = nameOf(item['name']) ?? nameOf(named?.['name']) ?? type;
    const written = item['arguments'] ?? item['input'] ?? item['action'] ?? item['operation'];
    const value = argumentsOf(written);
    const callId = nameOf(item['call_id']) ?? nameOf(item['id']) ?? place.recordKey;
    this.#calls.open(callId, toolName);
    const spawn = this.rules.spawnOf(toolName, value);
    const effect = toolEffectOf(toolName, value);
    const kind = type === 'custom_tool_call' ? { item_type: type } : null;
    const beside = { ...itemName(item), ...kind, ...asWritten(written, value) };
    const vendor = Object.keys(beside).length === 0 ? null : beside;
    builder.call({ callId, toolName, arguments: value, effect, spawn, vendor });
    return read(builder.keepForm(formOfItem(item)), []);
  }

  #output(item: JsonObject, place: ItemPlace): RecordReading {
    this.#runKey = null;
    const output = item['output'] ?? item['result'] ?? item['tools'];
    const parts = messageParts(output, '\n');
    if (parts === null) return BAD_SHAPE;
    const given = nameOf(item['call_id']);
    const callId = this.#calls.close(given, nameOf(item['name'])) ?? place.recordKey;
    const builder = new EntryBuilder({ ...place, messageKey: null });
    const status = nameOf(item['status']);
    builder.result(
      this.rules.completeResult({
        callId,
        content: typeof output === 'string' ? output : parts.texts.join('\n'),
        isError: status === 'failed' || status === 'incomplete' || item['success'] === false,
        exitCode: null,
      }),
    );
    const outputForm = formOfItem(item, parts.isList ? parts : undefined);
    return read(builder.media(parts.media, 'tool', callId).keepForm(outputForm), []);
  }

  #served(item: JsonObject, type: string, place: ItemPlace): RecordReading {
    const builder = this.#agent(place);
    const toolName = nameOf(item['name']) ?? type.replace(/_call$/, '');
    const callId = nameOf(item['call_id']) ?? nameOf(item['id']) ?? place.recordKey;
    const { arguments: given, action, queries, code, revised_prompt: prompt } = item;
    const value = argumentsOf(given ?? action ?? code ?? queries ?? prompt);
    const effect = toolEffectOf(toolName, value);
    builder.call({ callId, toolName, arguments: value, effect });
    const isImage = type === 'image_generation_call';
    const error = item['error'] ?? null;
    const output = error ?? item['output'] ?? item['results'] ?? item['outputs'] ?? item['status'];
    const parts = messageParts(output) ?? { texts: [JSON.stringify(output)], media: [] };
    const content = isImage ? (textOf(item['status']) ?? '') : parts.texts.join('\n');
    const isError = error !== null || item['status'] === 'failed';
    builder.result({ callId, content, isError, exitCode: null });
    const image = isImage
      ? (messageParts([{ type: 'image', data: item['result'] ?? null }])?.media ?? [])
      : [];
    return read(builder.media([...parts.media, ...image], 'tool', callId), []);
  }

  #agent(place: ItemPlace): EntryBuilder {
    this.#runKey ??= place.recordKey;
    return new EntryBuilder({ ...place, messageKey: this.#runKey });
  }
}

/** A further text of the message item before it. */
const MORE_OF_ITEM: JsonObject = { more_of_item: true };

/** @param parts of a content; absent: the item has none, or a text as always. */
function formOfItem(
  item: JsonObject,
  parts: Pick<MessageParts, 'places' | 'isList'> = { places: [], isList: true },
): JsonObject | null {
  const isDeveloper = item['role'] === 'developer';
  const fields = fieldsOf(item, FORM_FIELDS);
  return messageForm(RESPONSES, parts, { ...(isDeveloper && { role: 'developer' }), fields });
}

function itemName(item: JsonObject): JsonObject | null {
  const id = nameOf(item['id']);
  return id === null ? null : { item_id: id };
}

/** Reasoning that the provider takes back only in its sealed form; null: it is not sealed. */
function sealOf(item: JsonObject): JsonObject | null {
  const sealed = nameOf(item['encrypted_content']);
  if (sealed === null) return null;
  const id = nameOf(item['id']);
  const summary = objectsOf(item['summary']);
  const isWhole = summary.length === 1 && objectsOf(item['content']).length === 0;
  return {
    encrypted_content: sealed,
    ...(id !== null && { reasoning_id: id }),
    ...(isWhole && { summary_is_text: true }),
    ...(!isWhole && summary.length > 0 && { summary }),
  };
}

function read({ entries }: EntryBuilder, skippedWhenEmpty: readonly string[]): RecordReading {
  return {
    entries,
    skippedAs: entries.length === 0 ? skippedWhenEmpty : [],
    isBadShape: false,
  };
}
