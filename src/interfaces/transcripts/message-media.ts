/** Media inside messages, as each vendor writes them. */
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import type { AttachmentEntry, MediaKind } from '../../domain/session/transcript.js';
import { DATA_PLACE } from '../../domain/session/source-form.js';
import { nameOf, objectOf } from './json-fields.js';
import { mediaSize } from './media-size.js';

export type Medium = Pick<
  AttachmentEntry,
  | 'kind'
  | 'content'
  | 'mediaKind'
  | 'mediaType'
  | 'bytes'
  | 'width'
  | 'height'
  | 'pages'
  | 'data'
  | 'vendor'
>;

const KINDS: Readonly<Record<string, MediaKind>> = {
  image: 'image',
  image_url: 'image',
  input_image: 'image',
  input_audio: 'audio',
  audio: 'audio',
  video: 'video',
  document: 'file',
  file: 'file',
  input_file: 'file',
  media: 'file',
};

/** Bytes that four characters of base64 stand for. */
const BASE64_BYTES = 3;

const DATA_URL = /^data:([^;,]*)[^,]{0,200},/;

/** The medium that a block of a message holds, or null where it is no medium. */
export function mediumOf(block: JsonObject): Medium | null {
  const kind = KINDS[nameOf(block['type']) ?? ''];
  if (kind === undefined) return null;
  const places = [
    block['source'],
    block['image_url'],
    block['input_audio'],
    block['file'],
    block,
  ].flatMap((place) =>
    isJsonObject(place) ? [place] : typeof place === 'string' ? [{ url: place }] : [],
  );
  const first = (...names: readonly string[]): string | null =>
    places.flatMap((place) => names.map((name) => nameOf(place[name]))).find(Boolean) ?? null;
  const given = first('data', 'base64', 'file_data', 'url', 'image_url', 'file_url');
  const dataUrl = given === null ? null : DATA_URL.exec(given);
  const isEncoded = dataUrl !== null || (given !== null && !/^[a-z][a-z0-9+.-]*:\/\//i.test(given));
  const length = (given?.length ?? 0) - (dataUrl?.[0].length ?? 0);
  const format = nameOf(objectOf(block['input_audio'])['format']);
  const mediaType =
    first('media_type', 'mime_type', 'mimeType') ??
    (dataUrl?.[1] || null) ??
    (format === null ? null : `audio/${format}`);
  return {
    kind: 'attachment',
    content: '',
    mediaKind: kindOf(kind, mediaType),
    mediaType,
    bytes: isEncoded ? Math.floor((length * BASE64_BYTES) / 4) : null,
    ...(isEncoded && given !== null && keptBytes(given.slice(dataUrl?.[0].length ?? 0), mediaType)),
    ...beside(block, given, isEncoded ? (dataUrl?.[0] ?? '') : null),
  };
}

/** Members that a block has where an export writes the same. */
const PLAIN = new Set([
  'type',
  'image_url',
  'image_url.url',
  'source',
  'source.type',
  'source.media_type',
  'source.data',
  'source.url',
]);

/**
 * The address of a medium, and its block where an export would write another: without the bytes,
 * which the store keeps apart.
 *
 * @param prefix of the encoded bytes in their text; null: there are none.
 */
function beside(
  block: JsonObject,
  given: string | null,
  prefix: string | null,
): { readonly vendor?: JsonObject } {
  const url = given !== null && prefix === null ? { url: given } : null;
  const members = Object.entries(block).flatMap(([name, value]) => [
    name,
    ...(isJsonObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : []),
  ]);
  const isPlain =
    members.every((name) => PLAIN.has(name)) && KINDS[nameOf(block['type']) ?? ''] !== 'file';
  const isUnreadable = prefix !== null && !BASE64.test((given ?? '').slice(prefix.length));
  if (isPlain || isUnreadable) return url === null ? {} : { vendor: url };
  const kept = given === null || prefix === null ? block : withoutData(block, given, prefix);
  return { vendor: { ...url, block: kept } };
}

function withoutData(value: JsonObject, data: string, prefix: string): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (member === data) return [name, { [DATA_PLACE]: prefix }];
      return [name, isJsonObject(member) ? withoutData(member, data, prefix) : member];
    }),
  );
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Bytes and size, where the text is base64 and not, say, the name of a file. */
function keptBytes(data: string, mediaType: string | null): Pick<Medium, 'data'> & Partial<Medium> {
  if (data.length % 4 !== 0 || !BASE64.test(data)) return {};
  return { data, ...mediaSize(data, mediaType) };
}

function kindOf(kind: MediaKind, mediaType: string | null): MediaKind {
  if (mediaType === 'application/pdf') return 'pdf';
  if (kind !== 'file') return kind;
  const [general = ''] = mediaType?.split('/') ?? [];
  return general === 'image' || general === 'audio' || general === 'video' ? general : 'file';
}
