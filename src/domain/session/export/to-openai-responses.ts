/**
 * Input items of OpenAI's Responses API. Each call is an item of its own, its output follows. Rules:
 * platform.openai.com, "Responses" and "Function calling".
 */
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import { formOf } from '../source-form.js';
import { type Exported, type ExportOptions, OPENING, prefixTokens } from './exported.js';
import type { TakeNote } from './export-note.js';
import { frameMessages } from './frame-messages.js';
import type { ExportEntry, OutgoingContext } from './outgoing-context.js';
import { type OutgoingMessage, outgoingMessages } from './outgoing-messages.js';
import {
  mediaLine,
  type MediaBytes,
  type OutgoingCall,
  type OutgoingPart,
  sourceBlock,
  type TextPart,
} from './outgoing-parts.js';
import { argumentsText, imageUrl, PDF, pdfFile, resultContent } from './to-openai-chat.js';

export type OpenaiResponsesItem = JsonObject & { readonly type: string };

const RESPONSES = 'openai-responses';

/** Blocks of media that go back as they came. */
const INPUT_BLOCKS = new Set(['input_image', 'input_file']);

const LIMITS = { callId: 64, toolName: 64 } as const;

export function toOpenaiResponses(
  context: OutgoingContext,
  { mediaBytes, counter }: ExportOptions,
): Exported<OpenaiResponsesItem> {
  const outgoing = outgoingMessages(context, LIMITS);
  const notes = [...outgoing.notes];
  const note: TakeNote = (reason, seq) => notes.push({ reason, seq });
  const items: OpenaiResponsesItem[] = [];
  const frames = frameMessages(context);
  const own = frames.filter(({ form }) => form?.of === RESPONSES);
  for (const message of own) items.push(...messageItems(message, mediaBytes, note));
  let settled = items.length;
  for (const [index, message] of outgoing.messages.entries()) {
    items.push(...messageItems(message, mediaBytes, note));
    if (index < outgoing.settled) settled = items.length;
  }
  if (items.length === 0) {
    note('opening-added', null);
    items.push(messageItem('user', [{ type: 'input_text', text: OPENING }]));
  }
  return {
    system:
      own.length === 0 ? context.frame : systemText(frames.filter((one) => !own.includes(one))),
    messages: items,
    prefix: {
      messages: settled,
      blocks: 0,
      tokens: prefixTokens(context.frame, { ...outgoing, notes }, counter),
    },
    notes,
  };
}

function messageItems(
  message: OutgoingMessage,
  mediaBytes: MediaBytes,
  note: TakeNote,
): readonly OpenaiResponsesItem[] {
  if (message.speaker !== 'assistant') {
    const form = message.form?.of === RESPONSES ? message.form : null;
    const content = inputContent(message.parts, mediaBytes, note);
    const [first] = content;
    if (first === undefined) return [];
    const role = message.speaker === 'system' ? (form?.role ?? 'system') : 'user';
    const isText =
      form?.content === 'text' && content.length === 1 && first['type'] === 'input_text';
    const written = isText ? (first['text'] ?? '') : content;
    return [{ ...messageItem(role, written), ...form?.fields }];
  }
  const parts = callsLast(message.parts);
  const lastSpoken = parts.findLastIndex(({ part }) => part !== 'thinking');
  const spoken = parts.flatMap((part, index): readonly OpenaiResponsesItem[] => {
    if (part.part === 'text') {
      return isMore(part) ? [] : [spokenItem(part, furtherTexts(parts, index))];
    }
    if (part.part === 'call') return [callItem(part.call)];
    if (part.part !== 'thinking') return [];
    const item = index < lastSpoken ? reasoningItem(part.entry) : null;
    if (item !== null) return [item];
    note('thinking-left-out', part.entry.seq);
    return [];
  });
  const media = message.results
    .flatMap((result) => result.media)
    .map((entry): OutgoingPart => ({ part: 'media', entry }));
  const shown = inputContent(media, mediaBytes, note);
  const customIds = new Set(
    message.parts.flatMap((part) =>
      part.part === 'call' && isCustom(part.call) ? part.call.callId : [],
    ),
  );
  return [
    ...spoken,
    ...message.results.map((result) => ({
      type: customIds.has(result.callId) ? 'custom_tool_call_output' : 'function_call_output',
      call_id: result.callId,
      output: resultContent(result, RESPONSES, 'input_text'),
      ...(result.form?.of === RESPONSES ? result.form.fields : {}),
    })),
    ...(shown.length === 0 ? [] : [messageItem('user', shown)]),
  ];
}

/** One item holds every text of the message item that it came from. */
function spokenItem(part: TextPart, further: readonly TextPart[]): OpenaiResponsesItem {
  const form = formOf([part], RESPONSES);
  const [first, ...others] = [part, ...further].map(({ text }) => ({ type: 'output_text', text }));
  const isText = form?.content === 'text' && others.length === 0;
  const content = isText ? part.text : [first ?? {}, ...others];
  return { ...itemName(part.vendor), ...messageItem('assistant', content), ...form?.fields };
}

function isMore({ vendor }: TextPart): boolean {
  return vendor?.['more_of_item'] === true;
}

function furtherTexts(parts: readonly OutgoingPart[], index: number): readonly TextPart[] {
  const behind = parts.slice(index + 1);
  const end = behind.findIndex((part) => part.part !== 'text' || !isMore(part));
  return behind
    .slice(0, end === -1 ? behind.length : end)
    .flatMap((part) => (part.part === 'text' ? part : []));
}

function systemText(frames: readonly OutgoingMessage[]): string | null {
  const texts = frames.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.part === 'text' ? part.text : [])),
  );
  return texts.length === 0 ? null : texts.join('\n\n');
}

/** Calls behind the texts, each item with the reasoning that leads to it: outputs follow calls at once. */
function callsLast(parts: readonly OutgoingPart[]): readonly OutgoingPart[] {
  const texts: OutgoingPart[] = [];
  const calls: OutgoingPart[] = [];
  let reasoning: OutgoingPart[] = [];
  for (const part of parts) {
    if (part.part === 'thinking') reasoning.push(part);
    else {
      (part.part === 'call' ? calls : texts).push(...reasoning, part);
      reasoning = [];
    }
  }
  return [...texts, ...calls, ...reasoning];
}

/** Tools with a grammar of their own take a text, not arguments. */
function isCustom({ arguments: value, vendor }: OutgoingCall): boolean {
  return vendor['item_type'] === 'custom_tool_call' && typeof value === 'string';
}

function callItem(call: OutgoingCall): OpenaiResponsesItem {
  const { callId, toolName, vendor } = call;
  const fields = formOf([{ vendor }], RESPONSES)?.fields;
  const common = { ...itemName(vendor), call_id: callId, name: toolName, ...fields };
  return isCustom(call)
    ? { type: 'custom_tool_call', ...common, input: argumentsText(call) }
    : { type: 'function_call', ...common, arguments: argumentsText(call) };
}

/** The provider knows its own items by the first letters of their ids. */
const ITEM_ID = /^(?:msg|fc|ctc)_/;

function itemName(vendor: JsonObject | undefined): { readonly id?: string } {
  const id = vendor?.['item_id'];
  return typeof id === 'string' && ITEM_ID.test(id) ? { id } : {};
}

/** Reasoning goes back only in its sealed form. */
function reasoningItem({ vendor, content }: ExportEntry): OpenaiResponsesItem | null {
  const sealed = vendor?.['encrypted_content'];
  if (typeof sealed !== 'string' || sealed === '') return null;
  const id = vendor?.['reasoning_id'];
  return {
    type: 'reasoning',
    ...(typeof id === 'string' ? { id } : {}),
    summary: summaryOf(vendor ?? {}, content),
    encrypted_content: sealed,
  };
}

function summaryOf(vendor: JsonObject, content: string): JsonValue {
  if (vendor['summary_is_text'] === true) return [{ type: 'summary_text', text: content }];
  const summary = vendor['summary'];
  return Array.isArray(summary) ? (summary as readonly JsonValue[]) : [];
}

function messageItem(role: string, content: JsonValue): OpenaiResponsesItem {
  return { type: 'message', role, content };
}

function inputContent(
  parts: readonly OutgoingPart[],
  mediaBytes: MediaBytes,
  note: TakeNote,
): readonly JsonObject[] {
  return parts.flatMap((part): readonly JsonObject[] => {
    if (part.part === 'text') return [{ type: 'input_text', text: part.text }];
    if (part.part !== 'media') return [];
    const block = sourceBlock(part.entry, INPUT_BLOCKS, mediaBytes);
    if (block !== null) return [block];
    const url = imageUrl(part.entry, mediaBytes);
    if (url !== null) return [{ type: 'input_image', image_url: url, detail: 'auto' }];
    const data = part.entry.mediaType === PDF ? mediaBytes(part.entry) : null;
    if (data !== null && data !== '') return [{ type: 'input_file', ...pdfFile(data) }];
    note('media-described', part.entry.seq);
    return [{ type: 'input_text', text: mediaLine(part.entry) }];
  });
}
