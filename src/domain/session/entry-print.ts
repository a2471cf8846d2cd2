/** Which of two entries under one key are the same. */
import type { Digest } from '../kernel/measures.js';
import type { TranscriptEntry } from './transcript.js';

/** The digits of a placeholder depend on the key of redaction, which may change between two imports. */
const PLACEHOLDER_DIGITS = /(\[redacted:[a-z0-9-]{1,40}):[0-9a-f]{8}\]/g;

/**
 * Digest of what the source itself says: kind, text, call and its arguments, media. What our readers
 * conclude (authors, effects, rulings) is left out, so that a better reader does not take a known
 * entry for a new one.
 *
 * @param entry cleaned.
 */
export function entryPrint(entry: TranscriptEntry, digest: Digest): string {
  const said: unknown[] = [entry.kind, entry.content];
  if (entry.kind === 'tool_call') said.push(entry.callId, entry.toolName, entry.arguments);
  if (entry.kind === 'tool_result') said.push(entry.callId, entry.isError);
  if (entry.kind === 'attachment') said.push(entry.callId, entry.mediaType, entry.bytes);
  return digest(JSON.stringify(said).replaceAll(PLACEHOLDER_DIGITS, '$1]'));
}

/** UTF-16 units of a digest that a new key carries. */
const KEY_DIGITS = 12;

/** The key of an entry whose own key is held by other content: equal for equal content. */
export function keyOfOther(sourceKey: string, print: string): string {
  return `${sourceKey}~${print.slice(0, KEY_DIGITS)}`;
}
