/** Fields of arguments and details, narrowed. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../redaction/json-value.js';

/** The arguments as an object; a text that holds one is parsed. Null: neither. */
export function argumentsObject(value: JsonValue): JsonObject | null {
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** The first of the fields that is a text and not empty, or null. */
export function textField(value: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const field = value[name];
    if (typeof field === 'string' && field !== '') return field;
  }
  return null;
}

/** The text of a field, an empty one too, or null where it is no text. */
export function anyText(value: JsonObject, name: string): string | null {
  const field = value[name];
  return typeof field === 'string' ? field : null;
}

/** A whole number, also one written as text, or null. */
export function integerField(value: JsonObject, name: string): number | null {
  const field = value[name];
  const number = typeof field === 'string' && /^-?\d+$/.test(field) ? Number(field) : field;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

export function objectsField(value: JsonObject, name: string): readonly JsonObject[] {
  const field = value[name];
  return Array.isArray(field) ? (field as readonly JsonValue[]).filter(isJsonObject) : [];
}

export function textsField(value: JsonObject, name: string): readonly string[] {
  const field = value[name];
  return Array.isArray(field)
    ? (field as readonly JsonValue[]).filter((item) => typeof item === 'string')
    : [];
}
