/**
 * Requests of Anthropic's Messages API. Turns of one role are joined, as the API itself would join
 * them; results of a message's calls come first in the next message. Rules:
 * docs.anthropic.com, "Messages API" and "Tool use".
 */
import { isJsonObject, type JsonObject } from '../../redaction/json-value.js';
import type { CachePrefix, Exported, ExportOptions } from './exported.js';
import { OPENING, prefixTokens } from './exported.js';
import type { TakeNote } from './export-note.js';
import { argumentsObject, type ExportEntry, type OutgoingContext } from './outgoing-context.js';
import { type OutgoingMessage, outgoingMessages } from './outgoing-messages.js';
import {
  type ExportAttachment,
  inSourceOrder,
  isVisible,
  mediaLine,
  type MediaBytes,
  type OutgoingPart,
  type OutgoingResult,
  sourceBlock,
} from './outgoing-parts.js';

export interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
}

const LIMITS = { callId: 256, toolName: 128 } as const;

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Blocks of media that go back as they came. */
const OWN_BLOCKS = new Set(['image', 'document']);

const EMPTY_FAILURE = '(failed without output)';

interface Turn {
  readonly role: AnthropicMessage['role'];
  readonly content: JsonObject[];
}

export function toAnthropic(
  context: OutgoingContext,
  { mediaBytes, counter }: ExportOptions,
): Exported<AnthropicMessage> {
  const outgoing = outgoingMessages(context, LIMITS);
  const notes = [...outgoing.notes];
  const note: TakeNote = (reason, seq) => notes.push({ reason, seq });
  const turns: Turn[] = [];
  let settled: Omit<CachePrefix, 'tokens'> = { messages: 0, blocks: 0 };
  const say = (role: Turn['role'], blocks: readonly JsonObject[]): void => {
    if (blocks.length === 0) return;
    if (turns.length === 0 && role === 'assistant') {
      note('opening-added', null);
      turns.push({ role: 'user', content: [textBlock(OPENING)] });
    }
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  };
  for (const [index, message] of outgoing.messages.entries()) {
    if (index === outgoing.settled) settled = endOf(turns);
    sayMessage(message, say, mediaBytes, note);
  }
  if (outgoing.settled === outgoing.messages.length) settled = endOf(turns);
  if (turns.length === 0) {
    note('opening-added', null);
    turns.push({ role: 'user', content: [textBlock(OPENING)] });
  }
  if (trimLast(turns)) settled = before(settled, turns);
  return {
    system: context.frame,
    messages: turns,
    prefix: { ...settled, tokens: prefixTokens(context.frame, { ...outgoing, notes }, counter) },
    notes,
  };
}

function sayMessage(
  message: OutgoingMessage,
  say: (role: Turn['role'], blocks: readonly JsonObject[]) => void,
  mediaBytes: MediaBytes,
  note: TakeNote,
): void {
  if (message.speaker === 'assistant') {
    const lastSpoken = message.parts.findLastIndex(({ part }) => part !== 'thinking');
    say(
      'assistant',
      // A message may not end in thinking, and what is left of it later could not be put back.
      message.parts.flatMap((part, index) =>
        partBlocks(part, index < lastSpoken, mediaBytes, note),
      ),
    );
    say(
      'user',
      message.results.map((result) => resultBlock(result, mediaBytes, note)),
    );
    return;
  }
  if (message.speaker === 'system') {
    for (const part of message.parts) if (part.part === 'text') note('system-as-user', part.seq);
  }
  say(
    'user',
    message.parts.flatMap((part) => partBlocks(part, false, mediaBytes, note)),
  );
}

function partBlocks(
  part: OutgoingPart,
  mayThink: boolean,
  mediaBytes: MediaBytes,
  note: TakeNote,
): readonly JsonObject[] {
  switch (part.part) {
    case 'text':
      return [textBlock(part.text)];
    case 'media':
      return [mediaBlock(part.entry, mediaBytes, note)];
    case 'thinking': {
      const block = mayThink ? thinkingBlock(part.text, part.entry) : null;
      if (block !== null) return [block];
      note('thinking-left-out', part.entry.seq);
      return [];
    }
    case 'call': {
      const { callId, toolName, seq } = part.call;
      const { object, isWrapped } = argumentsObject(part.call.arguments);
      if (isWrapped) note('arguments-wrapped', seq);
      return [{ type: 'tool_use', id: callId, name: toolName, input: object }];
    }
  }
}

/** Thinking goes back only as it came, with its signature; a preview of it has none. */
function thinkingBlock(text: string, { content, vendor }: ExportEntry): JsonObject | null {
  const signature = vendor?.['signature'];
  const redacted = vendor?.['redacted_thinking'];
  if (typeof redacted === 'string') return { type: 'redacted_thinking', data: redacted };
  if (typeof signature !== 'string' || signature === '' || text !== content) return null;
  return { type: 'thinking', thinking: text, signature };
}

function resultBlock(
  { callId, text, isError, media, form }: OutgoingResult,
  mediaBytes: MediaBytes,
  note: TakeNote,
): JsonObject {
  // The provider takes nothing but text in a failed result.
  const mediumBlock = (entry: ExportAttachment): JsonObject => {
    if (!isError) return mediaBlock(entry, mediaBytes, note);
    note('media-described', entry.seq);
    return textBlock(mediaLine(entry));
  };
  const written = isVisible(text) || !isError || media.length > 0 ? text : EMPTY_FAILURE;
  const places = form?.of === 'anthropic' ? (form.places ?? []) : [];
  const parts = inSourceOrder(places, { text: written, seq: null }, media, [], '\n');
  const blocks = parts.flatMap((part): readonly JsonObject[] => {
    if (part.part === 'text') return [textBlock(part.text)];
    return part.part === 'media' ? [mediumBlock(part.entry)] : [];
  });
  const isText = blocks.length === 1 && media.length === 0;
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(blocks.length > 0 && { content: isText ? written : blocks }),
    ...(isError ? { is_error: true } : {}),
  };
}

function mediaBlock(entry: ExportAttachment, mediaBytes: MediaBytes, note: TakeNote): JsonObject {
  const { mediaType, mediaKind, vendor } = entry;
  const url = vendor?.['url'];
  if (mediaKind === 'image' && typeof url === 'string' && /^https?:\/\//.test(url)) {
    return { type: 'image', source: { type: 'url', url } };
  }
  const block = sourceBlock(entry, OWN_BLOCKS, mediaBytes);
  if (block !== null && isJsonObject(block['source'])) return block;
  const isPdf = mediaType === 'application/pdf';
  const isAccepted = mediaType !== null && (isPdf || IMAGE_TYPES.has(mediaType));
  const data = isAccepted ? mediaBytes(entry) : null;
  if (data === null || data === '') {
    note('media-described', entry.seq);
    return textBlock(mediaLine(entry));
  }
  const source = { type: 'base64', media_type: mediaType, data };
  return { type: isPdf ? 'document' : 'image', source };
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

/** Later blocks may still join the last message, so it counts by its blocks. */
function endOf(turns: readonly Turn[]): Omit<CachePrefix, 'tokens'> {
  const last = turns.at(-1);
  return { messages: Math.max(0, turns.length - 1), blocks: last?.content.length ?? 0 };
}

/** A request may not end in white space of the assistant. @returns whether something was cut off. */
function trimLast(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  const text = block?.['text'];
  if (last === undefined || typeof text !== 'string' || text === text.trimEnd()) return false;
  last.content[last.content.length - 1] = textBlock(text.trimEnd());
  return true;
}

/** The block that was trimmed comes back whole once something follows it: it is not settled. */
function before(
  settled: Omit<CachePrefix, 'tokens'>,
  turns: readonly Turn[],
): Omit<CachePrefix, 'tokens'> {
  const last = turns.at(-1);
  const isLast = settled.messages === turns.length - 1 && settled.blocks === last?.content.length;
  return isLast ? { messages: settled.messages, blocks: settled.blocks - 1 } : settled;
}
