/** Bytes of media on their way from an entry to the store, which keeps them apart from texts. */
import type { SessionEntry } from './session.js';
import type { TranscriptEntry } from './transcript.js';

export interface StoredMedium {
  /** SHA-256 of `data`. */
  readonly mediaHash: string;
  /** Base64. */
  readonly data: string;
}

/** Bytes of a medium above which its description alone is kept (specification of sessions, §2). */
export const MAX_ATTACHMENT_BYTES = 20 * 1024 * 1024;

/** The entry without its bytes: what is stored in its row, or what is described. */
export function withoutBytes<Entry extends TranscriptEntry>(entry: Entry): Entry {
  if (entry.kind !== 'attachment' || entry.data === undefined) return entry;
  const { data: _data, ...rest } = entry;
  return rest as Entry;
}

/** What the store takes of new entries: rows without bytes, and each medium once. */
export function partMedia(entries: readonly SessionEntry[]): {
  readonly entries: readonly SessionEntry[];
  readonly media: readonly StoredMedium[];
} {
  const media = new Map<string, StoredMedium>();
  for (const entry of entries) {
    if (entry.kind !== 'attachment') continue;
    const { data, mediaHash } = entry;
    if (data !== undefined && mediaHash !== undefined) media.set(mediaHash, { mediaHash, data });
  }
  if (!entries.some((entry) => entry.kind === 'attachment' && entry.data !== undefined)) {
    return { entries, media: [] };
  }
  return { entries: entries.map(withoutBytes), media: [...media.values()] };
}
