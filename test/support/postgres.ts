/**
 * Databases for tests. One server serves all workers of a run; the first test that needs a database
 * starts it, so runs without such tests start nothing. `TEST_DATABASE_URL` names a server to use
 * instead; `TEST_POSTGRES=packaged` takes the binaries of the npm package, to test on both versions.
 */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type AddressInfo } from 'node:net';
import { Client } from 'pg';
import { acquireFolderLock } from '../../src/infrastructure/persistence/embedded/folder-lock.js';
import {
  findPostgresBinaries,
  reachableBinaries,
  SYSTEM_FIRST,
} from '../../src/infrastructure/persistence/embedded/postgres-binaries.js';
import {
  createDataFolder,
  readPostmaster,
  SERVER_USER,
  startServer,
} from '../../src/infrastructure/persistence/embedded/postgres-server.js';
import { serverAccount } from '../../src/infrastructure/persistence/embedded/server-account.js';

export interface TestDatabase {
  readonly url: string;
  /** Ends what is still connected, then drops the database. */
  drop(): Promise<void>;
}

const HOW =
  'The tests need a Postgres server: install PostgreSQL 15 or newer, set PG_BINDIR to the folder of its programs, or set TEST_DATABASE_URL to a server where databases may be created.';

/** Losing a test database to a power cut costs nothing; waiting for the disk costs minutes. */
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
  listen_addresses: '127.0.0.1',
};

let serverUrl: Promise<string> | undefined;

/** A new, empty database of its own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  serverUrl ??= testServerUrl();
  const server = await serverUrl;
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runOn(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => runOn(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function testServerUrl(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  const run = process.env['OSSATURE_TEST_RUN'];
  if (run === undefined) throw new Error('Databases for tests exist only under the global setup.');
  const lock = await acquireFolderLock(join(run, 'lock'), { timeoutMs: 60_000, remedy: HOW });
  try {
    return await runningOrStarted(join(run, 'cluster'));
  } finally {
    lock.release();
  }
}

async function runningOrStarted(dataFolder: string): Promise<string> {
  const { port } = readPostmaster(dataFolder) ?? (await start(dataFolder));
  return `postgres://${SERVER_USER}@127.0.0.1:${port}/postgres`;
}

async function start(dataFolder: string) {
  const sources =
    process.env['TEST_POSTGRES'] === 'packaged' ? (['packaged'] as const) : SYSTEM_FIRST;
  const account = serverAccount();
  const found = findPostgresBinaries({ sources, env: process.env });
  const copies = join(tmpdir(), `ossature-binaries-${process.getuid?.() ?? ''}`);
  const binaries = found && reachableBinaries(found, account, copies);
  if (binaries === undefined) throw new Error(HOW);
  const server = { binaries, account, dataFolder };
  await createDataFolder(server, false);
  const settings = { ...FAST, unix_socket_directories: dataFolder, port: String(await freePort()) };
  return startServer(server, settings, 30_000);
}

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready));
  const { port } = listener.address() as AddressInfo;
  await new Promise((closed) => listener.close(closed));
  return port;
}
