/** Files of the project that a workflow is about: read below one root, as text, up to a size. */
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { ReadProjectFile } from '../../application/workflow/project-reading.js';

/** Bytes. A source or an active file that is larger does not fit any budget of a phase. */
const LARGEST_FILE = 5_000_000;

/** @throws OssatureError INVALID_INPUT where the root is no folder. */
export async function projectFiles(root: string): Promise<ReadProjectFile> {
  const base = await realpath(resolve(root)).catch(() => null);
  const isFolder = base !== null && (await stat(base)).isDirectory();
  if (base === null || !isFolder) {
    throw unfit(root, 'is no folder', 'Give the root of the project with --project-root.');
  }
  return async (path) => {
    const place = resolve(base, path);
    const isThere = await lstat(place).then(
      () => true,
      () => false,
    );
    if (!isThere) return null;
    const real = await realpath(place).catch(() => null);
    if (real === null) return null;
    if (real !== base && !real.startsWith(base.endsWith(sep) ? base : `${base}${sep}`)) {
      throw unfit(path, 'leads out of the project', 'Give a file inside it, or another root.');
    }
    return readTextFile(real, path);
  };
}

/**
 * A file that a person names, such as an artifact or a diff.
 *
 * @throws OssatureError NOT_FOUND, INVALID_INPUT for a directory, a binary or one that is too large.
 */
export async function namedFile(path: string, mayHoldNul = false): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return readTextFile(path, path, mayHoldNul);
  throw new OssatureError('NOT_FOUND', `There is no file ${path}.`, { details: { file: path } });
}

async function readTextFile(place: string, name: string, mayHoldNul = false): Promise<string> {
  const found = await stat(place);
  if (!found.isFile()) throw unfit(name, 'is no file', 'Give a text file.');
  if (found.size > LARGEST_FILE) {
    throw unfit(
      name,
      `has ${found.size} bytes, and at most ${LARGEST_FILE} are read`,
      'Give a smaller file.',
    );
  }
  const bytes = await readFile(place).catch((error: unknown) => {
    throw unfit(name, 'cannot be read', 'Check who may read it.', error);
  });
  return textOf(bytes, name, mayHoldNul);
}

/**
 * @param mayHoldNul where U+0000 is repaired and told by what takes the text; else it is a binary file.
 * @throws OssatureError INVALID_INPUT where the bytes are no text in UTF-8.
 */
export function textOf(bytes: Uint8Array, name: string, mayHoldNul = false): string {
  try {
    if (mayHoldNul || !bytes.includes(0))
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unfit(name, 'is no text in UTF-8', 'Give a text file in UTF-8.', error);
  }
  throw unfit(name, 'is a binary file', 'Give a text file in UTF-8.');
}

function unfit(name: string, what: string, remedy: string, cause?: unknown): OssatureError {
  return new OssatureError('INVALID_INPUT', `${name} ${what}. ${remedy}`, {
    details: { file: name },
    cause,
  });
}
