/** One message of LangChain as entries. */
import type { JsonObject, JsonValue } from '../../domain/redaction/json-value.js';
import { EntryBuilder } from './entry-builder.js';
import { argumentsOf, nameOf, objectOf, objectsOf, textOf } from './json-fields.js';
import type { LangchainMessage } from './langchain-record.js';
import { messageParts } from './message-parts.js';
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
    const parts = messageParts(kind === 'ai' ? spokenContent(fields) : fields['content']);
    if (parts === null) return BAD_SHAPE;
    const common = { recordKey, occurredAt: null, messageKey: recordKey };
    const metadata = objectOf(fields['response_metadata']);
    const model = kind === 'ai' ? modelOf(metadata) : null;
    const builder = new EntryBuilder({ ...common, model });
    const content = parts.texts.join('\n\n');
    switch (kind) {
      case 'ai':
        for (const thought of thoughtsOf(fields)) builder.text('thinking', 'agent', thought);
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

function thoughtsOf(fields: JsonObject): readonly string[] {
  const extra = objectOf(fields['additional_kwargs']);
  const reasoning = objectOf(extra['reasoning']);
  const summary = objectsOf(reasoning['summary']).flatMap((part) => nameOf(part['text']) ?? []);
  const blocks = objectsOf(fields['content']).flatMap((block) => {
    const isThought = THOUGHT_BLOCKS.has(nameOf(block['type']) ?? '');
    return isThought ? (nameOf(block['reasoning']) ?? nameOf(block['thinking']) ?? []) : [];
  });
  const written = nameOf(extra['reasoning_content']);
  return [
    ...(written === null ? [] : [written]),
    ...(summary.length === 0 ? [] : [summary.join('\n\n')]),
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
