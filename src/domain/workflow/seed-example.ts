/**
 * A seed example: a change that was made by hand, as a unified diff. What it shows is taken out and can
 * be cited: the files, the signatures before and after, and the order of the steps.
 */
import { OssatureError } from '../kernel/errors.js';
import { declaredSymbols } from '../session/trail/symbols.js';

export interface SeedFile {
  /** Such as `file-1`, as a source names it. */
  readonly part: string;
  readonly path: string;
  /** Of a rename; else null. */
  readonly oldPath: string | null;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

/** A declaration that the change made (`before` null), took away (`after` null), or altered. */
export interface SeedSignature {
  readonly part: string;
  readonly path: string;
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** One hunk, in the order of the diff. */
export interface SeedStep {
  readonly part: string;
  readonly path: string;
  /** First line in the new file; 0 where it is gone. */
  readonly line: number;
  /** What the diff says it stands in, such as a function's first line; null: it does not say. */
  readonly within: string | null;
  /** Subject of the commit it belongs to; null: the diff names none. */
  readonly commit: string | null;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface SeedExample {
  readonly files: readonly SeedFile[];
  readonly signatures: readonly SeedSignature[];
  readonly steps: readonly SeedStep[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

interface OpenFile {
  path: string;
  oldPath: string;
  renamed: boolean;
  readonly removed: string[];
  readonly added: string[];
}

/** @throws OssatureError INVALID_INPUT naming the line where it is no unified diff. */
export function readSeedExample(diff: string): SeedExample {
  const reader = new DiffReader();
  diff.split(/\r?\n/).forEach((line, index) => reader.take(line, index + 1));
  return reader.finish();
}

/** Every part that a source may name. */
export function seedParts({ files, signatures, steps }: SeedExample): readonly string[] {
  return [...files, ...signatures, ...steps].map(({ part }) => part);
}

/** What was taken out, as lines to read: steps in order, then files and signatures. */
export function renderSeedExample({ files, signatures, steps }: SeedExample): string {
  return [
    ...steps.map(
      ({ part, path, line, within, commit, linesAdded, linesRemoved }) =>
        `${part}: ${path}:${line} +${linesAdded} -${linesRemoved}${within === null ? '' : ` in ${within}`}${commit === null ? '' : ` (${commit})`}`,
    ),
    ...files.map(
      ({ part, path, oldPath, change, linesAdded, linesRemoved }) =>
        `${part}: ${change} ${oldPath === null ? '' : `${oldPath} → `}${path} +${linesAdded} -${linesRemoved}`,
    ),
    ...signatures.map(
      ({ part, path, name, before, after }) =>
        `${part}: ${name} in ${path}: ${before ?? '(none)'} → ${after ?? '(none)'}`,
    ),
  ].join('\n');
}

/** Line after line; inside a hunk its own counts say where it ends. */
class DiffReader {
  private readonly files: OpenFile[] = [];
  private readonly steps: { step: Omit<SeedStep, 'part' | 'path'>; file: OpenFile }[] = [];
  private file: OpenFile | null = null;
  private commit: string | null = null;
  private left = { old: 0, new: 0 };
  private lines = 0;

  take(line: string, number: number): void {
    this.lines = number;
    if (this.left.old > 0 || this.left.new > 0) return this.takeHunkLine(line, number);
    const hunk = HUNK.exec(line);
    if (hunk !== null) return this.takeHunk(hunk, number);
    this.takeHead(line);
  }

  finish(): SeedExample {
    if (this.left.old > 0 || this.left.new > 0) throw broken(this.lines, 'ends inside a hunk');
    if (this.files.length === 0) {
      throw broken(this.lines, 'is the last one, and no file was changed before it');
    }
    return {
      files: this.files.map((file, index) => ({ part: `file-${index + 1}`, ...changeOf(file) })),
      signatures: this.files
        .flatMap((file) => signaturesOf(file))
        .map((signature, index) => ({ part: `signature-${index + 1}`, ...signature })),
      steps: this.steps.map(({ step, file }, index) => ({
        part: `step-${index + 1}`,
        path: pathOf(file),
        ...step,
      })),
    };
  }

  private takeHead(line: string): void {
    const git = /^diff --git "?a\/(.+?)"? "?b\/(.+?)"?$/.exec(line);
    const subject = /^Subject: (?:\[PATCH[^\]]*\] )?(.+)$/.exec(line);
    if (git !== null) this.open(git[1] ?? '', git[2] ?? '');
    else if (subject !== null) this.commit = subject[1]?.trim() ?? null;
    else if (line.startsWith('rename from ') && this.file !== null) this.file.renamed = true;
    else if (line.startsWith('--- ')) {
      // Without git's line the old name begins a file.
      const hasHunk = this.steps.some(({ file }) => file === this.file);
      if (this.file === null || hasHunk) this.open('', '');
      if (this.file !== null) this.file.oldPath = namedIn(line);
    } else if (line.startsWith('+++ ') && this.file !== null) this.file.path = namedIn(line);
    else if (line.startsWith('new file mode') && this.file !== null)
      this.file.oldPath = '/dev/null';
    else if (line.startsWith('deleted file mode') && this.file !== null)
      this.file.path = '/dev/null';
  }

  private open(oldPath: string, path: string): void {
    this.file = { path, oldPath, renamed: false, removed: [], added: [] };
    this.files.push(this.file);
  }

  private takeHunk(hunk: RegExpExecArray, number: number): void {
    if (this.file === null || pathOf(this.file) === '') {
      throw broken(number, 'begins a hunk, and no file is named before it');
    }
    const [, , oldCount = '1', newLine = '0', newCount = '1', within = ''] = hunk;
    this.left = { old: Number(oldCount), new: Number(newCount) };
    const step = {
      line: Number(newLine),
      within: within.trim() === '' ? null : within.trim(),
      commit: this.commit,
      linesAdded: 0,
      linesRemoved: 0,
    };
    this.steps.push({ step, file: this.file });
  }

  private takeHunkLine(line: string, number: number): void {
    const held = this.steps.at(-1);
    if (held === undefined) return;
    const { step, file } = held;
    const mark = line.charAt(0);
    if (mark === '\\') return;
    if (mark === '+') {
      this.left.new -= 1;
      file.added.push(line.slice(1));
      held.step = { ...step, linesAdded: step.linesAdded + 1 };
    } else if (mark === '-') {
      this.left.old -= 1;
      file.removed.push(line.slice(1));
      held.step = { ...step, linesRemoved: step.linesRemoved + 1 };
    } else if (mark === ' ' || mark === '') {
      this.left.old -= 1;
      this.left.new -= 1;
    } else throw broken(number, 'stands in a hunk and begins with none of " ", "+", "-"');
    if (this.left.old < 0 || this.left.new < 0) {
      throw broken(number, 'is more than the head of its hunk counts');
    }
  }
}

function changeOf(file: OpenFile): Omit<SeedFile, 'part'> {
  const change =
    file.oldPath === '/dev/null'
      ? 'added'
      : file.path === '/dev/null'
        ? 'deleted'
        : file.renamed || file.oldPath !== file.path
          ? 'renamed'
          : 'modified';
  return {
    path: pathOf(file),
    oldPath: change === 'renamed' ? file.oldPath : null,
    change,
    linesAdded: file.added.length,
    linesRemoved: file.removed.length,
  };
}

function signaturesOf(file: OpenFile): readonly Omit<SeedSignature, 'part'>[] {
  const path = pathOf(file);
  const before = declarations(path, file.removed);
  const after = declarations(path, file.added);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old = null, made = null] = [before.get(name), after.get(name)];
    return old === made ? [] : [{ path, name, before: old, after: made }];
  });
}

/** The first declaration of each name. */
function declarations(path: string, lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const [name] = declaredSymbols(path, [line]);
    if (name !== undefined && !found.has(name)) found.set(name, line.trim());
  }
  return found;
}

function pathOf({ path, oldPath }: OpenFile): string {
  return path === '/dev/null' ? oldPath : path;
}

/** The name behind `--- ` or `+++ `, without the prefix of git and the time of other tools. */
function namedIn(line: string): string {
  const name = (line.slice(4).split('\t')[0] ?? '').trim().replace(/^"(.*)"$/, '$1');
  return name.replace(/^[ab]\//, '');
}

function broken(line: number, what: string): OssatureError {
  return new OssatureError(
    'INVALID_INPUT',
    `The seed example is no unified diff: line ${line} ${what}. Make one with "git diff" or "diff -u".`,
    { details: { field: 'seed', line } },
  );
}
