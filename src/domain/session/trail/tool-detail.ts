/**
 * What a vendor says about a result beside its text, brought down to facts: states, counts, hashes.
 * The contents themselves are gone afterwards, so that it may be stored with the entry and the trail
 * can be built from it again.
 */
import type { Digest } from '../../kernel/measures.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../redaction/json-value.js';
import { countHunkLines, type PatchHunk } from './apply-patch.js';
import { anyText, integerField, objectsField, textField, textsField } from './call-arguments.js';
import { applyEdits, lineChange, type TextEdit } from './line-changes.js';
import { declaredSymbols } from './symbols.js';

/** Marks a detail that is condensed already. */
const CONDENSED = 'condensed';

/** Fields that are facts as they stand. */
const KEPT = [
  'interrupted',
  'backgroundTaskId',
  'shellId',
  'shell_id',
  'status',
  'exitCode',
  'exit_code',
  'taskId',
  'agentId',
  'success',
  'cwd',
];

/**
 * @param detail cleaned; condensing a condensed detail gives the same again.
 */
export function condenseDetail(detail: JsonValue | undefined, digest: Digest): JsonObject {
  if (!isJsonObject(detail)) return {};
  if (detail[CONDENSED] === true) return detail;
  const kept = Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = detail[name];
      return value === undefined || value === null || typeof value === 'object'
        ? []
        : [[name, value]];
    }),
  );
  const task = detail['task'];
  return {
    ...kept,
    ...(isJsonObject(task) && { taskId: textField(task, 'id') ?? '' }),
    ...readLines(detail['file']),
    ...fileChange(detail, digest),
    ...(isJsonObject(detail['changes']) && { changes: patchedFiles(detail['changes'], digest) }),
    [CONDENSED]: true,
  };
}

function readLines(file: JsonValue | undefined): JsonObject {
  if (!isJsonObject(file)) return {};
  const start = integerField(file, 'startLine');
  const lines = integerField(file, 'numLines');
  const total = integerField(file, 'totalLines');
  return start === null || lines === null || total === null ? {} : { start, lines, total };
}

/** An edit or a write: its hunks, and hashes where the vendor gives the content before it. */
function fileChange(detail: JsonObject, digest: Digest): JsonObject {
  const path = textField(detail, 'filePath');
  if (path === null) return {};
  const outcome = OUTCOMES[textField(detail, 'type') ?? ''];
  const before = anyText(detail, 'originalFile') ?? anyText(detail, 'originalFileContents');
  const edits = editsOf(detail);
  const after =
    edits.length > 0 && before !== null && detail['userModified'] !== true
      ? applyEdits(before, edits)
      : null;
  const hunks = objectsField(detail, 'structuredPatch').map((hunk) => ({
    lines: textsField(hunk, 'lines'),
  }));
  return {
    ...(outcome !== undefined && { outcome }),
    ...(before !== null && outcome !== 'created' && { hashBefore: digest(before) }),
    ...(after !== null && { hashAfter: digest(after) }),
    ...(hunks.length > 0 && hunkFacts(path, hunks)),
  };
}

const OUTCOMES: Readonly<Record<string, string>> = { create: 'created', update: 'modified' };

function editsOf(detail: JsonObject): readonly TextEdit[] {
  const many = objectsField(detail, 'edits');
  const edits = many.length > 0 ? many : [detail];
  return edits.flatMap((edit) => {
    const oldText = anyText(edit, 'oldString') ?? anyText(edit, 'old_string');
    const newText = anyText(edit, 'newString') ?? anyText(edit, 'new_string');
    const everywhere = edit['replaceAll'] === true || edit['replace_all'] === true;
    return oldText === null || newText === null ? [] : [{ oldText, newText, everywhere }];
  });
}

function hunkFacts(path: string, hunks: readonly Pick<PatchHunk, 'lines'>[]): JsonObject {
  const lines = hunks.flatMap((hunk) => hunk.lines.map((line) => line.slice(1)));
  return {
    ...countHunkLines(hunks),
    hunks: hunks.length,
    symbols: declaredSymbols(path, lines),
  };
}

/** Codex reports an applied patch as one change per path. */
function patchedFiles(changes: JsonObject, digest: Digest): JsonObject {
  return Object.fromEntries(
    Object.entries(changes).flatMap(([path, change]) => {
      if (!isJsonObject(change)) return [];
      const type = textField(change, 'type') ?? Object.keys(change)[0] ?? '';
      const inner = isJsonObject(change[type]) ? change[type] : change;
      const content = anyText(inner, 'content');
      const diff = anyText(inner, 'unified_diff');
      const movedTo = textField(inner, 'move_path');
      return [
        [
          path,
          {
            type,
            ...(movedTo !== null && { movedTo }),
            ...(content !== null && type === 'add' && addedFile(path, content, digest)),
            ...(content !== null &&
              type === 'delete' && { ...lineChange(content, ''), hashBefore: digest(content) }),
            ...(diff !== null && hunkFacts(movedTo ?? path, unifiedHunks(diff))),
          },
        ],
      ];
    }),
  );
}

function addedFile(path: string, content: string, digest: Digest): JsonObject {
  return {
    ...lineChange('', content),
    hashAfter: digest(content),
    symbols: declaredSymbols(path, content.split('\n')),
  };
}

function unifiedHunks(diff: string): readonly Pick<PatchHunk, 'lines'>[] {
  const hunks: { lines: string[] }[] = [];
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) hunks.push({ lines: [] });
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}
