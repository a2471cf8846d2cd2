/**
 * Messages as LangChain dumps them, in either shape: `{ type, data }` (`messagesToDict`) or
 * `{ lc, type: "constructor", id, kwargs }` (`dumpd`). Rules: LangChain's `messages` modules.
 */
import type { JsonObject } from '../../redaction/json-value.js';
import { type Exported, type ExportOptions, OPENING, prefixTokens } from './exported.js';
import type { TakeNote } from './export-note.js';
import { argumentsObject, type OutgoingContext } from './outgoing-context.js';
import { type OutgoingMessage, outgoingMessages } from './outgoing-messages.js';
import { isVisible, type MediaBytes, type OutgoingPart } from './outgoing-parts.js';
import { chatContent, NO_OUTPUT } from './to-openai-chat.js';

export type LangchainShape = 'dict' | 'constructor';

const LIMITS = { callId: 64, toolName: 64 } as const;

/** Types of messages and the classes that hold them. */
const CLASSES = {
  human: 'HumanMessage',
  ai: 'AIMessage',
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
  if (context.frame !== null && isVisible(context.frame)) {
    messages.push({ type: 'system', fields: { content: context.frame } });
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
  if (message.speaker !== 'assistant') {
    const content = chatContent(message.parts, mediaBytes, note);
    const type = message.speaker === 'system' ? 'system' : 'human';
    return content === null ? [] : [{ type, fields: { content } }];
  }
  for (const part of message.parts) {
    if (part.part === 'thinking') note('thinking-left-out', part.entry.seq);
  }
  const content = message.parts
    .flatMap((part) => (part.part === 'text' ? part.text : []))
    .join('\n\n');
  const calls = message.parts.flatMap((part) => (part.part === 'call' ? part.call : []));
  const toolCalls = calls.map(({ callId, toolName, arguments: value, seq }) => {
    const { object, isWrapped } = argumentsObject(value);
    if (isWrapped) note('arguments-wrapped', seq);
    return { name: toolName, args: object, id: callId, type: 'tool_call' };
  });
  const isSpoken = content !== '' || toolCalls.length > 0;
  const spoken: LangchainMessage = {
    type: 'ai',
    fields: { content, tool_calls: toolCalls, invalid_tool_calls: [] },
  };
  const media = message.results
    .flatMap((result) => result.media)
    .map((entry): OutgoingPart => ({ part: 'media', entry }));
  const shown = chatContent(media, mediaBytes, note);
  return [
    ...(isSpoken ? [spoken] : []),
    ...message.results.map(({ callId, toolName, text, isError }): LangchainMessage => ({
      type: 'tool',
      fields: {
        content: isVisible(text) ? text : NO_OUTPUT,
        tool_call_id: callId,
        name: toolName,
        status: isError ? 'error' : 'success',
      },
    })),
    ...(shown === null ? [] : [{ type: 'human' as const, fields: { content: shown } }]),
  ];
}
