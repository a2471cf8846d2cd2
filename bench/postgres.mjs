/**
 * A Postgres server for one bench: a new cluster in a temporary folder with the settings it comes
 * with, so that a commit waits for the disk as it does for a user. `BENCH_DATABASE_URL` names a
 * server to use instead, where a schema `plain` and a schema `ossature` may be made and dropped.
 */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { load } from './measure.mjs';

const EMBEDDED = 'src/infrastructure/persistence/embedded';

/** Runs the work on the server's URL and removes the server afterwards. */
export async function withPostgres(work) {
  const given = process.env.BENCH_DATABASE_URL;
  if (given !== undefined) return work(given);
  const { findPostgresBinaries, reachableBinaries, SYSTEM_FIRST } = await load(
    `${EMBEDDED}/postgres-binaries.js`,
  );
  const { serverAccount } = await load(`${EMBEDDED}/server-account.js`);
  const { createDataFolder, SERVER_USER, startServer, stopServer } = await load(
    `${EMBEDDED}/postgres-server.js`,
  );
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'ossature-bench-'));
  chmodSync(home, 0o711); // the server may run under another account and must get through
  const account = serverAccount();
  const found = findPostgresBinaries({ sources: SYSTEM_FIRST, env: process.env });
  const binaries = found && reachableBinaries(found, account, join(home, 'binaries'));
  if (binaries === undefined) {
    throw new Error('No Postgres found: install PostgreSQL 15 or newer, or set PG_BINDIR.');
  }
  const dataFolder = join(home, 'data');
  try {
    const server = { binaries, account, dataFolder };
    await createDataFolder(server, true);
    const settings = {
      port: String(await freePort()),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: dataFolder,
    };
    const { port } = await startServer(server, settings, 60_000);
    console.log(`PostgreSQL ${binaries.version}, default settings, Node ${process.versions.node}`);
    return await work(`postgres://${SERVER_USER}@127.0.0.1:${port}/postgres`);
  } finally {
    await stopServer(dataFolder, 60_000);
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** A connection that the end of the server does not turn into the end of this process. */
export async function connect(url) {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function freePort() {
  const listener = createServer();
  await new Promise((ready) => listener.listen(0, '127.0.0.1', ready));
  const { port } = listener.address();
  await new Promise((closed) => listener.close(closed));
  return port;
}
