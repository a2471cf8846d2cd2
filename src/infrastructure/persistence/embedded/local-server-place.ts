/**
 * Where the local server of a home lives: its programs, its data, its socket.
 *
 * As root the server runs as `postgres` or `nobody`. Where that account cannot reach the home, as
 * below a private /root, everything lies in /var/lib/ossature/<digest of the home> instead; the
 * home's state file says where.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { makeFolder } from './make-folder.js';
import { socketFits } from './local-server-state.js';
import {
  findPostgresBinaries,
  PACKAGED_FIRST,
  type PostgresBinaries,
  reachableBinaries,
} from './postgres-binaries.js';
import { createDataFolder, type PostgresServer } from './postgres-server.js';
import { canReach, giveTo, serverAccount, type ServerAccount } from './server-account.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The programs and a data folder for them, made when it is missing.
 *
 * @throws STORE_UNAVAILABLE when no fitting Postgres programs are found.
 */
export async function prepareServer(home: string, env: Environment): Promise<PostgresServer> {
  const account = serverAccount();
  const base = canReach(account, join(home, 'server')) ? home : placeForAccount(home);
  const binaries = binariesFor(base, account, env);
  const folder = join(base, `server-${binaries.major}`);
  makeFolder(folder, 0o711);
  const server = { binaries, account, dataFolder: join(folder, 'data') };
  if (!existsSync(server.dataFolder)) await createDataFolder(server, true);
  return server;
}

const SHARED_PLACE = '/var/lib/ossature';

function placeForAccount(home: string): string {
  const place = placeBelow(SHARED_PLACE, home);
  makeFolder(place, 0o711);
  return place;
}

function placeBelow(shared: string, home: string): string {
  return join(shared, createHash('sha256').update(home).digest('hex').slice(0, 12));
}

/**
 * The data folders of this home's local servers, wherever they lie; looks only, and makes nothing.
 * Empty where there are none, or they cannot be seen.
 */
export function findServerData(home: string, shared = SHARED_PLACE): readonly string[] {
  const folder = resolve(home);
  return [folder, placeBelow(shared, folder)].flatMap((base) =>
    serverFolders(base).map((name) => join(base, name, 'data')),
  );
}

function serverFolders(base: string): readonly string[] {
  try {
    return readdirSync(base).filter(
      (name) => /^server-\d+$/.test(name) && existsSync(join(base, name, 'data')),
    );
  } catch {
    return [];
  }
}

/** Data made once stays with its major version; new data gets the packaged one. */
function binariesFor(
  base: string,
  account: ServerAccount | undefined,
  env: Environment,
): PostgresBinaries {
  const major = majorOfData(base);
  const found = findPostgresBinaries({ sources: PACKAGED_FIRST, env, major });
  const binaries = found && reachableBinaries(found, account, join(base, 'binaries'));
  if (binaries !== undefined) return binaries;
  const wanted =
    major === undefined
      ? 'PostgreSQL 15 or newer'
      : `PostgreSQL ${major}, which wrote the data in ${base},`;
  throw new OssatureError(
    'STORE_UNAVAILABLE',
    `No Postgres programs that can run here were found: install ${wanted} or set PG_BINDIR to the folder of its programs.`,
    { details: { folder: base, ...(major === undefined ? {} : { major }) } },
  );
}

function majorOfData(base: string): number | undefined {
  const majors = serverFolders(base).map((name) => Number(name.slice('server-'.length)));
  return majors.length === 0 ? undefined : Math.max(...majors);
}

/** Beside the data, or in the temporary folder where that path is too long for a socket. */
export function socketFolderFor(
  server: PostgresServer,
  port: number,
  last: string | undefined,
): string {
  const beside = join(server.dataFolder, '..', 'socket');
  const folder = socketFits(beside, port)
    ? beside
    : (ownFolder(last) ?? mkdtempSync(join(tmpdir(), 'ossature-')));
  makeFolder(folder, 0o700);
  giveTo(server.account, folder);
  return folder;
}

/** The temporary folder of the last start, if it is still there and still ours. */
function ownFolder(folder: string | undefined): string | undefined {
  const found = folder === undefined ? undefined : statSync(folder, { throwIfNoEntry: false });
  const uids = [process.getuid?.(), serverAccount()?.uid];
  return found?.isDirectory() === true && uids.includes(found.uid) ? folder : undefined;
}
