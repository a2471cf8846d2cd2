/** The size of a medium, read off its first bytes; what cannot be told is left out. */
import type { AttachmentEntry } from '../../domain/session/transcript.js';

export type MediaSize = Pick<AttachmentEntry, 'width' | 'height' | 'pages'>;

/** Characters of base64 that are looked at for the size of a picture; metadata may stand before it. */
const HEAD_LENGTH = 512 * 1024;

/** Characters of base64 of a document in which pages are counted. */
const DOCUMENT_LENGTH = 8 * 1024 * 1024;

/** @param data base64. */
export function mediaSize(data: string, mediaType: string | null): MediaSize {
  if (mediaType === 'application/pdf') return pagesOf(data);
  if (mediaType !== null && !mediaType.startsWith('image/')) return {};
  const bytes = Buffer.from(data.slice(0, HEAD_LENGTH), 'base64');
  return pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes) ?? {};
}

/** Null where the numbers cannot be those of a picture. */
function sized(width: number, height: number): MediaSize | null {
  return width > 0 && height > 0 ? { width, height } : null;
}

function pngSize(bytes: Buffer): MediaSize | null {
  const isPng = bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47;
  return isPng ? sized(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) : null;
}

function gifSize(bytes: Buffer): MediaSize | null {
  const isGif = bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8';
  return isGif ? sized(bytes.readUInt16LE(6), bytes.readUInt16LE(8)) : null;
}

/** Its three forms (developers.google.com/speed/webp/docs/riff_container). */
function webpSize(bytes: Buffer): MediaSize | null {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return sized(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return sized(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return null;
  }
}

/** Markers that begin a frame; four of the range mean something else. */
const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);

function jpegSize(bytes: Buffer): MediaSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker)) {
      return sized(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** Pages that stand in the open; those inside compressed streams are not told. */
function pagesOf(data: string): MediaSize {
  if (data.length > DOCUMENT_LENGTH) return {};
  const text = Buffer.from(data, 'base64').toString('latin1');
  const pages = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return pages === 0 ? {} : { pages };
}
