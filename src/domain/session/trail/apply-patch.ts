/** The patch format of Codex: files added, updated, deleted and moved, told by marks at line starts. */

export interface PatchHunk {
  /** The text behind `@@`, such as the head of a class; empty where there is none. */
  readonly head: string;
  /** Lines with their marks: a blank, `+` or `-`. */
  readonly lines: readonly string[];
  /** The hunk ends the file. */
  readonly atEnd: boolean;
}

export type PatchedFile =
  | { readonly change: 'add'; readonly path: string; readonly content: string }
  | { readonly change: 'delete'; readonly path: string }
  | {
      readonly change: 'update';
      readonly path: string;
      readonly movedTo: string | null;
      readonly hunks: readonly PatchHunk[];
    };

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const FILE_MARK = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE_MARK = /^\*\*\* Move to: (.+)$/;
const END_OF_FILE = '*** End of File';

/** The files of the first patch found in the text, which may be wrapped in a shell's heredoc; null: none. */
export function parsePatch(text: string): readonly PatchedFile[] | null {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const begin = lines.findIndex((line) => line.trim() === BEGIN);
  if (begin === -1) return null;
  const files: PatchedFile[] = [];
  let at = begin + 1;
  while (at < lines.length && lines[at]?.trim() !== END) {
    const [, verb, path = ''] = FILE_MARK.exec(lines[at]?.trimEnd() ?? '') ?? [];
    at += 1;
    if (verb === undefined) continue;
    const start = at;
    while (at < lines.length && !isFileMark(lines[at] ?? '')) at += 1;
    files.push(patchedFile(verb, path.trim(), lines.slice(start, at)));
  }
  return files.length === 0 ? null : files;
}

function isFileMark(line: string): boolean {
  return line.trim() === END || FILE_MARK.test(line.trimEnd());
}

function patchedFile(verb: string, path: string, body: readonly string[]): PatchedFile {
  if (verb === 'Delete') return { change: 'delete', path };
  if (verb === 'Add') {
    const added = body.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
    return { change: 'add', path, content: added.map((line) => `${line}\n`).join('') };
  }
  const movedTo = MOVE_MARK.exec(body[0]?.trimEnd() ?? '')?.[1]?.trim() ?? null;
  return {
    change: 'update',
    path,
    movedTo,
    hunks: hunksOf(movedTo === null ? body : body.slice(1)),
  };
}

function hunksOf(body: readonly string[]): readonly PatchHunk[] {
  const hunks: { head: string; lines: string[]; atEnd: boolean }[] = [];
  for (const line of body) {
    if (line.startsWith('@@')) {
      hunks.push({ head: line.slice(2).trim(), lines: [], atEnd: false });
      continue;
    }
    if (hunks.length === 0) hunks.push({ head: '', lines: [], atEnd: false });
    const hunk = hunks.at(-1);
    if (line.trim() === END_OF_FILE) {
      if (hunk !== undefined) hunk.atEnd = true;
    } else hunk?.lines.push(line === '' ? ' ' : line);
  }
  return hunks.filter(({ head, lines }) => head !== '' || lines.some((line) => line !== ' '));
}

/** Lines added and removed over all hunks. */
export function countHunkLines(hunks: readonly Pick<PatchHunk, 'lines'>[]): {
  readonly linesAdded: number;
  readonly linesRemoved: number;
} {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    linesAdded: lines.filter((line) => line.startsWith('+')).length,
    linesRemoved: lines.filter((line) => line.startsWith('-')).length,
  };
}

/**
 * The content after an update, or null unless every hunk has exactly one place: a hash of a guess
 * would be worse than none.
 */
export function applyHunks(content: string, hunks: readonly PatchHunk[]): string | null {
  let lines: readonly string[] = content.split('\n');
  let from = 0;
  for (const { head, lines: marked, atEnd } of hunks) {
    const old = marked.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const fresh = marked.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    if (marked.length > 0 && old.length === 0) return null;
    if (head !== '') {
      const headAt = lines.findIndex((line, index) => index >= from && line.trim() === head);
      if (headAt === -1) return null;
      from = headAt;
    }
    if (marked.length === 0) continue;
    const places = placesOf(lines, old, from, atEnd);
    const [place] = places;
    if (place === undefined || places.length > 1) return null;
    lines = [...lines.slice(0, place), ...fresh, ...lines.slice(place + old.length)];
    from = place + fresh.length;
  }
  return lines.join('\n');
}

function placesOf(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
): readonly number[] {
  const places: number[] = [];
  // A final line end leaves one empty line behind the last.
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  for (let at = from; at + wanted.length <= lines.length; at += 1) {
    if (atEnd && at + wanted.length < end) continue;
    if (wanted.every((line, index) => lines[at + index] === line)) places.push(at);
    if (places.length > 1) break;
  }
  return places;
}
