/**
 * The database of a user who configured nothing: Postgres in this process, on a folder of the home.
 *
 * One process at a time opens the folder; the lock sees to that, as two would silently destroy it.
 * A process that is killed loses nothing it acknowledged. A machine that loses power may: the
 * embedded Postgres leaves writing to the operating system; the local server does not.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { findTemplate, unpackTemplate } from './embedded-template.js';
import { acquireFolderLock, type LockHolder, releaseAfterFailure } from './folder-lock.js';
import { PgliteStream } from './pglite-stream.js';
import { EMBEDDED_MAJOR, PgliteWorker } from './pglite-worker.js';
import { storeFailure } from './store-failure.js';

export interface EmbeddedHooks {
  /** The database has to be made first, which takes about 10 s; called before it begins. */
  readonly onFirstStart?: (() => void) | undefined;
  /** Another process holds the folder; called once, before waiting for it. */
  readonly onWaiting?: ((holder: LockHolder) => void) | undefined;
  /** How long to wait for that process, in milliseconds; 10 s when left out. */
  readonly lockTimeoutMs?: number | undefined;
}

export interface EmbeddedDatabase {
  readonly dataFolder: string;
  /** A connection for `pg`'s `stream` option. The database has one session: the next one waits for its end. */
  stream(): Duplex;
  /** Ends the database and frees the folder. Later streams fail. */
  close(): Promise<void>;
}

const LOCK_TIMEOUT_MS = 10_000;

const WHEN_BUSY =
  'Wait for it or stop it; for several processes at once run `agents database start`, or set DATABASE_URL.';

/**
 * @param home the folder that holds everything of ours; made when it is missing.
 * @throws STORE_BUSY when another process keeps the folder; SCHEMA_TOO_NEW or STORE_FAILED for data of
 *   another major version; STORE_FAILED when the folder cannot be read or written.
 */
export async function openEmbedded(
  home: string,
  hooks: EmbeddedHooks = {},
): Promise<EmbeddedDatabase> {
  const folder = join(resolve(home), `embedded-${EMBEDDED_MAJOR}`);
  const lock = await acquireFolderLock(join(folder, 'lock'), {
    timeoutMs: hooks.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    onWaiting: hooks.onWaiting,
    remedy: WHEN_BUSY,
  });
  try {
    const dataFolder = join(folder, 'data');
    requireOwnVersion(home, dataFolder);
    if (!existsSync(dataFolder)) await createData(folder, dataFolder, hooks);
    const { worker, version } = await PgliteWorker.open(dataFolder);
    return {
      dataFolder,
      ...sessionOf(worker, version),
      close: async () => {
        await worker.close();
        lock.release();
      },
    };
  } catch (error) {
    releaseAfterFailure(lock);
    throw storeFailure('open the embedded database in', folder, error);
  }
}

/** What TypeORM needs to reach the database, and `pg` too (`user` and `database` are its names). */
export function embeddedConnection(database: EmbeddedDatabase) {
  return {
    type: 'postgres',
    username: 'postgres',
    database: 'postgres',
    // The pool is the queue before the one session; a larger one would only wait inside.
    poolSize: 1,
    extra: { stream: () => database.stream(), connectionTimeoutMillis: 30_000 },
  } as const;
}

/** One session, handed from stream to stream in the order they asked. */
function sessionOf(worker: PgliteWorker, version: string): Pick<EmbeddedDatabase, 'stream'> {
  let last: Promise<void> = Promise.resolve();
  const takeSession = async () => {
    const before = last;
    let giveBack = (): void => undefined;
    last = new Promise((done) => (giveBack = done));
    await before;
    return giveBack;
  };
  return {
    stream: () => new PgliteStream((messages) => worker.exchange(messages), takeSession, version),
  };
}

/**
 * Whole or not at all: made beside its place and renamed, so a process killed in the middle leaves
 * only a draft, which the next one removes.
 */
async function createData(folder: string, dataFolder: string, hooks: EmbeddedHooks): Promise<void> {
  const draft = join(folder, 'new');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const template = findTemplate();
  if (template !== undefined) unpackTemplate(template, draft);
  else {
    hooks.onFirstStart?.();
    await (await PgliteWorker.open(draft)).worker.close();
  }
  renameSync(draft, dataFolder);
}

/** An empty database beside data of another version would look like a loss. */
function requireOwnVersion(home: string, dataFolder: string): void {
  const found = existsSync(dataFolder) ? dataFolder : otherData(home);
  if (found === undefined) return;
  const major = Number.parseInt(readFileSync(join(found, 'PG_VERSION'), 'utf8'), 10);
  if (major === EMBEDDED_MAJOR) return;
  throw new OssatureError(
    major > EMBEDDED_MAJOR ? 'SCHEMA_TOO_NEW' : 'STORE_FAILED',
    `${found} holds data of Postgres ${major}; this version reads Postgres ${EMBEDDED_MAJOR}. Run \`agents database export FILE\` with the version that wrote it, move the folder away, and run \`agents database import FILE\` with this one.`,
    { details: { folder: found, found: major, expected: EMBEDDED_MAJOR } },
  );
}

function otherData(home: string): string | undefined {
  return readdirSync(home)
    .filter((name) => /^embedded-\d+$/.test(name))
    .map((name) => join(home, name, 'data'))
    .find((folder) => existsSync(join(folder, 'PG_VERSION')));
}
