/** Tokens of media by kind and size, never by encoded length (specification of sessions, §3). */
import type { AttachmentEntry } from './transcript.js';

/** The port: tokens that a medium costs. Replaceable as a whole. */
export type MediaPrices = (
  medium: Pick<AttachmentEntry, 'mediaKind' | 'mediaType' | 'bytes'>,
) => number;

/** What is taken where size, pages and length are not known, as in the formats read so far. */
const UNKNOWN_SIZE: Readonly<Record<AttachmentEntry['mediaKind'], number>> = {
  image: 1_500,
  pdf: 2_000,
  audio: 1_920,
  video: 18_000,
  file: 500,
};

export const mediaPrices: MediaPrices = ({ mediaKind }) => UNKNOWN_SIZE[mediaKind];
