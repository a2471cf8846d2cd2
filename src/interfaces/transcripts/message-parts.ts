/** Content of a message, which is a text or a list of blocks, as texts and media. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { nameOf, textOf } from './json-fields.js';
import { type Medium, mediumOf } from './message-media.js';

export interface MessageParts {
  /** Blank ones are left out. */
  readonly texts: readonly string[];
  readonly media: readonly Medium[];
}

const TEXT_FIELDS = ['text', 'refusal'];

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text', 'refusal', 'summary_text']);

/** A block of an unknown type is kept as its JSON: nothing is dropped. Null: content of no known shape. */
export function messageParts(content: JsonValue | undefined): MessageParts | null {
  if (content === undefined || content === null) return { texts: [], media: [] };
  if (typeof content === 'string') return { texts: visible([content]), media: [] };
  const blocks = Array.isArray(content) ? (content as readonly JsonValue[]) : [content];
  if (!blocks.every((block) => typeof block === 'string' || isJsonObject(block))) return null;
  const texts: string[] = [];
  const media: Medium[] = [];
  for (const block of blocks) {
    if (typeof block === 'string') texts.push(block);
    if (!isJsonObject(block)) continue;
    const medium = mediumOf(block);
    if (medium === null) texts.push(blockText(block));
    else media.push(medium);
  }
  return { texts: visible(texts), media };
}

function blockText(block: JsonObject): string {
  const type = nameOf(block['type']);
  const text = TEXT_FIELDS.map((name) => textOf(block[name])).find((value) => value !== null);
  if (text !== undefined && text !== null && (type === null || TEXT_TYPES.has(type))) return text;
  return JSON.stringify(block);
}

function visible(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.trim() !== '');
}
