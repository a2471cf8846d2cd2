/**
 * A real Postgres for one user of one machine, beside the embedded one: for several processes at
 * once, for large contexts, and for a machine that may lose power. It listens on a Unix socket in a
 * folder only its account may enter, and runs on after the command that started it.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { acquireFolderLock, releaseAfterFailure } from './folder-lock.js';
import { prepareServer, socketFolderFor } from './local-server-place.js';
import {
  answers,
  readState,
  removeState,
  type ServerState,
  writeState,
} from './local-server-state.js';
import {
  type PostgresServer,
  readPostmaster,
  SERVER_USER,
  startServer,
  stopServer,
} from './postgres-server.js';
import { thisProcess } from './process-identity.js';
import { storeFailure } from './store-failure.js';

/** Fits `pg`, which reads `user`, and TypeORM, which reads `username`. */
export interface LocalServerConnection {
  /** The folder of the Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly username: string;
  readonly database: string;
}

export interface LocalServer {
  readonly connection: LocalServerConnection;
  readonly dataFolder: string;
  /** Of Postgres, such as 18.4. */
  readonly version: string;
  readonly pid: number;
  /** False when it was running already. */
  readonly started: boolean;
}

/** Names the socket file; nothing listens on the network. */
const PORT = 5432;

const DURABLE = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  listen_addresses: '',
  unix_socket_permissions: '0700',
  log_checkpoints: 'off',
  port: String(PORT),
};

/** Replaying a long log after a crash takes its time. */
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
/** A killed server's sessions end a moment after it, and until then a new one refuses to start. */
const LINGER_MS = 10_000;

/**
 * Starts the server of this home, or finds it running; two at once start one.
 *
 * @param env where PG_BINDIR and PATH are looked up.
 * @throws STORE_UNAVAILABLE when there are no Postgres programs, or the server does not come up.
 */
export async function startLocalServer(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LocalServer> {
  return whileLocked(home, async (folder) => {
    const known = readState(folder);
    if (known !== undefined && (await isUp(known))) return describe(known, false);
    if (known?.boot !== undefined && known.boot !== thisProcess().boot) forgetFormerBoot(known);
    const server = await prepareServer(folder, env);
    const state: ServerState = {
      dataFolder: server.dataFolder,
      socketFolder: socketFolderFor(server, PORT, known?.socketFolder),
      port: PORT,
      version: server.binaries.version,
      boot: thisProcess().boot,
    };
    // Written first: a command that comes while the server starts must not turn to another store.
    writeState(folder, state);
    await startPatiently(server, { ...DURABLE, unix_socket_directories: state.socketFolder });
    return describe(state, true);
  });
}

/** Ends the server and every session on it. False when none was started. */
export async function stopLocalServer(home: string): Promise<boolean> {
  if (readState(resolve(home)) === undefined) return false;
  return whileLocked(home, async (folder) => {
    const state = readState(folder);
    if (state === undefined) return false;
    const stopped = await stopServer(state.dataFolder, STOP_TIMEOUT_MS);
    removeState(folder);
    if (dirname(state.socketFolder) === tmpdir())
      rmSync(state.socketFolder, { recursive: true, force: true });
    return stopped;
  });
}

/**
 * The running server of this home; null when none was started, or it was stopped.
 *
 * @throws STORE_UNAVAILABLE when one was started and has died: its data must not seem to be gone.
 */
export async function findLocalServer(home: string): Promise<LocalServerConnection | null> {
  const state = readState(resolve(home));
  if (state === undefined) return null;
  if (await isUp(state)) return connectionOf(state);
  throw new OssatureError(
    'STORE_UNAVAILABLE',
    `The local database server on ${state.dataFolder} is not running. Run \`agents database start\` to start it again, or \`agents database stop\` to go without it.`,
    { details: { folder: state.dataFolder } },
  );
}

async function whileLocked<Result>(
  home: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  if (process.platform === 'win32')
    throw new OssatureError(
      'STORE_UNAVAILABLE',
      'The local server needs Unix sockets, which are not used on Windows: set DATABASE_URL.',
    );
  const folder = resolve(home);
  const lock = await acquireFolderLock(join(folder, 'server.lock'), {
    timeoutMs: START_TIMEOUT_MS + STOP_TIMEOUT_MS,
    remedy: 'It is starting or stopping the local server: try again when it is done.',
  });
  let result: Result;
  try {
    result = await work(folder);
  } catch (error) {
    releaseAfterFailure(lock);
    throw storeFailure('run a local server in', folder, error);
  }
  lock.release();
  return result;
}

/** Waits while the server is still starting. */
async function isUp(state: ServerState): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (
    let found = readPostmaster(state.dataFolder);
    found !== undefined;
    found = readPostmaster(state.dataFolder)
  ) {
    if (found.ready) return answers(state);
    if (performance.now() > deadline) return false;
    await pause(50);
  }
  return false;
}

/** The pid it names may belong to any process of this boot, and Postgres would refuse to start. */
function forgetFormerBoot(state: ServerState): void {
  rmSync(join(state.dataFolder, 'postmaster.pid'), { force: true });
}

async function startPatiently(
  server: PostgresServer,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const deadline = performance.now() + LINGER_MS;
  for (;;) {
    try {
      await startServer(server, settings, START_TIMEOUT_MS);
      return;
    } catch (error) {
      // A server that was killed a moment ago still holds its memory, or its process is not yet reaped.
      const lingers =
        error instanceof Error &&
        /pre-existing shared memory|lock file "postmaster\.pid" already exists/.test(error.message);
      if (!lingers || performance.now() > deadline) throw error;
      await pause(200);
    }
  }
}

function describe(state: ServerState, started: boolean): LocalServer {
  const { dataFolder, version } = state;
  const pid = readPostmaster(dataFolder)?.pid ?? 0;
  return { connection: connectionOf(state), dataFolder, version, pid, started };
}

function connectionOf({ socketFolder, port }: ServerState): LocalServerConnection {
  return {
    host: socketFolder,
    port,
    user: SERVER_USER,
    username: SERVER_USER,
    database: 'postgres',
  };
}
