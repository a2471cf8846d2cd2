/** What of a record's `toolUseResult` the artifact trail needs; the rest repeats the result's text. */
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';

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
 * The field `detail` of a result entry, or none.
 *
 * @param directory where the command of the call started, or null.
 */
export function trailDetail(
  detail: unknown,
  directory: string | null,
): { readonly detail?: JsonObject } {
  const taken = {
    ...(isJsonObject(detail) && takenFields(detail)),
    ...(directory !== null && { cwd: directory }),
  };
  return Object.keys(taken).length === 0 ? {} : { detail: taken };
}

function takenFields(detail: JsonObject): JsonObject {
  const kept = Object.fromEntries(
    FIELDS.flatMap((name) => {
      const value = detail[name];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
  const { file, task } = detail;
  const lines = isJsonObject(file) && typeof file['startLine'] === 'number' ? file : null;
  return {
    ...kept,
    ...(lines !== null && {
      file: {
        startLine: lines['startLine'] ?? null,
        numLines: lines['numLines'] ?? null,
        totalLines: lines['totalLines'] ?? null,
      },
    }),
    ...(isJsonObject(task) && { task: { id: task['id'] ?? null } }),
  };
}
