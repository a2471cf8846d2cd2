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
 * @param entry cleaned; of one in which nothing is cleaned the print is the same before.
 * @param contentHash where it is at hand.
 */
export function entryPrint(
  entry: TranscriptEntry,
  digest: Digest,
  contentHash = digest(entry.content),
): string {
  const { content } = entry;
  const hash = content.includes(PLACEHOLDER_START) ? digest(withoutDigits(content)) : contentHash;
  const said: unknown[] = [entry.kind, hash];
  if (entry.kind === 'tool_call') said.push(entry.callId, entry.toolName, entry.arguments);
  if (entry.kind === 'tool_result') said.push(entry.callId, entry.isError);
  if (entry.kind === 'attachment') said.push(entry.callId, entry.mediaType, entry.bytes);
  return digest(withoutDigits(JSON.stringify(said)));
}

const PLACEHOLDER_START = '[redacted:';

function withoutDigits(text: string): string {
  return text.includes(PLACEHOLDER_START) ? text.replaceAll(PLACEHOLDER_DIGITS, '$1]') : text;
}

/** UTF-16 units of a digest that a new key carries. */
const KEY_DIGITS = 12;

/** The key of an entry whose own key is held by other content: equal for equal content. */
export function keyOfOther(sourceKey: string, print: string): string {
  return `${sourceKey}~${print.slice(0, KEY_DIGITS)}`;
}
