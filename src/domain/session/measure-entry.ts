/** An entry as it is stored: keys that fit, details brought down to facts, and its measures. */
import type { Digest, TokenCounter } from '../kernel/measures.js';
import type { TextCleaner } from '../redaction/text-cleaner.js';
import { makeWellFormed } from '../redaction/well-formed.js';
import type { MeasuredEntry } from './append-entries.js';
import { cleanEntry } from './clean-entry.js';
import { entryPrint } from './entry-print.js';
import type { MediaPrices } from './media-prices.js';
import { LONGEST_NAME } from './session.js';
import { withoutBytes } from './session-media.js';
import { condenseDetail } from './trail/tool-detail.js';
import type { TranscriptEntry } from './transcript.js';

export interface EntryMeasures {
  readonly cleaner: TextCleaner;
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly prices: MediaPrices;
  /** Bytes of a medium above which its description alone is kept. */
  readonly maxAttachmentBytes: number;
}

/** The entry with keys that the store can hold; the units of a transcript are told by these keys. */
export function withStorableKeys(entry: TranscriptEntry, digest: Digest): TranscriptEntry {
  const { sourceKey, messageKey, occurredAt } = entry;
  const common = {
    sourceKey: storableKey(sourceKey, digest),
    messageKey: messageKey === null ? null : storableKey(messageKey, digest),
    occurredAt: occurredAt === null ? null : makeWellFormed(occurredAt).text,
  };
  switch (entry.kind) {
    case 'tool_call':
    case 'tool_result':
      return { ...entry, ...common, callId: storableKey(entry.callId, digest) };
    case 'attachment':
      return {
        ...entry,
        ...common,
        callId: entry.callId === null ? null : storableKey(entry.callId, digest),
        mediaType: entry.mediaType === null ? null : makeWellFormed(entry.mediaType).text,
      };
    case 'user':
    case 'assistant':
    case 'thinking':
    case 'system':
    case 'summary':
      return { ...entry, ...common };
  }
}

/** Ids of a vendor are short; one that is not is known by its digest. */
export function storableKey(key: string, digest: Digest): string {
  const { text } = makeWellFormed(key);
  return text === '' || text.length > LONGEST_NAME ? digest(key) : text;
}

/** @param entry with storable keys, as it came otherwise. */
export function measureEntry(
  entry: TranscriptEntry,
  { unitId, entryId }: Pick<MeasuredEntry, 'unitId' | 'entryId'>,
  measures: EntryMeasures,
): MeasuredEntry {
  const { cleaner, digest } = measures;
  const kept = withKeptBytes(entry, measures);
  const clean = withCondensedDetail(cleanEntry(kept, cleaner), digest);
  const contentHash = digest(clean.content);
  return {
    entry: clean,
    entryId,
    unitId,
    entryPrint: entryPrint(clean, digest, contentHash),
    contentHash,
    tokenCount: tokensOf(clean, measures),
  };
}

function withKeptBytes(
  entry: TranscriptEntry,
  { digest, maxAttachmentBytes }: EntryMeasures,
): TranscriptEntry {
  if (entry.kind !== 'attachment' || entry.data === undefined) return entry;
  if ((entry.bytes ?? 0) > maxAttachmentBytes) return withoutBytes(entry);
  return { ...entry, mediaHash: digest(entry.data) };
}

function withCondensedDetail(entry: TranscriptEntry, digest: Digest): TranscriptEntry {
  if (entry.kind !== 'tool_result' || entry.detail === undefined) return entry;
  return { ...entry, detail: condenseDetail(entry.detail, digest) };
}

function tokensOf(entry: TranscriptEntry, { counter, prices }: EntryMeasures): number {
  return entry.kind === 'attachment' ? prices(entry) : entryTokens(entry, counter);
}

/** The text of a call is its name and its arguments. */
export function entryTokens(
  entry: Exclude<TranscriptEntry, { kind: 'attachment' }>,
  counter: TokenCounter,
): number {
  if (entry.kind !== 'tool_call') return counter.count(entry.content);
  const { arguments: given, toolName } = entry;
  return counter.count(`${toolName} ${typeof given === 'string' ? given : JSON.stringify(given)}`);
}
