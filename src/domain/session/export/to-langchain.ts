/**
 * Messages as LangChain dumps them, in either shape: `{ type, data }` (`messagesToDict`) or
 * `{ lc, type: "constructor", id, kwargs }` (`dumpd`). Rules: LangChain's `messages` modules.
 */
import { isJsonObject, type JsonObject } from '../../redaction/json-value.js';
import type { SourceForm } from '../source-form.js';
import { type Exported, type ExportOptions, OPENING, prefixTokens } from './exported.js';
import type { TakeNote } from './export-note.js';
import { frameMessages } from './frame-messages.js';
import { argumentsObject, type OutgoingContext } from './outgoing-context.js';
import { type OutgoingMessage, outgoingMessages } from './outgoing-messages.js';
import type { MediaBytes, OutgoingCall, OutgoingPart } from './outgoing-parts.js';
import { chatContent, resultContent } from './to-openai-chat.js';

export type LangchainShape = 'dict' | 'constructor';

const LIMITS = { callId: 64, toolName: 64 } as const;

/** Types of messages and the classes that hold them. */
const CLASSES = {
  human: 'HumanMessage',
  ai: 'AIMessage',
  chat: 'ChatMessage',
  system: 'SystemMessage',
  tool: 'ToolMessage',
} as const;

interface LangchainMessage {
  readonly type: keyof typeof CLASSES;
  readonly fields: JsonObject;
}

export function toLangchain(
  context: OutgoingContext,
  shape: LangchainShape,
  { mediaBytes, counter }: ExportOptions,
): Exported<JsonObject> {
  const outgoing = outgoingMessages(context, LIMITS);
  const notes = [...outgoing.notes];
  const note: TakeNote = (reason, seq) => notes.push({ reason, seq });
  const messages: LangchainMessage[] = [];
  for (const message of frameMessages(context)) {
    messages.push(...langchainMessages(message, mediaBytes, note));
  }
  let settled = messages.length;
  for (const [index, message] of outgoing.messages.entries()) {
    messages.push(...langchainMessages(message, mediaBytes, note));
    if (index < outgoing.settled) settled = messages.length;
  }
  if (messages.length === 0) {
    note('opening-added', null);
    messages.push({ type: 'human', fields: { content: OPENING } });
  }
  return {
    system: null,
    messages: messages.map((message) => dumped(message, shape)),
    prefix: {
      messages: settled,
      blocks: 0,
      tokens: prefixTokens(context.frame, { ...outgoing, notes }, counter),
    },
    notes,
  };
}

function dumped({ type, fields }: LangchainMessage, shape: LangchainShape): JsonObject {
  if (shape === 'dict') return { type, data: { ...fields, type } };
  return {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', CLASSES[type]],
    kwargs: { ...fields, type },
  };
}

function langchainMessages(
  message: OutgoingMessage,
  mediaBytes: MediaBytes,
  note: TakeNote,
): readonly LangchainMessage[] {
  const form = message.form?.of === 'langchain' ? message.form : null;
  if (message.speaker !== 'assistant') {
    const content = chatContent(message.parts, mediaBytes, note, form?.content === 'list');
    const type = message.speaker === 'system' ? 'system' : typeOf(form);
    return content === null ? [] : [{ type, fields: { ...form?.fields, content } }];
  }
  const content = spokenContent(message.parts, form, note);
  const calls = message.parts.flatMap((part) => (part.part === 'call' ? part.call : []));
  const toolCalls = calls.map(({ callId, toolName, arguments: value, seq }) => {
    const { object, isWrapped } = argumentsObject(value);
    if (isWrapped) note('arguments-wrapped', seq);
    return { name: toolName, args: object, id: callId, type: 'tool_call' };
  });
  const isSpoken = content.length > 0 || toolCalls.length > 0;
  const spoken: LangchainMessage = {
    type: 'ai',
    fields: { ...form?.fields, content, tool_calls: toolCalls, invalid_tool_calls: [] },
  };
  const media = message.results
    .flatMap((result) => result.media)
    .map((entry): OutgoingPart => ({ part: 'media', entry }));
  const shown = chatContent(media, mediaBytes, note);
  return [
    ...(isSpoken ? [spoken] : []),
    ...message.results.map((result): LangchainMessage => ({
      type: 'tool',
      fields: {
        content: resultContent(result, 'langchain', 'text'),
        tool_call_id: result.callId,
        name: result.toolName,
        ...(result.form?.of === 'langchain' ? result.form.fields : {}),
        status: result.isError ? 'error' : 'success',
      },
    })),
    ...(shown === null ? [] : [{ type: 'human' as const, fields: { content: shown } }]),
  ];
}

function typeOf(form: SourceForm | null): LangchainMessage['type'] {
  return form?.role === 'chat' && typeof form.fields?.['role'] === 'string' ? 'chat' : 'human';
}

/** One text; a list of blocks where the source had one, with its thoughts and calls in their places. */
function spokenContent(
  parts: readonly OutgoingPart[],
  form: SourceForm | null,
  note: TakeNote,
): string | readonly JsonObject[] {
  const places = form?.places ?? [];
  const texts = parts.flatMap((part) => (part.part === 'text' ? part.text : []));
  const isList = form?.content === 'list' || places.length > 0;
  const calls = parts.flatMap((part): readonly JsonObject[] =>
    part.part === 'call' ? [callBlock(part.call)] : [],
  );
  const thoughts: JsonObject[] = [];
  for (const part of parts) {
    if (part.part !== 'thinking') continue;
    const block = places.includes('thinking') ? thoughtBlock(part) : null;
    if (block === null) note('thinking-left-out', part.entry.seq);
    else thoughts.push(block);
  }
  if (!isList) return texts.join('\n\n');
  const open = texts.map((text): JsonObject => ({ type: 'text', text }));
  const placed = places.flatMap((place): readonly JsonObject[] => {
    if (place === 'call') return calls.splice(0, 1);
    if (place === 'thinking') return thoughts.splice(0, 1);
    return typeof place === 'number' ? open.splice(0, 1) : [];
  });
  return [...placed, ...open];
}

function callBlock({ callId, toolName, arguments: value }: OutgoingCall): JsonObject {
  return { type: 'tool_use', id: callId, name: toolName, input: argumentsObject(value).object };
}

/** Null: it did not come as a block, or only the beginning of it is shown. */
function thoughtBlock({ text, entry }: OutgoingPart & { part: 'thinking' }): JsonObject | null {
  const { block, text_field: field } = entry.vendor ?? {};
  if (!isJsonObject(block) || typeof field !== 'string' || text !== entry.content) return null;
  return { ...block, [field]: text };
}
