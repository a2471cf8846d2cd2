/** The file that an export goes to: never overwritten unasked, and whole or not there. */
import { existsSync } from 'node:fs';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { OssatureError } from '../../domain/kernel/errors.js';
import { fileStatus } from './file-status.js';

/** @throws OssatureError INVALID_INPUT for a directory; ALREADY_EXISTS unless `force` is given. */
export function refuseTarget(file: string, force: boolean): void {
  if (fileStatus(file)?.isDirectory() === true) {
    throw new OssatureError('INVALID_INPUT', `${file} is a directory. Name a file in it.`, {
      details: { file },
    });
  }
  if (!force && existsSync(file)) throw isThere(file);
}

/** Beside its place and then renamed: what stands under the name is always the whole text. */
export async function writeTarget(file: string, force: boolean, text: string): Promise<void> {
  const draft = draftOf(file);
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await placeDraft(draft, file, force);
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await rm(draft, { force: true });
  }
}

export function draftOf(file: string): string {
  return `${file}.${process.pid}.part`;
}

export function placeDraft(draft: string, file: string, force: boolean): Promise<void> {
  return force ? rename(draft, file) : link(draft, file);
}

export function unwritable(file: string, error: unknown): OssatureError {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return isThere(file);
  const reason = error instanceof Error ? error.message : String(error);
  return new OssatureError(
    'INVALID_INPUT',
    `${file} cannot be written (${reason}). Name a file in a folder that exists and is writable.`,
    { details: { file }, cause: error },
  );
}

function isThere(file: string): OssatureError {
  return new OssatureError(
    'ALREADY_EXISTS',
    `${file} exists. Give --force to overwrite it, or another name.`,
    { details: { file } },
  );
}
