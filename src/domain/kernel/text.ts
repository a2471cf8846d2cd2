/** What a stored text must be: Postgres holds no U+0000, and a lone surrogate would be changed silently. */
import { type ErrorCode, OssatureError } from './errors.js';

/** Why the text cannot be stored word for word, or null when it can. */
export function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'contains U+0000, which the store cannot hold';
  if (!isWellFormed(text)) return 'contains a lone surrogate, so it is not well-formed Unicode';
  return null;
}

/** The value as a non-blank, storable text, or an error naming the field. */
export function requireText(
  value: unknown,
  field: string,
  options: { readonly code?: ErrorCode; readonly maxLength?: number } = {},
): string {
  const { code = 'INVALID_INPUT', maxLength = Number.MAX_SAFE_INTEGER } = options;
  const fault = faultOf(value, maxLength);
  if (fault === null) return value as string;
  throw new OssatureError(code, `${field} ${fault}.`, { details: { field } });
}

function faultOf(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return `must be a text, got ${typeof value}`;
  if (value.trim() === '') return 'must not be empty';
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  return textFault(value);
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** Why a value cannot be stored as JSON: it is none, or a text or key in it has a fault; else null. */
export function jsonFault(value: unknown): string | null {
  let fault: string | null = null;
  try {
    JSON.stringify(value, (key, member: unknown) => {
      fault ??= textFault(key) ?? (typeof member === 'string' ? textFault(member) : null);
      return member;
    });
  } catch {
    return 'cannot be written as JSON';
  }
  return fault;
}
