/**
 * Messages of OpenAI's Chat Completions API. The results of a message's calls follow it at once, one
 * `tool` message each; media of results come in a user message behind them. Rules:
 * platform.openai.com, "Chat Completions" and "Function calling".
 */
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import { type Exported, type ExportOptions, OPENING, prefixTokens } from './exported.js';
import type { TakeNote } from './export-note.js';
import type { OutgoingContext } from './outgoing-context.js';
import { type OutgoingMessage, outgoingMessages } from './outgoing-messages.js';
import {
  type ExportAttachment,
  isVisible,
  mediaLine,
  type MediaBytes,
  type OutgoingCall,
  type OutgoingPart,
} from './outgoing-parts.js';

export type OpenaiChatMessage = JsonObject & { readonly role: string };

const LIMITS = { callId: 40, toolName: 64 } as const;

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

export const NO_OUTPUT = '(no output)';

export function toOpenaiChat(
  context: OutgoingContext,
  { mediaBytes, counter }: ExportOptions,
): Exported<OpenaiChatMessage> {
  const outgoing = outgoingMessages(context, LIMITS);
  const notes = [...outgoing.notes];
  const note: TakeNote = (reason, seq) => notes.push({ reason, seq });
  const messages: OpenaiChatMessage[] = [];
  if (context.frame !== null && isVisible(context.frame)) {
    messages.push({ role: 'system', content: context.frame });
  }
  let settled = messages.length;
  for (const [index, message] of outgoing.messages.entries()) {
    messages.push(...chatMessages(message, mediaBytes, note));
    if (index < outgoing.settled) settled = messages.length;
  }
  if (messages.length === 0) {
    note('opening-added', null);
    messages.push({ role: 'user', content: OPENING });
  }
  return {
    system: null,
    messages,
    prefix: {
      messages: settled,
      blocks: 0,
      tokens: prefixTokens(context.frame, { ...outgoing, notes }, counter),
    },
    notes,
  };
}

function chatMessages(
  message: OutgoingMessage,
  mediaBytes: MediaBytes,
  note: TakeNote,
): readonly OpenaiChatMessage[] {
  if (message.speaker !== 'assistant') {
    const content = chatContent(message.parts, mediaBytes, note);
    return content === null ? [] : [{ role: message.speaker, content }];
  }
  for (const part of message.parts) {
    if (part.part === 'thinking') note('thinking-left-out', part.entry.seq);
  }
  const content = message.parts
    .flatMap((part) => (part.part === 'text' ? part.text : []))
    .join('\n\n');
  const calls = message.parts.flatMap((part) => (part.part === 'call' ? part.call : []));
  const media = message.results.flatMap((result) => result.media);
  const spoken: readonly OpenaiChatMessage[] =
    calls.length === 0
      ? [{ role: 'assistant', content }]
      : [
          {
            role: 'assistant',
            content: content === '' ? null : content,
            tool_calls: calls.map((call) => ({
              id: call.callId,
              type: 'function',
              function: { name: call.toolName, arguments: argumentsText(call) },
            })),
          },
        ];
  const shown = chatContent(
    media.map((entry): OutgoingPart => ({ part: 'media', entry })),
    mediaBytes,
    note,
  );
  return [
    ...(content === '' && calls.length === 0 ? [] : spoken),
    ...message.results.map(({ callId, text }) => ({
      role: 'tool',
      tool_call_id: callId,
      content: isVisible(text) ? text : NO_OUTPUT,
    })),
    ...(shown === null ? [] : [{ role: 'user', content: shown }]),
  ];
}

/** Arguments go out as text: as it came where it says the same, also where it is no JSON. */
export function argumentsText({ arguments: value, vendor }: OutgoingCall): string {
  if (typeof value === 'string') return isVisible(value) ? value : '{}';
  const written = JSON.stringify(value ?? {});
  const given = vendor['arguments_text'];
  return typeof given === 'string' && saysTheSame(given, written) ? given : written;
}

/** Redaction may have changed one of them. */
function saysTheSame(text: string, written: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === written;
  } catch {
    return false;
  }
}

/** A text where there is nothing else, otherwise parts; null where there is nothing. */
export function chatContent(
  parts: readonly OutgoingPart[],
  mediaBytes: MediaBytes,
  note: TakeNote,
): JsonValue {
  const shown = parts.flatMap((part): readonly JsonObject[] => {
    if (part.part === 'text') return [{ type: 'text', text: part.text }];
    if (part.part !== 'media') return [];
    const url = imageUrl(part.entry, mediaBytes);
    if (url !== null) return [{ type: 'image_url', image_url: { url } }];
    note('media-described', part.entry.seq);
    return [{ type: 'text', text: mediaLine(part.entry) }];
  });
  const [first] = shown;
  if (first === undefined) return null;
  return shown.length === 1 && first['type'] === 'text' ? (first['text'] ?? null) : shown;
}

/** Where an image lies: as its reader found it, or a data URL of what the provider takes; else null. */
export function imageUrl(entry: ExportAttachment, mediaBytes: MediaBytes): string | null {
  const { mediaType, mediaKind, vendor } = entry;
  const url = vendor?.['url'];
  if (mediaKind === 'image' && typeof url === 'string' && /^https?:\/\//.test(url)) return url;
  if (mediaType === null || !IMAGE_TYPES.has(mediaType)) return null;
  const data = mediaBytes(entry);
  return data === null || data === '' ? null : `data:${mediaType};base64,${data}`;
}
