/**
 * Messages of OpenAI's Chat Completions API. The results of a message's calls follow it at once, one
 * `tool` message each; media of results come in a user message behind them. Rules:
 * platform.openai.com, "Chat Completions" and "Function calling".
 */
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import type { SourceForm } from '../source-form.js';
import { type Exported, type ExportOptions, OPENING, prefixTokens } from './exported.js';
import type { TakeNote } from './export-note.js';
import { frameMessages } from './frame-messages.js';
import type { OutgoingContext } from './outgoing-context.js';
import { type OutgoingMessage, outgoingMessages } from './outgoing-messages.js';
import {
  type ExportAttachment,
  inSourceOrder,
  isVisible,
  mediaLine,
  type MediaBytes,
  type OutgoingCall,
  type OutgoingPart,
  type OutgoingResult,
  sourceBlock,
} from './outgoing-parts.js';

export type OpenaiChatMessage = JsonObject & { readonly role: string };

const LIMITS = { callId: 40, toolName: 64 } as const;

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Blocks of media that go back as they came. */
const CHAT_BLOCKS = new Set(['image_url', 'input_audio', 'file']);

export const NO_OUTPUT = '(no output)';

export function toOpenaiChat(
  context: OutgoingContext,
  { mediaBytes, counter }: ExportOptions,
): Exported<OpenaiChatMessage> {
  const outgoing = outgoingMessages(context, LIMITS);
  const notes = [...outgoing.notes];
  const note: TakeNote = (reason, seq) => notes.push({ reason, seq });
  const messages: OpenaiChatMessage[] = [];
  for (const message of frameMessages(context)) {
    messages.push(...chatMessages(message, mediaBytes, note));
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
  const form = message.form?.of === 'openai-chat' ? message.form : null;
  if (message.speaker !== 'assistant') {
    const content = chatContent(message.parts, mediaBytes, note, form?.content === 'list');
    if (content === null) return [];
    // A text of the harness beside a person's stays a user's.
    const role = message.speaker === 'system' ? (form?.role ?? 'system') : 'user';
    return [{ role, ...form?.fields, content }];
  }
  for (const part of message.parts) {
    if (part.part === 'thinking') note('thinking-left-out', part.entry.seq);
  }
  const { content, refusal } = spokenContent(message.parts, form);
  const calls = message.parts.flatMap((part) => (part.part === 'call' ? part.call : []));
  const media = message.results.flatMap((result) => result.media);
  const spoken: OpenaiChatMessage = {
    role: 'assistant',
    ...form?.fields,
    content,
    ...refusal,
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
  const isSpoken = content !== null || calls.length > 0 || 'refusal' in refusal;
  const shown = chatContent(
    media.map((entry): OutgoingPart => ({ part: 'media', entry })),
    mediaBytes,
    note,
  );
  return [
    ...(isSpoken ? [spoken] : []),
    ...message.results.map((result) => ({
      role: 'tool',
      ...(result.form?.of === 'openai-chat' ? result.form.fields : {}),
      tool_call_id: result.callId,
      content: resultContent(result, 'openai-chat', 'text'),
    })),
    ...(shown === null ? [] : [{ role: 'user', content: shown }]),
  ];
}

/** What the assistant said: one text, or its parts where its source had parts; null: nothing. */
function spokenContent(
  parts: readonly OutgoingPart[],
  form: SourceForm | null,
): { readonly content: JsonValue; readonly refusal: JsonObject } {
  const texts = parts.flatMap((part) => (part.part === 'text' ? part : []));
  const refusals = texts.filter(({ vendor }) => vendor?.['refusal'] === true);
  const said = texts.filter((text) => !refusals.includes(text)).map(({ text }) => text);
  const isList = form?.content === 'list' || (form?.places?.length ?? 0) > 1;
  const content = isList ? said.map((text) => ({ type: 'text', text })) : said.join('\n\n');
  const refusal = refusals.map(({ text }) => text).join('\n\n');
  return {
    content: said.length === 0 ? null : content,
    refusal: refusals.length === 0 ? {} : { refusal },
  };
}

/** A result's text, or its texts as parts where its source had parts. */
export function resultContent(
  { text, form }: OutgoingResult,
  of: SourceForm['of'],
  textType: string,
): JsonValue {
  if (!isVisible(text)) return NO_OUTPUT;
  const places = form?.of === of ? (form.places ?? []) : [];
  const isList = form?.of === of && (form.content === 'list' || places.length > 1);
  if (!isList) return text;
  const texts = inSourceOrder(places, { text, seq: null }, [], [], '\n');
  return texts.flatMap((part) =>
    part.part === 'text' ? [{ type: textType, text: part.text }] : [],
  );
}

function callOf(call: OutgoingCall): JsonObject {
  return {
    id: call.callId,
    type: 'function',
    function: { name: call.toolName, arguments: argumentsText(call) },
  };
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
  isList = false,
): JsonValue {
  const shown = parts.flatMap((part): readonly JsonObject[] => {
    if (part.part === 'text') return [{ type: 'text', text: part.text }];
    if (part.part !== 'media') return [];
    const block = sourceBlock(part.entry, CHAT_BLOCKS, mediaBytes);
    if (block !== null) return [block];
    const url = imageUrl(part.entry, mediaBytes);
    if (url !== null) return [{ type: 'image_url', image_url: { url } }];
    const file = fileBlock(part.entry, mediaBytes);
    if (file !== null) return [file];
    note('media-described', part.entry.seq);
    return [{ type: 'text', text: mediaLine(part.entry) }];
  });
  const [first] = shown;
  if (first === undefined) return null;
  return !isList && shown.length === 1 && first['type'] === 'text'
    ? (first['text'] ?? null)
    : shown;
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
};

/** A document or a recording that the provider takes by its bytes; null: it takes none such. */
function fileBlock(entry: ExportAttachment, mediaBytes: MediaBytes): JsonObject | null {
  const { mediaType } = entry;
  const format = AUDIO_FORMATS[mediaType ?? ''];
  if (mediaType !== PDF && format === undefined) return null;
  const data = mediaBytes(entry);
  if (data === null || data === '') return null;
  return format === undefined
    ? { type: 'file', file: pdfFile(data) }
    : { type: 'input_audio', input_audio: { data, format } };
}

export const PDF = 'application/pdf';

/** The provider wants a name beside the bytes. */
export function pdfFile(data: string): { readonly filename: string; readonly file_data: string } {
  return { filename: 'document.pdf', file_data: `data:${PDF};base64,${data}` };
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
