/** Content of a message, which is a text or a list of blocks, as texts and media. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { type SourcePlace, textPlace } from '../../domain/session/source-form.js';
import { nameOf, textOf } from './json-fields.js';
import { type Medium, mediumOf } from './message-media.js';

export interface MessageParts {
  /** Blank ones are left out. */
  readonly texts: readonly string[];
  readonly media: readonly Medium[];
  /** Texts and media in their order, as places of a form. */
  readonly places: readonly SourcePlace[];
  /** The content was a list of blocks. */
  readonly isList: boolean;
}

const TEXT_FIELDS = ['text', 'refusal'];

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text', 'refusal', 'summary_text']);

/**
 * A block of an unknown type is kept as its JSON: nothing is dropped. Null: content of no known shape.
 *
 * @param separator between texts once they are joined; absent: a blank line.
 */
export function messageParts(
  content: JsonValue | undefined,
  separator?: string,
): MessageParts | null {
  if (content === undefined || content === null) return NO_PARTS;
  if (typeof content === 'string') {
    const texts = isVisible(content) ? [content] : [];
    return { ...NO_PARTS, texts, places: texts.map((text) => textPlace(text, separator)) };
  }
  const blocks = Array.isArray(content) ? (content as readonly JsonValue[]) : [content];
  if (!blocks.every((block) => typeof block === 'string' || isJsonObject(block))) return null;
  const texts: string[] = [];
  const media: Medium[] = [];
  const places: SourcePlace[] = [];
  for (const block of blocks) {
    const medium = isJsonObject(block) ? mediumOf(block) : null;
    if (medium !== null) {
      media.push(medium);
      places.push('media');
      continue;
    }
    const text = isJsonObject(block) ? blockText(block) : block;
    if (!isVisible(text)) continue;
    texts.push(text);
    places.push(textPlace(text, separator));
  }
  return { texts, media, places, isList: Array.isArray(content) };
}

export const NO_PARTS: MessageParts = { texts: [], media: [], places: [], isList: false };

function blockText(block: JsonObject): string {
  const type = nameOf(block['type']);
  const text = TEXT_FIELDS.map((name) => textOf(block[name])).find((value) => value !== null);
  if (text !== undefined && text !== null && (type === null || TEXT_TYPES.has(type))) return text;
  return JSON.stringify(block);
}

function isVisible(text: string): boolean {
  return text.trim() !== '';
}
