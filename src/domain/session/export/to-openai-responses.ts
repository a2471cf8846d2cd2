/**
 * Input items of OpenAI's Responses API. Each call is an item of its own, its output follows. Rules:
 * platform.openai.com, "Responses" and "Function calling".
 */
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import { type Exported, type ExportOptions, OPENING, prefixTokens } from './exported.js';
import type { TakeNote } from './export-note.js';
import type { ExportEntry, OutgoingContext } from './outgoing-context.js';
import { type OutgoingMessage, outgoingMessages } from './outgoing-messages.js';
import {
  isVisible,
  mediaLine,
  type MediaBytes,
  type OutgoingCall,
  type OutgoingPart,
} from './outgoing-parts.js';
import { argumentsText, imageUrl, NO_OUTPUT } from './to-openai-chat.js';

export type OpenaiResponsesItem = JsonObject & { readonly type: string };

const LIMITS = { callId: 64, toolName: 64 } as const;

export function toOpenaiResponses(
  context: OutgoingContext,
  { mediaBytes, counter }: ExportOptions,
): Exported<OpenaiResponsesItem> {
  const outgoing = outgoingMessages(context, LIMITS);
  const notes = [...outgoing.notes];
  const note: TakeNote = (reason, seq) => notes.push({ reason, seq });
  const items: OpenaiResponsesItem[] = [];
  let settled = 0;
  for (const [index, message] of outgoing.messages.entries()) {
    items.push(...messageItems(message, mediaBytes, note));
    if (index < outgoing.settled) settled = items.length;
  }
  if (items.length === 0) {
    note('opening-added', null);
    items.push(messageItem('user', [{ type: 'input_text', text: OPENING }]));
  }
  return {
    system: context.frame,
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
    const content = inputContent(message.parts, mediaBytes, note);
    return content.length === 0 ? [] : [messageItem(message.speaker, content)];
  }
  const parts = callsLast(message.parts);
  const lastSpoken = parts.findLastIndex(({ part }) => part !== 'thinking');
  const spoken = parts.flatMap((part, index): readonly OpenaiResponsesItem[] => {
    if (part.part === 'text') {
      const said = messageItem('assistant', [{ type: 'output_text', text: part.text }]);
      return [{ ...itemName(part.vendor), ...said }];
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
    ...message.results.map(({ callId, text }) => ({
      type: customIds.has(callId) ? 'custom_tool_call_output' : 'function_call_output',
      call_id: callId,
      output: isVisible(text) ? text : NO_OUTPUT,
    })),
    ...(shown.length === 0 ? [] : [messageItem('user', shown)]),
  ];
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
  const common = { ...itemName(vendor), call_id: callId, name: toolName };
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

function messageItem(role: string, content: readonly JsonObject[]): OpenaiResponsesItem {
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
    const url = imageUrl(part.entry, mediaBytes);
    if (url !== null) return [{ type: 'input_image', image_url: url, detail: 'auto' }];
    note('media-described', part.entry.seq);
    return [{ type: 'input_text', text: mediaLine(part.entry) }];
  });
}
