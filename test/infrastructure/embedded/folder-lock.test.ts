import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acquireFolderLock } from '../../../src/infrastructure/persistence/embedded/folder-lock.js';
import { thisProcess } from '../../../src/infrastructure/persistence/embedded/process-identity.js';
import { compileSources, OtherProcess } from './compiled-sources.js';

const folder = mkdtempSync(join(tmpdir(), 'ossature-lock-'));
let places = 0;
const newLockPath = () => join(folder, `place-${places++}`, 'lock');
const atOnce = { timeoutMs: 0, remedy: 'Wait for it.' };

/** A lock file as a process of another identity would have left it. */
async function leaveLock(path: string, holder: Record<string, unknown>): Promise<void> {
  (await acquireFolderLock(path, atOnce)).release();
  writeFileSync(path, JSON.stringify({ ...thisProcess(), nonce: 'left', ...holder }));
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('acquireFolderLock', () => {
  it('a free folder is locked, and free again after the release', async () => {
    const path = newLockPath();
    (await acquireFolderLock(path, atOnce)).release();
    (await acquireFolderLock(path, atOnce)).release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('a held folder is refused with its holder and the remedy', async () => {
    const path = newLockPath();
    const lock = await acquireFolderLock(path, atOnce);
    await expect(acquireFolderLock(path, atOnce)).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: `${join(path, '..')} is in use by process ${process.pid}. Wait for it.`,
      details: { pid: process.pid },
    });
    lock.release();
  });

  it('a waiting process is told of the holder once and gets the folder when it is free', async () => {
    const path = newLockPath();
    const first = await acquireFolderLock(path, atOnce);
    const holders: number[] = [];
    const second = acquireFolderLock(path, {
      timeoutMs: 10_000,
      remedy: '',
      onWaiting: ({ pid }) => holders.push(pid),
    });
    await pause(150);
    first.release();
    (await second).release();
    expect(holders).toEqual([process.pid]);
  });

  // prettier-ignore
  it.each([
    { rule: 'a pid that runs no more is dead',               holder: { pid: 2 ** 22 + 1 },                taken: true },
    { rule: 'a pid that was given to a new process is dead', holder: { startedAt: '1' },                  taken: true },
    { rule: 'a process of an earlier boot is dead',          holder: { boot: 'earlier' },                 taken: true },
    { rule: 'a process of another machine may live',         holder: { host: `not-${hostname()}` },       taken: false },
    { rule: 'a process of another container may live',       holder: { namespace: 'pid:[1]' },            taken: false },
  ])('$rule', async ({ holder, taken }) => {
    const path = newLockPath();
    await leaveLock(path, holder);
    const outcome = await acquireFolderLock(path, { ...atOnce, timeoutMs: 100 }).then(
      (lock) => { lock.release(); return 'taken'; },
      (error: { code: string }) => error.code,
    );
    expect(outcome).toBe(taken ? 'taken' : 'STORE_BUSY');
  });

  it('a lock that lost its content with the power is taken over', async () => {
    const path = newLockPath();
    await leaveLock(path, {});
    writeFileSync(path, '');
    (await acquireFolderLock(path, { ...atOnce, timeoutMs: 100 })).release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('a heir that died while taking over is succeeded too', async () => {
    const path = newLockPath();
    await leaveLock(path, { pid: 2 ** 22 + 1, nonce: 'first' });
    writeFileSync(
      `${path}.after-first`,
      JSON.stringify({ ...thisProcess(), pid: 2 ** 22 + 2, nonce: 'second' }),
    );
    (await acquireFolderLock(path, { ...atOnce, timeoutMs: 100 })).release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it.each([join('/proc', 'ossature', 'lock'), join('/etc/passwd', 'ossature', 'lock')])(
    'a folder that cannot be made is named: %s',
    async (path) => {
      await expect(acquireFolderLock(path, atOnce)).rejects.toMatchObject({
        code: 'STORE_FAILED',
        details: { folder: join(path, '..') },
      });
    },
  );
});

/** Holds the lock again and again; in it, a second file proves that nobody living is inside as well. */
const CONTENDER = `
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { acquireFolderLock } from './folder-lock.js';
import { isRunning } from './process-identity.js';
const [path] = process.argv.slice(2);
const inside = path + '-inside';
for (;;) {
  const lock = await acquireFolderLock(path, { timeoutMs: 60000, remedy: '' });
  let other = 0;
  try { other = Number(readFileSync(inside, 'utf8')); } catch {}
  if (other !== 0 && isRunning(other)) console.log('overlap');
  writeFileSync(inside, String(process.pid));
  console.log('held');
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
  rmSync(inside, { force: true });
  lock.release();
}
`;

describe('acquireFolderLock under contention', () => {
  let compiled: string;
  beforeAll(() => {
    compiled = compileSources('without-template');
  });
  afterAll(() => rmSync(compiled, { recursive: true, force: true }));

  it('killed holders never let two living ones in', async () => {
    const path = newLockPath();
    const lines: string[] = [];
    const contenders = Array.from({ length: 4 }, () => new OtherProcess(compiled, CONTENDER, path));
    for (let round = 0; round < 12; round++) {
      await pause(120);
      const holder = holderOf(path);
      const index = contenders.findIndex(({ pid }) => pid === holder);
      const victim = contenders[index];
      if (victim === undefined) continue;
      await victim.kill();
      lines.push(...victim.lines);
      contenders[index] = new OtherProcess(compiled, CONTENDER, path);
    }
    for (const contender of contenders) await contender.printed(1);
    for (const contender of contenders) {
      await contender.kill();
      lines.push(...contender.lines);
    }
    expect(lines.filter((line) => line === 'overlap')).toEqual([]);
    expect(lines.length).toBeGreaterThan(20);
  });
});

function holderOf(path: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}
