/** What of a record's `toolUseResult` the artifact trail needs; the rest repeats the result's text. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';

const FIELDS = [
  'type',
  'filePath',
  'originalFile',
  'originalFileContents',
  'structuredPatch',
  'oldString',
  'newString',
  'replaceAll',
  'edits',
  'userModified',
  'interrupted',
  'backgroundTaskId',
  'shellId',
  'status',
  'exitCode',
  'success',
  'taskId',
  'agentId',
];

/**
 * What is kept of the detail, or null.
 *
 * @param directory where the command of the call started, or null.
 */
export function trailDetail(detail: unknown, directory: string | null): JsonObject | null {
  const taken: Record<string, JsonValue> = {};
  if (isJsonObject(detail)) takeFields(detail, taken);
  if (directory !== null) taken['cwd'] = directory;
  for (const _name in taken) return taken;
  return null;
}

function takeFields(detail: JsonObject, taken: Record<string, JsonValue>): void {
  for (const name of FIELDS) {
    const value = detail[name];
    if (value !== undefined && value !== null) taken[name] = value;
  }
  const { file, task } = detail;
  if (isJsonObject(file) && typeof file['startLine'] === 'number') {
    taken['file'] = {
      startLine: file['startLine'],
      numLines: file['numLines'] ?? null,
      totalLines: file['totalLines'] ?? null,
    };
  }
  if (isJsonObject(task)) taken['task'] = { id: task['id'] ?? null };
}
