import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { storeFailure } from './store-failure.js';

/**
 * Makes a folder and those above it. Node's own recursive form never returns where the file system
 * answers "no such file" for a new folder in an existing one, as /proc does (seen on Node 20.20).
 *
 * @param mode of the folders that are made.
 * @throws STORE_FAILED naming the folder.
 */
export function makeFolder(path: string, mode = 0o755): void {
  if (made(path, mode)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw storeFailure('create the folder', path, error);
  }
}

/** False when a folder above is missing. */
function made(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST') throw storeFailure('create the folder', path, error);
  }
  return true;
}
