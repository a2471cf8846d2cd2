/** What entries keep of the form of their message, where an export would write another. */
import type { JsonObject } from '../../domain/redaction/json-value.js';
import {
  formVendor,
  type SourceForm,
  type SourceFormat,
  type SourcePlace,
} from '../../domain/session/source-form.js';
import type { MessageParts } from './message-parts.js';

/** Formats whose messages are lists of parts also where there is one text alone. */
const WRITES_LISTS: ReadonlySet<SourceFormat> = new Set(['anthropic', 'openai-responses']);

/** @param rest what else differs: role, further fields. */
export function messageForm(
  of: SourceFormat,
  { places, isList }: Pick<MessageParts, 'places' | 'isList'>,
  rest: Omit<SourceForm, 'of' | 'content' | 'places'> = {},
): JsonObject | null {
  const isOneText = places.length <= 1 && typeof places[0] !== 'string';
  const content = places.length === 0 ? null : contentForm(of, isOneText, isList);
  return formVendor({
    of,
    ...rest,
    ...(content !== null && { content }),
    ...(!isUsual(places) && { places }),
  });
}

/** Anthropic's text is a short form of its list, and nothing depends on it. */
function contentForm(
  of: SourceFormat,
  isOneText: boolean,
  isList: boolean,
): 'text' | 'list' | null {
  if (of === 'anthropic' || !isOneText || isList === WRITES_LISTS.has(of)) return null;
  return isList ? 'list' : 'text';
}

/** How the entries of a message follow each other: a text, media, what a harness added. */
const USUAL = /^(?:text )?(?:media )*(?:harness )*$/;

function isUsual(places: readonly SourcePlace[]): boolean {
  const order = places.map((place) => `${typeof place === 'number' ? 'text' : place} `).join('');
  return USUAL.test(order);
}

/** The named fields that the record has, where they say something. */
export function fieldsOf(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = record[name];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}
