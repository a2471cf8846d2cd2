/**
 * One process at a time on a folder, without a timer: a lock is a file that names its holder, made
 * whole and at once by link(2), and it is free when that holder has ended. Locks that live by a
 * heartbeat are wrong here: WebAssembly Postgres may block the event loop for seconds.
 *
 * Taking over from a dead holder is the delicate part, since two may try at once. The right to
 * remove a dead holder's lock is itself a file, named after that one acquisition, and linked the
 * same way; only its winner unlinks. Should the winner die too, the right to succeed *it* is the
 * next file in the chain. No right is ever granted twice, so no living lock is ever removed.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { makeFolder } from './make-folder.js';
import { storeFailure } from './store-failure.js';
import { livenessOf, type ProcessIdentity, thisProcess } from './process-identity.js';

const POLL_MS = 50;

export interface LockHolder extends ProcessIdentity {
  /** Unique to one acquisition. */
  readonly nonce: string;
}

export interface FolderLock {
  /** @throws STORE_FAILED when the file cannot be removed; it is free all the same when this process ends. */
  release(): void;
}

/** Ends work that failed: what hinders the release too must not hide why. */
export function releaseAfterFailure(lock: FolderLock): void {
  try {
    lock.release();
  } catch {
    // The lock is free when this process ends.
  }
}

export interface LockRequest {
  /** How long to wait for a living holder, in milliseconds. */
  readonly timeoutMs: number;
  /** Called once, when the lock was not free at the first look. */
  readonly onWaiting?: ((holder: LockHolder) => void) | undefined;
  /** What to do when the time is over: the last sentence of the error. */
  readonly remedy: string;
}

/** @throws STORE_BUSY when a living process kept the lock all the time; STORE_FAILED when the folder cannot be written. */
export async function acquireFolderLock(path: string, request: LockRequest): Promise<FolderLock> {
  const self: LockHolder = { ...thisProcess(), nonce: randomBytes(8).toString('hex') };
  const deadline = performance.now() + request.timeoutMs;
  makeFolder(dirname(path));
  for (let waited = false; ;) {
    if (place(path, self)) return { release: () => releaseIfOwn(path, self) };
    const holder = readHolder(path);
    if (holder === undefined) continue;
    if (livenessOf(holder) === 'ended') {
      if (removeDead(path, holder, self)) continue;
    } else if (!waited) {
      waited = true;
      request.onWaiting?.(holder);
    }
    if (performance.now() > deadline) throw busy(path, holder, request.remedy);
    await pause(POLL_MS);
  }
}

/** True when the file did not exist and now holds this holder, complete from its first moment. */
function place(path: string, holder: LockHolder): boolean {
  const draft = `${path}.${holder.nonce}`;
  let isPlaced = true;
  try {
    writeFileSync(draft, JSON.stringify(holder));
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      discard(draft);
      throw storeFailure('lock the folder', dirname(path), error);
    }
    isPlaced = false;
  }
  unlinkIfThere(draft);
  return isPlaced;
}

function readHolder(path: string): LockHolder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw storeFailure('read the lock of', dirname(path), error);
  }
  return parseHolder(text);
}

/** A file linked whole can only be unreadable after the machine lost power: then its writer has ended too. */
function parseHolder(text: string): LockHolder {
  try {
    const found = JSON.parse(text) as Partial<LockHolder>;
    if (typeof found.pid === 'number' && typeof found.nonce === 'string')
      return found as LockHolder;
  } catch {
    // fall through: not JSON is the same case as JSON of another shape
  }
  return { ...thisProcess(), boot: 'lost', nonce: 'unreadable' };
}

/** True when this process removed the lock of the dead holder. */
function removeDead(path: string, dead: LockHolder, self: LockHolder): boolean {
  const rights: string[] = [];
  for (let victim = dead; ;) {
    const right = `${path}.after-${victim.nonce}`;
    if (place(right, self)) {
      rights.push(right);
      if (readHolder(path)?.nonce === dead.nonce) unlinkIfThere(path);
      rights.forEach(unlinkIfThere);
      return true;
    }
    const claimant = readHolder(right);
    if (claimant === undefined || livenessOf(claimant) !== 'ended') return false;
    rights.push(right);
    victim = claimant;
  }
}

function releaseIfOwn(path: string, self: LockHolder): void {
  if (readHolder(path)?.nonce === self.nonce) unlinkIfThere(path);
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw storeFailure('remove a lock in', dirname(path), error);
  }
}

/** What could not be removed after a failure must not hide that failure. */
function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // A draft that stays behind locks nothing.
  }
}

function busy(path: string, holder: LockHolder, remedy: string): OssatureError {
  const elsewhere =
    livenessOf(holder) === 'unknown'
      ? ` on ${holder.host} (another machine or container: if it is certainly gone, delete ${path})`
      : '';
  return new OssatureError(
    'STORE_BUSY',
    `${dirname(path)} is in use by process ${holder.pid}${elsewhere}. ${remedy}`,
    { details: { folder: dirname(path), pid: holder.pid, host: holder.host, lock: path } },
  );
}
