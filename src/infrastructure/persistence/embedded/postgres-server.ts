/**
 * A real Postgres server on a data folder of ours: making the folder, starting, stopping. Speaks to
 * the server only through its `postmaster.pid` and signals, so no client is needed to know its state.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { isRunning } from './process-identity.js';
import { giveTo, type ServerAccount } from './server-account.js';

/** The superuser of every server we make. */
export const SERVER_USER = 'postgres';

const POLL_MS = 25;

export interface PostgresServer {
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  readonly dataFolder: string;
}

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly socketFolder: string;
  readonly ready: boolean;
}

/**
 * Makes the data folder, whole or not at all: it is made beside its place and then renamed.
 *
 * @param sync whether initdb waits until everything is on the disk.
 * @throws STORE_FAILED with what initdb said.
 */
export async function createDataFolder(server: PostgresServer, sync: boolean): Promise<void> {
  const draft = `${server.dataFolder}.new`;
  rmSync(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  giveTo(server.account, draft);
  const initdb = spawn(
    join(server.binaries.folder, 'initdb'),
    [
      '-D',
      draft,
      '-U',
      SERVER_USER,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      ...(sync ? [] : ['--no-sync']),
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: '/',
      env: serverEnvironment(),
      ...identity(server.account),
    },
  );
  let said = '';
  initdb.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const status = await new Promise<number | null>((done, failed) => {
    initdb.on('error', failed).on('close', done);
  });
  if (status !== 0) throw failedTo('create', server, said);
  await rename(draft, server.dataFolder);
}

/**
 * Starts the server as a process of its own that outlives this one, and waits until it takes
 * connections. Call only while nobody else starts the same folder.
 *
 * @param settings server settings by name, such as `fsync`; they win over the folder's own file.
 * @throws STORE_UNAVAILABLE with the end of the server's log.
 */
export async function startServer(
  server: PostgresServer,
  settings: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Postmaster> {
  const logFile = join(dirname(server.dataFolder), 'postgres.log');
  const logFrom = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(logFile, 'a', 0o600);
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(
    join(server.binaries.folder, 'postgres'),
    ['-D', server.dataFolder, ...flags],
    {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
      env: serverEnvironment(),
      ...identity(server.account),
    },
  );
  closeSync(log);
  // Without a listener a program that cannot be started would end this process.
  child.on('error', () => undefined).unref();
  const isUp = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const deadline = performance.now() + timeoutMs;
  while (isUp() && performance.now() < deadline) {
    const found = readPostmaster(server.dataFolder);
    if (found?.ready === true && found.pid === child.pid) return found;
    await pause(POLL_MS);
  }
  if (isUp()) child.kill('SIGQUIT');
  throw failedTo('start', server, readFileSync(logFile).subarray(logFrom).toString('utf8'));
}

/** What the server of this folder wrote about itself; undefined when none runs. */
export function readPostmaster(dataFolder: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  // Lines: pid, data folder, start time, port, socket folder, listen address, shared memory, status.
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isServerOf(pid, dataFolder)) return undefined;
  return {
    pid,
    port: Number(lines[3]),
    socketFolder: lines[4] ?? '',
    ready: lines[7]?.trim() === 'ready',
  };
}

/** Ends every session and the server, and waits for it. False when none was running. */
export async function stopServer(dataFolder: string, timeoutMs: number): Promise<boolean> {
  const found = readPostmaster(dataFolder);
  if (found === undefined) return false;
  process.kill(found.pid, 'SIGINT');
  const deadline = performance.now() + timeoutMs;
  while (isRunning(found.pid)) {
    if (performance.now() > deadline)
      throw new OssatureError(
        'STORE_FAILED',
        `The Postgres server (process ${found.pid}) did not stop within ${timeoutMs / 1000} s.`,
        { details: { pid: found.pid, folder: dataFolder } },
      );
    await pause(POLL_MS);
  }
  return true;
}

/** After a kill -9 the pid may belong to anyone: on Linux the command line tells whose it is. */
function isServerOf(pid: number, dataFolder: string): boolean {
  if (!isRunning(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(dataFolder);
  } catch {
    return true;
  }
}

/** Nothing of the caller's environment may steer the server: PGDATA, PGPORT and the like. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TZ, TMPDIR, SystemRoot } = process.env;
  const kept = { PATH, HOME, TZ, TMPDIR, SystemRoot, LC_ALL: 'C' };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

function identity(account: ServerAccount | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

function failedTo(verb: 'create' | 'start', server: PostgresServer, said: string): OssatureError {
  const words = said.trim().split('\n').slice(-6).join('\n');
  return new OssatureError(
    verb === 'create' ? 'STORE_FAILED' : 'STORE_UNAVAILABLE',
    `Postgres ${server.binaries.version} could not ${verb} ${verb === 'start' ? 'on ' : ''}${server.dataFolder}. It said:\n${words}`,
    { details: { folder: server.dataFolder, version: server.binaries.version } },
  );
}
