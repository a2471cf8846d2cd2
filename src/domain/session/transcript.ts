/**
 * Transcript entries as a reader hands them over: vendor-neutral, in the order of the source, not
 * yet redacted. What belongs together is said by keys, not by position.
 */
import type { JsonObject, JsonValue } from '../redaction/json-value.js';

/** `harness` is text that a program put into a user record: reminders, command echoes, notices. */
export type EntryAuthor = 'human' | 'agent' | 'tool' | 'system' | 'harness';

export type MediaKind = 'image' | 'pdf' | 'audio' | 'video' | 'file';

/** What a call does to artifacts, as far as its words tell. */
export type ToolEffect = 'changes' | 'reads' | 'other';

export interface Answer {
  readonly question: string;
  readonly answer: string;
  readonly notTaken: readonly string[];
}

/** What a person decided through the result of a call. */
export type Ruling =
  | { readonly ruling: 'plan-approved'; readonly plan: string; readonly remark: string | null }
  | { readonly ruling: 'plan-sent-back'; readonly remark: string | null }
  | { readonly ruling: 'answered'; readonly answers: readonly Answer[] };

interface EntryCommon {
  /** Identity in the source, unique in the session. */
  readonly sourceKey: string;
  readonly author: EntryAuthor;
  /** Text of the entry; empty for calls, whose text is their arguments. */
  readonly content: string;
  /** As the source gives it, an ISO 8601 time, or null. Never used for order. */
  readonly occurredAt: string | null;
  /** False on a branch that was rewound. */
  readonly active: boolean;
  /** Entries of one message of the provider share it; null: a message by itself. */
  readonly messageKey: string | null;
  /** That wrote it; absent where the source does not say. */
  readonly model?: string;
  /** What an export back to the same vendor needs beside the text, such as a signature; absent: nothing. */
  readonly vendor?: JsonObject;
}

export interface TextEntry extends EntryCommon {
  readonly kind: 'user' | 'assistant' | 'thinking';
  /** Of the assistant: why its message ended, as the provider says; absent where it does not. */
  readonly finishReason?: string;
}

export interface ToolCallEntry extends EntryCommon {
  readonly kind: 'tool_call';
  readonly callId: string;
  readonly toolName: string;
  /** JSON, or the raw string where it does not parse. */
  readonly arguments: JsonValue;
  readonly effect: ToolEffect;
  /** Set when the call starts a sub-agent. */
  readonly spawn: { readonly brief: string; readonly agentName: string } | null;
}

export interface ToolResultEntry extends EntryCommon {
  readonly kind: 'tool_result';
  readonly callId: string;
  readonly isError: boolean;
  readonly exitCode: number | null;
  readonly ruling: Ruling | null;
  /** What the vendor says about the result beside its text, for the trail alone; never counted. */
  readonly detail?: JsonValue;
}

export interface SystemEntry extends EntryCommon {
  readonly kind: 'system';
  /** True for a vendor's compaction mark. */
  readonly boundary: boolean;
}

export interface SummaryEntry extends EntryCommon {
  readonly kind: 'summary';
  readonly origin: 'vendor';
}

export interface AttachmentEntry extends EntryCommon {
  readonly kind: 'attachment';
  readonly mediaKind: MediaKind;
  readonly mediaType: string | null;
  readonly bytes: number | null;
  /** Pixels, pages and milliseconds; absent where the source and the bytes do not tell. */
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  readonly durationMs?: number;
  /** The bytes in base64, on their way to the store; absent in an entry of the store. */
  readonly data?: string;
  /** SHA-256 of the base64 text of the bytes that the store keeps; absent: the description alone. */
  readonly mediaHash?: string;
  /** The call whose result holds it, or null. */
  readonly callId: string | null;
}

export type TranscriptEntry =
  TextEntry | ToolCallEntry | ToolResultEntry | SystemEntry | SummaryEntry | AttachmentEntry;

export function isHumanPrompt({ kind, author }: Pick<TranscriptEntry, 'kind' | 'author'>): boolean {
  return kind === 'user' && author === 'human';
}
