/**
 * Oversized items: a text above the limit is shown as head and tail, with its size and a handle to
 * the whole. The entry keeps its kind, ids and place, so its unit keeps its shape. Equal entries and
 * equal lengths give equal previews: what is stored of the decision is the length alone.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { isJsonObject, type JsonValue } from '../../redaction/json-value.js';
import { boundaryBefore } from '../cut-text.js';
import type { StoredEntry } from '../stored-entry.js';

/** Arguments nested deeper than this are shown as text: previews must not exhaust the stack. */
const MAX_NESTING = 500;

/** Arguments longer than so many previews, after each text was shortened, are shown as one text. */
const WHOLE_FACTOR = 4;

/** The handle that `expand` resolves to the whole entry. */
export function entryHandle(seq: number): string {
  return `entry:${seq}`;
}

/**
 * The entry as requests show it. Media have no text and stay as they are.
 *
 * @param previewCharacters UTF-16 units of head and tail together, ≥ 2.
 */
export function previewEntry<Entry extends StoredEntry>(
  entry: Entry,
  previewCharacters: number,
): Entry {
  if (entry.kind === 'attachment') return entry;
  const handle = entryHandle(entry.seq);
  if (entry.kind !== 'tool_call') {
    const content = previewText(entry.content, previewCharacters, handle, entry.tokenCount);
    // What a vendor sealed belongs to the whole text.
    return content === entry.content ? entry : { ...entry, content, vendor: {} };
  }
  return {
    ...entry,
    vendor: {},
    content: previewText(entry.content, previewCharacters, handle, entry.tokenCount),
    arguments: previewArguments(entry.arguments, previewCharacters, handle, entry.tokenCount),
  };
}

/** Tokens of what requests show in place of the entry. */
export function previewTokens(
  entry: StoredEntry,
  previewCharacters: number,
  counter: TokenCounter,
): number {
  const shown = previewEntry(entry, previewCharacters);
  if (shown.kind !== 'tool_call') return counter.count(shown.content);
  const { toolName, arguments: given } = shown;
  return counter.count(`${toolName} ${typeof given === 'string' ? given : JSON.stringify(given)}`);
}

/**
 * Head and tail of a text, cut between grapheme clusters. A text that would not become shorter is
 * returned as it is.
 *
 * @param wholeTokens size of the whole, named in the marker.
 */
export function previewText(
  text: string,
  previewCharacters: number,
  handle: string,
  wholeTokens: number,
): string {
  if (text.length <= previewCharacters) return text;
  const half = Math.floor(previewCharacters / 2);
  const headEnd = boundaryBefore(text, half);
  const tailStart = Math.max(headEnd, boundaryBefore(text, text.length - half));
  const leftOut = tailStart - headEnd;
  const marker = `[${leftOut} of ${text.length} characters left out here, ${wholeTokens} tokens in all; the whole: ${handle}]`;
  const preview = `${text.slice(0, headEnd)}\n${marker}\n${text.slice(tailStart)}`;
  return preview.length < text.length ? preview : text;
}

/** Long texts among the arguments are shortened one by one; many short ones as a whole. */
function previewArguments(
  value: JsonValue,
  previewCharacters: number,
  handle: string,
  wholeTokens: number,
): JsonValue {
  if (typeof value === 'string') return previewText(value, previewCharacters, handle, wholeTokens);
  const shortened = shortenTexts(value, previewCharacters, handle, wholeTokens, 0);
  const written = JSON.stringify(shortened);
  if (written.length <= WHOLE_FACTOR * previewCharacters) return shortened;
  const preview = previewText(written, previewCharacters, handle, wholeTokens);
  return preview === written ? shortened : { preview };
}

function shortenTexts(
  value: JsonValue,
  previewCharacters: number,
  handle: string,
  wholeTokens: number,
  depth: number,
): JsonValue {
  if (depth > MAX_NESTING) return `[nested too deeply; the whole: ${handle}]`;
  const shorten = (inner: JsonValue): JsonValue =>
    shortenTexts(inner, previewCharacters, handle, wholeTokens, depth + 1);
  if (typeof value === 'string') return previewText(value, previewCharacters, handle, wholeTokens);
  if (Array.isArray(value)) return value.map((inner: JsonValue) => shorten(inner));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}
