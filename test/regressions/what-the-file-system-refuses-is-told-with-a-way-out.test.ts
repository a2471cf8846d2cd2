/** Whatever operation of the lock the file system refuses, the error is STORE_FAILED with advice. */
import * as realFiles from 'node:fs';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type {
  FolderLock,
  LockRequest,
} from '../../src/infrastructure/persistence/embedded/folder-lock.js';

type Refusal = Readonly<{ operation: string; code: string }>;
let refusals: readonly Refusal[] = [];

/** The file system of Node, but for the operations that it is told to refuse. */
function refusing<Arguments extends unknown[], Result>(
  operation: string,
  real: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  return (...given) => {
    const refusal = refusals.find((one) => one.operation === operation);
    if (refusal === undefined) return real(...given);
    throw Object.assign(new Error(`${refusal.code}: refused, ${operation}`), {
      code: refusal.code,
    });
  };
}

const folder = mkdtempSync(join(tmpdir(), 'ossature-refused-'));
let acquireFolderLock: (path: string, request: LockRequest) => Promise<FolderLock>;

beforeAll(async () => {
  jest.unstable_mockModule('node:fs', () => ({
    ...realFiles,
    linkSync: refusing('link', realFiles.linkSync),
    unlinkSync: refusing('unlink', realFiles.unlinkSync),
    writeFileSync: refusing('write', realFiles.writeFileSync as (...given: unknown[]) => void),
    readFileSync: refusing('read', realFiles.readFileSync as (...given: unknown[]) => unknown),
    mkdirSync: refusing('mkdir', realFiles.mkdirSync as (...given: unknown[]) => unknown),
  }));
  ({ acquireFolderLock } =
    await import('../../src/infrastructure/persistence/embedded/folder-lock.js'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REASONS = [
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'the operation is not permitted'],
  ['ENOSPC', 'the disk is full'],
  ['ENOTDIR', 'a part of the path is a file'],
] as const;

const promised = async (work: () => void): Promise<void> => work();

describe('a lock that the file system refuses', () => {
  let places = 0;
  const newPath = () => {
    places += 1;
    const place = join(folder, `place-${places}`);
    mkdirSync(place);
    return join(place, 'lock');
  };
  const request = { timeoutMs: 0, remedy: 'Wait.' };

  const told = (code: string, reason: string) => ({
    code: 'STORE_FAILED',
    message: expect.stringMatching(
      new RegExp(`^Cannot .*: ${reason}\\. .*OSSATURE_HOME.*DATABASE_URL`),
    ),
    details: { reason: code },
  });

  it.each(
    REASONS.flatMap(([code, reason]) =>
      [['mkdir'], ['write'], ['link'], ['unlink'], ['write', 'unlink'], ['link', 'unlink']].map(
        (operations) => ({ code, reason, operations }),
      ),
    ),
  )('is told when it is taken: $code on $operations', async ({ code, reason, operations }) => {
    const path = newPath();
    refusals = operations.map((operation) => ({ operation, code }));
    try {
      await expect(acquireFolderLock(path, request)).rejects.toMatchObject(told(code, reason));
    } finally {
      refusals = [];
    }
  });

  it.each(REASONS)('is told when it is given back: %s', async (code, reason) => {
    const lock = await acquireFolderLock(newPath(), request);
    for (const operation of ['read', 'unlink']) {
      refusals = [{ operation, code }];
      await expect(promised(() => lock.release())).rejects.toMatchObject(told(code, reason));
    }
    refusals = [];
    lock.release();
  });
});
