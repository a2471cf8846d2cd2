/** Arguments of a call in one form, so that equal requests are recognised as equal. */
import { isJsonObject, type JsonValue } from '../../redaction/json-value.js';

/** Names under which tools take paths. */
const PATH_NAMES = new Set([
  'path',
  'file_path',
  'filePath',
  'filename',
  'notebook_path',
  'old_path',
  'new_path',
]);

/** Names under which tools take the part of a file that they read. */
const RANGE_NAMES = new Set([
  'offset',
  'limit',
  'range',
  'view_range',
  'start_line',
  'end_line',
  'startLine',
  'endLine',
]);

/**
 * Keys sorted, paths as the trail writes them.
 *
 * @param hasRange the part of the file is compared apart from the text.
 */
export function normalArguments(
  value: JsonValue,
  normalizePath: (path: string) => string,
  hasRange: boolean,
): string {
  if (!isJsonObject(value)) return JSON.stringify(sorted(value));
  const members = Object.entries(value)
    .filter(([name]) => !hasRange || !RANGE_NAMES.has(name))
    .map(([name, member]): [string, JsonValue] => [
      name,
      typeof member === 'string' && PATH_NAMES.has(name) ? normalizePath(member) : member,
    ]);
  return JSON.stringify(sorted(Object.fromEntries(members)));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((inner: JsonValue) => sorted(inner));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
