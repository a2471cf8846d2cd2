/** One message of Anthropic's Messages API as entries. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import type { SourcePlace } from '../../domain/session/source-form.js';
import { partResultText, partUserText } from './claude-code-text.js';
import { EntryBuilder } from './entry-builder.js';
import { nameOf, objectOf, textOf, timeOf } from './json-fields.js';
import { messageForm } from './message-form.js';
import { type MessageParts, messageParts, NO_PARTS } from './message-parts.js';
import { BAD_SHAPE, type RecordReading } from './message-reader.js';
import { OpenCalls } from './open-calls.js';
import { usageCounts, usageEvent } from './provider-usage.js';
import { toolEffectOf } from './tool-effects.js';

const CALL_TYPES = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);
const RESULT_TYPE = /tool_result$/;

export class AnthropicMapper {
  readonly #calls = new OpenCalls();

  add(message: JsonObject, recordKey: string): RecordReading {
    const role = nameOf(message['role']) ?? '';
    const blocks = blocksOf(message['content']);
    if (blocks === null || !ROLES.has(role)) return BAD_SHAPE;
    const occurredAt = timeOf(message['timestamp'] ?? message['created_at']);
    const model = role === 'assistant' ? nameOf(message['model']) : null;
    const builder = new EntryBuilder({ recordKey, occurredAt, messageKey: recordKey, model });
    const finishReason = nameOf(message['stop_reason']);
    if (role === 'assistant') {
      for (const block of blocks) this.#addAgentBlock(block, builder, finishReason);
    } else if (role === 'user') this.#addUser(blocks, builder);
    else {
      const { texts, media } = messageParts(blocks) ?? NO_PARTS;
      if (texts.length > 0) builder.system(texts.join('\n\n'));
      builder.media(media, 'system', null);
    }
    const { entries } = builder;
    const counts = role === 'assistant' ? usageCounts(message['usage']) : null;
    const usageKey = nameOf(message['id']) ?? recordKey;
    return {
      entries,
      skippedAs: entries.length === 0 ? [`${role}/empty`] : [],
      isBadShape: false,
      usage: counts === null ? [] : [usageEvent(counts, { usageKey, model, occurredAt })],
    };
  }

  #addAgentBlock(block: JsonObject, builder: EntryBuilder, finishReason: string | null): void {
    const type = nameOf(block['type']) ?? '';
    if (type === 'thinking' || type === 'redacted_thinking') {
      builder.text('thinking', 'agent', textOf(block['thinking']) ?? '', { vendor: sealOf(block) });
    } else if (CALL_TYPES.has(type)) {
      const toolName = nameOf(block['name']) ?? 'unknown';
      const value = block['input'] ?? {};
      const callId =
        nameOf(block['id']) ??
        `${builder.entries[0]?.sourceKey ?? ''}/call-${builder.entries.length + 1}`;
      this.#calls.open(callId, toolName);
      const effect = toolEffectOf(toolName, value);
      builder.call({ callId, toolName, arguments: value, effect });
    } else if (RESULT_TYPE.test(type)) {
      this.#addResult(block, builder);
    } else {
      const { texts, media } = messageParts([block]) ?? NO_PARTS;
      for (const text of texts) builder.text('assistant', 'agent', text, { finishReason });
      builder.media(media, 'agent', null);
    }
  }

  #addUser(blocks: readonly JsonObject[], builder: EntryBuilder): void {
    const isResult = (block: JsonObject): boolean => RESULT_TYPE.test(nameOf(block['type']) ?? '');
    const reminders = blocks.filter(isResult).flatMap((block) => this.#addResult(block, builder));
    const parts = messageParts(blocks.filter((block) => !isResult(block))) ?? NO_PARTS;
    const { human, harness, places } = partUserText(parts.texts, false);
    const form = messageForm('anthropic', { isList: true, places: placesOf(parts, places) });
    if (human !== '') builder.text('user', 'human', human, { vendor: form });
    builder.media(parts.media, 'human', null);
    for (const text of [...reminders, ...harness]) builder.text('user', 'harness', text);
  }

  /** @returns reminders that the harness appended to the result. */
  #addResult(block: JsonObject, builder: EntryBuilder): readonly string[] {
    const parts = messageParts(block['content'], '\n') ?? NO_PARTS;
    const given = textOf(block['content']) ?? parts.texts.join('\n');
    const { result: content, harness } = partResultText(given);
    const callId = this.#calls.close(nameOf(block['tool_use_id']), null) ?? '';
    const isFailure = nameOf(objectOf(block['content'])['type'])?.endsWith('_error') ?? false;
    const isError = block['is_error'] === true || isFailure;
    const vendor = harness.length === 0 ? messageForm('anthropic', parts) : null;
    builder.result({ callId, content, isError, exitCode: null, vendor });
    builder.media(parts.media, 'tool', callId);
    return harness;
  }
}

/** Where each text and medium of a message stands once a harness's texts are told apart. */
function placesOf(
  { places }: MessageParts,
  ofTexts: readonly (readonly SourcePlace[])[],
): readonly SourcePlace[] {
  let text = 0;
  return places.flatMap((place) => {
    if (typeof place !== 'number') return [place];
    text += 1;
    return ofTexts[text - 1] ?? [];
  });
}

/** Without its seal the provider does not take thinking back. Null: it has none. */
export function sealOf({ signature, data }: JsonObject): JsonObject | null {
  if (typeof signature === 'string' && signature !== '') return { signature };
  return typeof data === 'string' ? { redacted_thinking: data } : null;
}

const ROLES = new Set(['user', 'assistant', 'system']);

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] | null {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return null;
  const blocks = content as readonly JsonValue[];
  const objects = blocks.map((block) =>
    typeof block === 'string' ? { type: 'text', text: block } : block,
  );
  return objects.every(isJsonObject) ? objects : null;
}
