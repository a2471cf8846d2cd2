/** The parts of messages before they take a provider's form. */
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import { entryHandle } from '../pass/oversized.js';
import type { EntryPlace } from '../stored-entry.js';
import type { AttachmentEntry } from '../transcript.js';
import type { ExportEntry } from './outgoing-context.js';

export type ExportAttachment = AttachmentEntry & EntryPlace;

export interface OutgoingCall {
  /** Unique in the export. */
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: JsonValue;
  readonly seq: number;
  /** What the call's reader kept for an export to the same vendor. */
  readonly vendor: JsonObject;
}

export interface OutgoingResult {
  readonly callId: string;
  readonly toolName: string;
  /** May be empty. */
  readonly text: string;
  readonly isError: boolean;
  readonly media: readonly ExportAttachment[];
}

export type OutgoingPart =
  | {
      readonly part: 'text';
      readonly text: string;
      readonly seq: number | null;
      /** What the text's reader kept for an export to the same vendor; absent: nothing. */
      readonly vendor?: JsonObject;
    }
  | { readonly part: 'media'; readonly entry: ExportAttachment }
  | { readonly part: 'thinking'; readonly text: string; readonly entry: ExportEntry }
  | { readonly part: 'call'; readonly call: OutgoingCall };

/** The bytes of a medium in base64, or null where they are not kept. */
export type MediaBytes = (entry: ExportAttachment) => string | null;

/** Providers refuse blocks of text without any visible character. */
export function isVisible(text: string): boolean {
  return text.trim() !== '';
}

/** What stands for a medium whose bytes do not go out. */
export function mediaLine({ mediaKind, mediaType, bytes, seq }: ExportAttachment): string {
  const size = bytes === null ? null : `${bytes} bytes`;
  const words = [mediaKind, mediaType, size, entryHandle(seq)].filter((word) => word !== null);
  return `[${words.join(', ')}]`;
}
