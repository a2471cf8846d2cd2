/** Fields of a vendor's record, read without trusting their types. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';

/** Levels of a record that are accepted; vendors need fewer than twenty. */
const MAX_NESTING = 500;

/** A text, also an empty one. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A text that can name something. */
export function nameOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** An ISO 8601 time as the vendor wrote it, or seconds or milliseconds since 1970 as one; else null. */
export function timeOf(value: unknown): string | null {
  if (typeof value === 'string') return Number.isNaN(Date.parse(value)) ? null : value;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return null;
  const time = new Date(value < FIRST_MILLISECONDS ? value * 1_000 : value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** In seconds the year 5138, in milliseconds 1973: no transcript is on the other side. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Arguments as a vendor writes them: JSON in a text, JSON itself, or a text that is no JSON. */
export function argumentsOf(value: unknown): JsonValue {
  if (typeof value !== 'string') return (value ?? {}) as JsonValue;
  const parsed = value.trim() === '' ? {} : parseJson(value);
  return isJsonObject(parsed) || Array.isArray(parsed) ? parsed : value;
}

/** The text of arguments where writing them again would give another; null: it would not. */
export function asWritten(written: unknown, value: JsonValue): JsonObject | null {
  if (typeof written !== 'string' || value === written) return null;
  return JSON.stringify(value) === written ? null : { arguments_text: written };
}

export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Values nested so deep that writing them out exceeds the stack; the parser itself reads them. */
export function isNestedTooDeep(record: JsonValue): boolean {
  return exceeds(record, MAX_NESTING);
}

function exceeds(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).some((part) => exceeds(part, levels - 1));
  }
  const object = value as JsonObject;
  for (const name in object) {
    const part = object[name];
    if (typeof part === 'object' && exceeds(part, levels - 1)) return true;
  }
  return false;
}
