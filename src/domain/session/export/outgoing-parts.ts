/** The parts of messages before they take a provider's form. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../redaction/json-value.js';
import { entryHandle } from '../pass/oversized.js';
import {
  DATA_PLACE,
  PARAGRAPH,
  partContent,
  type SourceForm,
  type SourcePlace,
} from '../source-form.js';
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
  /** Of the first result entry; null: none, or it says nothing. */
  readonly form: SourceForm | null;
  /** `seq` of the first result entry; null: there is none. */
  readonly seq: number | null;
}

export interface TextPart {
  readonly part: 'text';
  readonly text: string;
  readonly seq: number | null;
  /** What the text's reader kept for an export to the same vendor; absent: nothing. */
  readonly vendor?: JsonObject;
}

export type OutgoingPart =
  | TextPart
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

/** Texts and media of a message in the order of its source; without one, texts first. */
export function inSourceOrder(
  places: readonly SourcePlace[],
  content: { readonly text: string; readonly seq: number | null } | null,
  media: readonly ExportAttachment[],
  harness: readonly OutgoingPart[] = [],
  separator = PARAGRAPH,
): readonly OutgoingPart[] {
  const texts = (
    content === null || content.text === '' ? [] : partContent(content.text, places, separator)
  )
    .filter(isVisible)
    .map((text): OutgoingPart => ({ part: 'text', text, seq: content?.seq ?? null }));
  const open = {
    text: texts,
    media: media.map((entry): OutgoingPart => ({ part: 'media', entry })),
    harness: [...harness],
  };
  const placed = places.flatMap((place): readonly OutgoingPart[] => {
    const kind = typeof place === 'number' ? 'text' : place;
    return kind === 'text' || kind === 'media' || kind === 'harness' ? open[kind].splice(0, 1) : [];
  });
  return [...placed, ...open.text, ...open.media, ...open.harness];
}

/**
 * A medium's block as the vendor wrote it, of one of the types; null: another vendor's, none that is
 * kept, or its bytes are not.
 */
export function sourceBlock(
  entry: ExportAttachment,
  types: ReadonlySet<string>,
  mediaBytes: MediaBytes,
): JsonObject | null {
  const block = entry.vendor?.['block'];
  if (!isJsonObject(block) || !isOneOf(types, block['type']) || hasBlank(block)) return null;
  if (!holdsBytes(block)) return block;
  const data = mediaBytes(entry);
  return data === null || data === '' ? null : (withBytes(block, data) as JsonObject);
}

function isOneOf(names: ReadonlySet<string>, value: JsonValue | undefined): boolean {
  return typeof value === 'string' && names.has(value);
}

/** An address that was taken out, say: no provider takes it. */
function hasBlank(block: JsonObject): boolean {
  return Object.values(block).some((value) =>
    isJsonObject(value)
      ? !(DATA_PLACE in value) && hasBlank(value)
      : value === null || (typeof value === 'string' && !isVisible(value)),
  );
}

function holdsBytes(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  return DATA_PLACE in value || Object.values(value).some(holdsBytes);
}

function withBytes(value: JsonValue, data: string): JsonValue {
  if (!isJsonObject(value)) return value;
  const prefix = value[DATA_PLACE];
  if (typeof prefix === 'string') return prefix + data;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withBytes(member, data)]),
  );
}
