/** One message of LangChain as entries. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import type { SourcePlace } from '../../domain/session/source-form.js';
import { sealOf } from './anthropic-message.js';
import { EntryBuilder } from './entry-builder.js';
import { argumentsOf, nameOf, objectOf, objectsOf, textOf } from './json-fields.js';
import type { LangchainKind, LangchainMessage } from './langchain-record.js';
import { fieldsOf, messageForm } from './message-form.js';
import { type MessageParts, messageParts } from './message-parts.js';
import { BAD_SHAPE, type RecordReading, skippedRecord } from './message-reader.js';
import { OpenCalls } from './open-calls.js';
import { usageCounts, usageEvent } from './provider-usage.js';
import { toolEffectOf } from './tool-effects.js';

/** Blocks that repeat what the message has under `tool_calls`. */
const CALL_BLOCKS = new Set([
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'function_call',
  'input_json_delta',
]);

const THOUGHT_BLOCKS = new Set(['reasoning', 'thinking', 'reasoning_content']);

interface Call {
  readonly callId: string | null;
  readonly toolName: string;
  readonly value: JsonValue;
}

export class LangchainMapper {
  readonly #calls = new OpenCalls();

  add({ kind, fields }: LangchainMessage, recordKey: string): RecordReading {
    if (kind === 'remove') return skippedRecord('remove');
    const separator = kind === 'tool' ? '\n' : undefined;
    const parts = messageParts(
      kind === 'ai' ? spokenContent(fields) : fields['content'],
      separator,
    );
    if (parts === null) return BAD_SHAPE;
    const common = { recordKey, occurredAt: null, messageKey: recordKey };
    const metadata = objectOf(fields['response_metadata']);
    const model = kind === 'ai' ? modelOf(metadata) : null;
    const builder = new EntryBuilder({ ...common, model });
    const content = parts.texts.join('\n\n');
    switch (kind) {
      case 'ai':
        for (const { text, vendor } of thoughtsOf(fields)) {
          builder.text('thinking', 'agent', text, { vendor });
        }
        for (const text of parts.texts) {
          builder.text('assistant', 'agent', text, { finishReason: finishReasonOf(metadata) });
        }
        for (const call of callsOf(fields)) this.#addCall(call, recordKey, builder);
        builder.media(parts.media, 'agent', null);
        break;
      case 'tool': {
        const given = nameOf(fields['tool_call_id']);
        const callId = this.#calls.close(given, nameOf(fields['name'])) ?? recordKey;
        const text = textOf(fields['content']) ?? parts.texts.join('\n');
        const isError = fields['status'] === 'error';
        builder.result({ callId, content: text, isError, exitCode: null });
        builder.media(parts.media, 'tool', callId);
        break;
      }
      case 'system':
        if (content !== '') builder.system(content);
        builder.media(parts.media, 'system', null);
        break;
      case 'human':
      case 'chat': {
        const author = kind === 'human' ? 'human' : 'harness';
        if (content !== '') builder.text('user', author, content);
        builder.media(parts.media, author, null);
      }
    }
    builder.keepForm(formOf(kind, fields, parts));
    const { entries } = builder;
    const counts =
      usageCounts(fields['usage_metadata']) ??
      usageCounts(metadata['token_usage'] ?? metadata['usage']);
    const usageKey = nameOf(fields['id']) ?? recordKey;
    const isReported = kind === 'ai' && counts !== null;
    return {
      entries,
      skippedAs: entries.length === 0 ? [`${kind}/empty`] : [],
      isBadShape: false,
      usage: isReported ? [usageEvent(counts, { usageKey, model, occurredAt: null })] : [],
    };
  }

  #addCall({ callId, toolName, value }: Call, recordKey: string, builder: EntryBuilder): void {
    const id = callId ?? `${recordKey}/call-${builder.entries.length + 1}`;
    this.#calls.open(id, toolName);
    const effect = toolEffectOf(toolName, value);
    builder.call({ callId: id, toolName, arguments: value, effect });
  }
}

/** Fields of a message beside content and calls. */
const FORM_FIELDS = [
  'id',
  'name',
  'role',
  'additional_kwargs',
  'response_metadata',
  'usage_metadata',
  'artifact',
  'example',
];

function formOf(kind: LangchainKind, fields: JsonObject, parts: MessageParts): JsonObject | null {
  const kept = fieldsOf(fields, FORM_FIELDS);
  const told = Object.entries(kept).filter(
    ([, value]) => !(isJsonObject(value) && Object.keys(value).length === 0) && value !== false,
  );
  return messageForm(
    'langchain',
    { ...parts, places: kind === 'ai' ? spokenPlaces(fields, parts) : parts.places },
    { ...(kind === 'chat' && { role: 'chat' }), fields: Object.fromEntries(told) },
  );
}

/** Where content holds calls and thoughts as blocks, among its texts. */
function spokenPlaces(fields: JsonObject, { places }: MessageParts): readonly SourcePlace[] {
  const blocks = objectsOf(fields['content']);
  if (blocks.length === 0) return places;
  const hasCalls = objectsOf(fields['tool_calls']).length > 0;
  return blocks.flatMap((block): readonly SourcePlace[] => {
    const type = nameOf(block['type']) ?? '';
    if (hasCalls && CALL_BLOCKS.has(type)) return type === 'tool_use' ? ['call'] : [];
    if (THOUGHT_BLOCKS.has(type)) return thoughtField(block) === null ? [] : ['thinking'];
    return messageParts([block])?.places ?? [];
  });
}

function modelOf(metadata: JsonObject): string | null {
  return nameOf(metadata['model_name']) ?? nameOf(metadata['model']);
}

function finishReasonOf(metadata: JsonObject): string | null {
  return nameOf(metadata['finish_reason']) ?? nameOf(metadata['stop_reason']);
}

/** Content without the blocks that the message tells elsewhere. */
function spokenContent(fields: JsonObject): JsonValue {
  const content = fields['content'] ?? null;
  if (!Array.isArray(content)) return content;
  const hasCalls = objectsOf(fields['tool_calls']).length > 0;
  return (content as readonly JsonValue[]).filter((block) => {
    const type = nameOf(objectOf(block)['type']) ?? '';
    return !THOUGHT_BLOCKS.has(type) && !(hasCalls && CALL_BLOCKS.has(type));
  });
}

interface Thought {
  readonly text: string;
  readonly vendor: JsonObject | null;
}

/** The member of a block that holds what was thought, or null. */
function thoughtField(block: JsonObject): string | null {
  return ['reasoning', 'thinking'].find((name) => nameOf(block[name]) !== null) ?? null;
}

function thoughtsOf(fields: JsonObject): readonly Thought[] {
  const extra = objectOf(fields['additional_kwargs']);
  const reasoning = objectOf(extra['reasoning']);
  const summary = objectsOf(reasoning['summary']).flatMap((part) => nameOf(part['text']) ?? []);
  const blocks = objectsOf(fields['content']).flatMap((block) => {
    const field = THOUGHT_BLOCKS.has(nameOf(block['type']) ?? '') ? thoughtField(block) : null;
    if (field === null) return [];
    const { [field]: text, ...rest } = block;
    const vendor = { ...sealOf(block), block: rest, text_field: field };
    return [{ text: textOf(text) ?? '', vendor }];
  });
  const written = nameOf(extra['reasoning_content']);
  return [
    ...(written === null ? [] : [{ text: written, vendor: null }]),
    ...(summary.length === 0 ? [] : [{ text: summary.join('\n\n'), vendor: null }]),
    ...blocks,
  ];
}

function callsOf(fields: JsonObject): readonly Call[] {
  const own = [...objectsOf(fields['tool_calls']), ...objectsOf(fields['invalid_tool_calls'])];
  const raw = objectsOf(objectOf(fields['additional_kwargs'])['tool_calls']);
  return (own.length > 0 ? own : raw).map((call) => {
    const given = objectOf(call['function']);
    return {
      callId: nameOf(call['id']),
      toolName: nameOf(call['name']) ?? nameOf(given['name']) ?? 'unknown',
      value: argumentsOf(call['args'] ?? given['arguments']),
    };
  });
}
