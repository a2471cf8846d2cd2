/** What a caller who knows only JavaScript may hand over by mistake: nothing at all, or a field of another name. */
import { type ErrorCode, OssatureError } from './errors.js';

/** An object with no fields but these; a misspelt one would be ignored in silence. */
export function requireFields(
  value: unknown,
  what: string,
  fields: readonly string[],
  code: ErrorCode = 'INVALID_INPUT',
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OssatureError(code, `${what} must be an object with ${fields.join(', ')}.`, {
      details: { field: what },
    });
  }
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown === undefined) return;
  throw new OssatureError(
    code,
    `${what} has no field ${JSON.stringify(unknown)}. It has ${fields.join(', ')}.`,
    { details: { field: unknown } },
  );
}
