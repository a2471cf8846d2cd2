/** What every export hands over beside its messages. */
import type { TokenCounter } from '../../kernel/measures.js';
import { MESSAGE_OVERHEAD_TOKENS } from '../pass/unit-mark.js';
import type { ExportNote } from './export-note.js';
import type { Outgoing, OutgoingMessage } from './outgoing-messages.js';
import type { MediaBytes, OutgoingPart, OutgoingResult } from './outgoing-parts.js';

export interface ExportOptions {
  /** Bytes of media that go out; the others are described in a line. */
  readonly mediaBytes: MediaBytes;
  readonly counter: TokenCounter;
}

/** Where the part of a request ends that the next request repeats byte for byte, until a pass. */
export interface CachePrefix {
  /** Whole messages. */
  readonly messages: number;
  /** Blocks of the message behind them; 0 for providers whose messages do not grow. */
  readonly blocks: number;
  /** Tokens of frame and prefix by the session's counter. */
  readonly tokens: number;
}

export interface Exported<Message> {
  /** System text that the provider takes apart from the messages, or null. */
  readonly system: string | null;
  readonly messages: readonly Message[];
  readonly prefix: CachePrefix;
  readonly notes: readonly ExportNote[];
}

/** The user's line where a provider wants one first. */
export const OPENING = '[what was said before is not part of this request]';

/**
 * Tokens of the frame and of the messages that later entries cannot change.
 *
 * @param outgoing with the notes of the provider's form: thinking that they leave out is not counted.
 */
export function prefixTokens(
  frame: string | null,
  { messages, settled, notes }: Outgoing,
  counter: TokenCounter,
): number {
  const leftOut = new Set(
    notes.flatMap(({ reason, seq }) => (reason === 'thinking-left-out' ? [seq] : [])),
  );
  return messages
    .slice(0, settled)
    .map((message) => withoutThinking(message, leftOut))
    .reduce((sum, message) => sum + messageTokens(message, counter), frameTokens(frame, counter));
}

function withoutThinking(
  message: OutgoingMessage,
  leftOut: ReadonlySet<number | null>,
): OutgoingMessage {
  const isSent = (part: OutgoingPart): boolean =>
    part.part !== 'thinking' || !leftOut.has(part.entry.seq);
  return { ...message, parts: message.parts.filter(isSent) };
}

function frameTokens(frame: string | null, counter: TokenCounter): number {
  return frame === null ? 0 : counter.count(frame) + MESSAGE_OVERHEAD_TOKENS;
}

function messageTokens(message: OutgoingMessage, counter: TokenCounter): number {
  const parts = message.parts.reduce((sum, part) => sum + partTokens(part, counter), 0);
  const results = message.speaker === 'assistant' ? message.results : [];
  const isEmpty = message.parts.length === 0 && results.length === 0;
  return (
    parts +
    results.reduce((sum, result) => sum + resultTokens(result, counter), 0) +
    (isEmpty ? 0 : MESSAGE_OVERHEAD_TOKENS * (1 + results.length))
  );
}

function partTokens(part: OutgoingPart, counter: TokenCounter): number {
  switch (part.part) {
    case 'text':
    case 'thinking':
      return counter.count(part.text);
    case 'call':
      return counter.count(`${part.call.toolName} ${JSON.stringify(part.call.arguments)}`);
    case 'media':
      return part.entry.tokenCount;
  }
}

function resultTokens({ text, media }: OutgoingResult, counter: TokenCounter): number {
  return media.reduce((sum, { tokenCount }) => sum + tokenCount, counter.count(text));
}
