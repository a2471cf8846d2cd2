/**
 * The form that a message had in its source, kept beside its entries so that an export back to the
 * same vendor writes it again. Texts and bytes stay where they are: a form names places and fields.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../redaction/json-value.js';

export type SourceFormat = 'anthropic' | 'openai-chat' | 'openai-responses' | 'langchain';

/** A number: a text of so many pieces between separators. A name: the next entry of that kind. */
export type SourcePlace = number | 'media' | 'thinking' | 'call' | 'harness';

export interface SourceForm {
  readonly of: SourceFormat;
  /** Of the message, where an export would write another. */
  readonly role?: string;
  /** Whether the content was one text or a list of parts, where an export would write the other. */
  readonly content?: 'text' | 'list' | undefined;
  /** The parts in their order; absent: one text, then media. */
  readonly places?: readonly SourcePlace[];
  /** Further fields of the message as the vendor names them. */
  readonly fields?: JsonObject;
}

/** Member of `vendor` that holds the form of the message which begins with the entry. */
const FORM = 'message';

/** In a medium's block: where its bytes go, with the text that stands before them. */
export const DATA_PLACE = 'stored_data';

/** What stands between the texts of one message in an entry's content. */
export const PARAGRAPH = '\n\n';

/** @returns what the entry keeps; null where the form says nothing that an export would not write anyhow. */
export function formVendor(form: SourceForm): JsonObject | null {
  const told = Object.entries(form).filter(([name, value]) => {
    const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
    return name !== 'of' && value !== undefined && !isEmpty;
  });
  if (told.length === 0) return null;
  return { [FORM]: { of: form.of, ...Object.fromEntries(told) } };
}

/** @returns the form of the first entry that keeps one, or null. */
export function formOf(
  entries: readonly { readonly vendor?: JsonObject }[],
  of?: SourceFormat,
): SourceForm | null {
  for (const { vendor } of entries) {
    const form = vendor?.[FORM];
    if (!isJsonObject(form)) continue;
    return of === undefined || form['of'] === of ? readForm(form) : null;
  }
  return null;
}

/** Rows of a store are read without trust: what has another shape counts as absent. */
function readForm({ of, role, content, places, fields }: JsonObject): SourceForm {
  const isList = Array.isArray(places);
  return {
    of: of as SourceFormat,
    ...(typeof role === 'string' && { role }),
    ...((content === 'text' || content === 'list') && { content }),
    ...(isList && { places: (places as readonly JsonValue[]).filter(isPlace) }),
    ...(isJsonObject(fields) && { fields }),
  };
}

function isPlace(value: JsonValue): value is SourcePlace {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value > 0;
  return isCount || ['media', 'thinking', 'call', 'harness'].includes(value as string);
}

/** The place of a text in the content that joins it with others. */
export function textPlace(text: string, separator = PARAGRAPH): number {
  return text.split(separator).length;
}

/**
 * A content as the texts it was joined from; one text where it does not hold as many pieces as they
 * had, as after a cut or where redaction took a separator away.
 */
export function partContent(
  content: string,
  places: readonly SourcePlace[],
  separator = PARAGRAPH,
): readonly string[] {
  const counts = places.filter((place) => typeof place === 'number');
  const pieces = content.split(separator);
  if (counts.reduce((sum, count) => sum + count, 0) !== pieces.length) return [content];
  let from = 0;
  return counts.map((count) => {
    from += count;
    return pieces.slice(from - count, from).join(separator);
  });
}
