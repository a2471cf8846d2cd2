/** Messages of OpenAI's Chat Completions, and of the many hosts that write the same. */
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import type { EntryAuthor } from '../../domain/session/transcript.js';
import { EntryBuilder } from './entry-builder.js';
import {
  argumentsOf,
  asWritten,
  nameOf,
  objectOf,
  objectsOf,
  textOf,
  timeOf,
} from './json-fields.js';
import { fieldsOf, messageForm } from './message-form.js';
import { messageParts } from './message-parts.js';
import { BAD_SHAPE, type RecordReading } from './message-reader.js';
import { OpenCalls } from './open-calls.js';
import { usageCounts, usageEvent } from './provider-usage.js';
import { toolEffectOf } from './tool-effects.js';

const OPENAI_CHAT = 'openai-chat';

/** Fields of a message beside those that become entries. */
const FORM_FIELDS = ['name'];

/** How agents without tool calls hand an observation back as a message of the user. */
const OBSERVATION_STARTS = [
  'EXECUTION RESULT of [',
  '<returncode>',
  '<output>',
  'Observation:',
  'OBSERVATION:',
];

export class ChatMapper {
  readonly #calls = new OpenCalls();
  #hasAnswered = false;

  add(message: JsonObject, recordKey: string): RecordReading {
    const role = nameOf(message['role']) ?? '';
    const isResult = role === 'tool' || role === 'function';
    const parts = messageParts(message['content'], isResult ? '\n' : undefined);
    if (parts === null) return BAD_SHAPE;
    const occurredAt = timeOf(message['timestamp'] ?? message['created_at']);
    const response = responseOf(message);
    const model = role === 'assistant' ? nameOf(response['model']) : null;
    const builder = new EntryBuilder({ recordKey, occurredAt, messageKey: recordKey, model });
    const content = parts.texts.join('\n\n');
    switch (role) {
      case 'assistant':
        this.#addAssistant(message, parts.texts, builder, finishReasonOf(message));
        builder.media(parts.media, 'agent', null);
        break;
      case 'tool':
      case 'function': {
        const [given = null] = [message['tool_call_id'], message['tool_call_ids']]
          .flat()
          .flatMap((id) => nameOf(id) ?? []);
        const callId = this.#calls.close(given, nameOf(message['name'])) ?? recordKey;
        const isError = message['is_error'] === true || message['status'] === 'error';
        const text = textOf(message['content']) ?? parts.texts.join('\n');
        builder.result({ callId, content: text, isError, exitCode: null });
        builder.media(parts.media, 'tool', callId);
        break;
      }
      case 'system':
      case 'developer':
        if (content !== '') builder.system(content);
        builder.media(parts.media, 'system', null);
        break;
      default: {
        const author = this.#authorOf(message, content);
        if (content !== '') builder.text('user', author, content);
        builder.media(parts.media, author, null);
      }
    }
    const fields = fieldsOf(message, FORM_FIELDS);
    builder.keepForm(
      messageForm(OPENAI_CHAT, parts, { ...(role === 'developer' && { role }), fields }),
    );
    const { entries } = builder;
    const counts = role === 'assistant' ? usageCounts(response['usage']) : null;
    const usageKey = nameOf(response['id']) ?? recordKey;
    return {
      entries,
      skippedAs: entries.length === 0 ? [`${role}/empty`] : [],
      isBadShape: false,
      usage: counts === null ? [] : [usageEvent(counts, { usageKey, model, occurredAt })],
    };
  }

  #addAssistant(
    message: JsonObject,
    texts: readonly string[],
    builder: EntryBuilder,
    finishReason: string | null,
  ): void {
    this.#hasAnswered = true;
    const thought = nameOf(message['reasoning_content']) ?? nameOf(message['reasoning']);
    if (thought !== null) builder.text('thinking', 'agent', thought);
    for (const text of texts) builder.text('assistant', 'agent', text, { finishReason });
    const refusal = nameOf(message['refusal']);
    if (refusal !== null) {
      builder.text('assistant', 'agent', refusal, { finishReason, vendor: { refusal: true } });
    }
    const calls = objectsOf(message['tool_calls']);
    const legacy = objectOf(message['function_call']);
    for (const call of nameOf(legacy['name']) === null ? calls : [...calls, { function: legacy }]) {
      const given = objectOf(call['function'] ?? call['custom']);
      const toolName = nameOf(given['name']) ?? 'unknown';
      const written = given['arguments'] ?? given['input'];
      const value = argumentsOf(written);
      const number = builder.entries.length + 1;
      const callId = nameOf(call['id']) ?? `${builder.entries[0]?.sourceKey ?? ''}/call-${number}`;
      this.#calls.open(callId, toolName);
      const effect = toolEffectOf(toolName, value);
      builder.call({
        callId,
        toolName,
        arguments: value,
        effect,
        vendor: asWritten(written, value),
      });
    }
  }

  /** Programs that run an agent write its demonstrations and observations as messages of the user. */
  #authorOf(message: JsonObject, content: string): EntryAuthor {
    if (message['is_demo'] === true) return 'harness';
    const isObservation =
      'agent' in message || OBSERVATION_STARTS.some((start) => content.startsWith(start));
    return this.#hasAnswered && isObservation ? 'harness' : 'human';
  }
}

/** Where programs keep what the provider answered beside the message that they made of it. */
function responseOf(message: JsonObject): JsonObject {
  const places = [message, message['response'], objectOf(message['extra'])['response']];
  return places.map(objectOf).find((place) => isJsonObject(place['usage'])) ?? message;
}

function finishReasonOf(message: JsonObject): string | null {
  const [choice] = objectsOf(responseOf(message)['choices']);
  return nameOf(message['finish_reason']) ?? nameOf(choice?.['finish_reason']);
}
