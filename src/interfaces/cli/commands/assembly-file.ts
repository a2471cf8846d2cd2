/** A payload in a file: its text for a model, or all of it as JSON. */
import { chmod, lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { AssemblyPayload } from '../../../domain/assembly/assembly-payload.js';
import { renderPayload } from '../../../domain/assembly/render-payload.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { toWire } from '../wire-names.js';

/** Bits of a file's mode that say who may do what with it. */
const PERMISSIONS = 0o7777;

/** Until its permissions are set, a draft is its owner's alone. */
const PRIVATE = 0o600;

/**
 * Under the name stands a whole payload, old or new, and the file's permissions stay. A link keeps
 * pointing where it did. A pipe or a device is written to, and stays one.
 *
 * @throws OssatureError INVALID_INPUT where the file cannot be written.
 */
export async function writePayload(file: string, payload: AssemblyPayload): Promise<void> {
  const text = file.endsWith('.json')
    ? JSON.stringify(toWire(payload), null, 2)
    : renderPayload(payload);
  try {
    await writeWhole(file, `${text}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OssatureError('INVALID_INPUT', `${file} cannot be written: ${reason}.`, {
      details: { file },
      cause: error,
    });
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  if ((await orMissing(lstat(file))) === null) return replaceFile(file, text, null);
  const found = await stat(file);
  // A folder refuses this by itself.
  if (!found.isFile()) return writeFile(file, text);
  return replaceFile(await realpath(file), text, found.mode & PERMISSIONS);
}

/** Written beside its place and then renamed. @param mode of the file that is replaced; null: none is. */
async function replaceFile(file: string, text: string, mode: number | null): Promise<void> {
  const draft = `${file}.${process.pid}.part`;
  try {
    await writeFile(draft, text, mode === null ? {} : { mode: PRIVATE });
    if (mode !== null) await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

async function orMissing<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
