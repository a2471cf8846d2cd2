/**
 * The key of a home folder, under which secrets in imported text become placeholders. It must stay the
 * same, so that equal secrets look equal whichever process met them, and it must stay private, so that
 * nobody can test a guess against a placeholder; hence a file that only its owner can read, beside the
 * data and not among them: exports and copies of the database do not carry it.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest } from '../../domain/kernel/measures.js';

/** A digest whose key is read, or made, when the first secret is met. */
export function homeKeyedDigest(home: string): Digest {
  let key: string | null = null;
  return (text) => {
    key ??= keyOfHome(home);
    return createHmac('sha256', key).update(text).digest('hex');
  };
}

function keyOfHome(home: string): string {
  const file = join(home, 'redaction.key');
  try {
    return readKey(file) ?? makeKey(home, file);
  } catch (error) {
    throw new OssatureError(
      'STORE_FAILED',
      `The text holds a secret, and the key to hide it under cannot be kept in ${file}. Make the folder writable, name another home, or bring a key of your own (OSSATURE_REDACTION_KEY, or redact of createOssature).`,
      { details: { file }, cause: error },
    );
  }
}

function readKey(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whole at once: of two that make it together, one wins and both use its key. */
function makeKey(home: string, file: string): string {
  mkdirSync(home, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
