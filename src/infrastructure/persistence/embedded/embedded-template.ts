/**
 * The template: a new, empty data folder, packed once when the package is published. Unpacking it
 * takes a fraction of a second; without it, making a database takes about 10 s and 1 GB of memory.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { pgliteVersion } from './pglite-worker.js';

const BLOCK = 512;

/** The template of this package for the PGlite installed here; undefined when it holds none. */
export function findTemplate(): string | undefined {
  const name = `embedded-template-${pgliteVersion()}.tar.gz`;
  const file = join(packageRoot(), 'assets', name);
  return existsSync(file) ? file : undefined;
}

/** The nearest folder above with a package.json: it is not equally far from the sources and the build. */
function packageRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder;
  return start;
}

/**
 * Unpacks folders and plain files of a gzipped ustar archive, which is all a template holds.
 *
 * @throws STORE_FAILED when the archive is cut off or names a place outside the folder.
 */
export function unpackTemplate(file: string, folder: string): void {
  const archive = gunzipSync(readFileSync(file));
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const name = textAt(archive, at, 100);
    const bytes = Number.parseInt(textAt(archive, at + 124, 12), 8);
    const target = join(folder, name);
    if (!Number.isInteger(bytes) || name.split('/').includes('..')) throw damaged(file);
    if (String.fromCharCode(archive[at + 156] ?? 0) === '5')
      mkdirSync(target, { recursive: true, mode: 0o700 });
    else {
      const content = archive.subarray(at + BLOCK, at + BLOCK + bytes);
      if (content.length !== bytes) throw damaged(file);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      writeFileSync(target, content, { mode: 0o600 });
    }
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
  }
}

function textAt(archive: Buffer, from: number, length: number): string {
  const text = archive.toString('utf8', from, from + length);
  const end = text.indexOf('\0');
  return (end < 0 ? text : text.slice(0, end)).trim();
}

function damaged(file: string): OssatureError {
  return new OssatureError(
    'STORE_FAILED',
    `${file} is damaged: install the package again, or delete the file.`,
    {
      details: { file },
    },
  );
}
