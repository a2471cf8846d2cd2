/** Tokens of media by kind and size, never by encoded length (specification of sessions, §3). */
import type { AttachmentEntry } from './transcript.js';

/** The port: tokens that a medium costs. Replaceable as a whole. */
export type MediaPrices = (
  medium: Pick<
    AttachmentEntry,
    'mediaKind' | 'mediaType' | 'bytes' | 'width' | 'height' | 'pages' | 'durationMs'
  >,
) => number;

/** What is taken where size, pages and length are not known. */
const UNKNOWN_SIZE: Readonly<Record<AttachmentEntry['mediaKind'], number>> = {
  image: 1_500,
  pdf: 2_000,
  audio: 1_920,
  video: 18_000,
  file: 500,
};

/** Pixels of an image for a token, and the least and the most that one costs. */
const PIXELS = 750;
const IMAGE_BOUNDS = { least: 85, most: 3_000 } as const;

const PDF_PAGE = 2_000;

/** Tokens of a second. */
const PER_SECOND = { audio: 32, video: 300 } as const;

const MILLISECONDS = 1_000;

export const mediaPrices: MediaPrices = ({ mediaKind, width, height, pages, durationMs }) => {
  switch (mediaKind) {
    case 'image': {
      if (width === undefined || height === undefined) break;
      const tokens = Math.ceil((width * height) / PIXELS);
      return Math.min(Math.max(tokens, IMAGE_BOUNDS.least), IMAGE_BOUNDS.most);
    }
    case 'pdf':
      if (pages === undefined) break;
      return pages * PDF_PAGE;
    case 'audio':
    case 'video':
      if (durationMs === undefined) break;
      return Math.ceil((durationMs * PER_SECOND[mediaKind]) / MILLISECONDS);
    case 'file':
      break;
  }
  return UNKNOWN_SIZE[mediaKind];
};
