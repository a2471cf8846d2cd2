/**
 * A place without any past: working folder, home, configuration and temporary files of a program that
 * must know nothing but what it is told.
 */
import { copyFile, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { GUARD_FLAG } from '../../application/lessons/replay-guard.js';
import { OssatureError } from '../../domain/kernel/errors.js';

/** Read by nearly every program, and telling nothing of earlier work. */
const ALWAYS_ALLOWED = ['PATH', 'LANG', 'LANGUAGE', 'TZ', 'SystemRoot', 'PATHEXT', 'ComSpec'];

/** Where a store may be: a replay that could read it would find the verbose lesson. */
const NEVER_ALLOWED = /^(OSSATURE_|DATABASE_URL$|PG[A-Z]+$)/;

export interface EmptyPlace {
  /** Empty. */
  readonly workFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface PlaceRules {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of further variables to hand over. */
  readonly envAllow: readonly string[];
  /** Files to copy, as paths relative to the home of `env`. */
  readonly homeFiles: readonly string[];
}

/** @returns the path of a new folder, unique to one place. */
export async function makePlaceRoot(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'ossature-replay-')));
}

/** Everything below goes with it. */
export function removePlaceRoot(root: string): Promise<void> {
  return rm(root, { recursive: true, force: true, maxRetries: 5 });
}

/** @throws OssatureError INVALID_CONFIG for a home file that is not there or lies outside the home. */
export async function furnishPlace(root: string, rules: PlaceRules): Promise<EmptyPlace> {
  const inside = async (name: string): Promise<string> => {
    const folder = join(root, name);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  };
  const [workFolder, home, config] = [
    await inside('work'),
    await inside('home'),
    await inside('config'),
  ];
  const [cache, state, temp] = [await inside('cache'), await inside('state'), await inside('temp')];
  for (const file of rules.homeFiles) await copyHomeFile(file, rules.env, home);
  return {
    workFolder,
    env: {
      ...allowedOf(rules),
      HOME: home,
      USERPROFILE: home,
      APPDATA: config,
      LOCALAPPDATA: state,
      XDG_CONFIG_HOME: config,
      XDG_CACHE_HOME: cache,
      XDG_DATA_HOME: state,
      XDG_STATE_HOME: state,
      XDG_RUNTIME_DIR: temp,
      TMPDIR: temp,
      TMP: temp,
      TEMP: temp,
      PWD: workFolder,
      [GUARD_FLAG]: '1',
    },
  };
}

function allowedOf({ env, envAllow }: PlaceRules): Record<string, string> {
  const isAllowed = (name: string): boolean =>
    (ALWAYS_ALLOWED.includes(name) || name.startsWith('LC_') || envAllow.includes(name)) &&
    !NEVER_ALLOWED.test(name);
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0]),
    ),
  );
}

async function copyHomeFile(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Promise<void> {
  const relative = normalize(file);
  if (isAbsolute(relative) || relative === '.' || relative.split(sep).includes('..')) {
    throw invalid(file, 'lies outside the home folder; name it relative to it');
  }
  const from = env['HOME'] ?? env['USERPROFILE'];
  if (from === undefined) throw invalid(file, 'cannot be found: there is no HOME');
  const target = join(home, relative);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  try {
    await copyFile(join(from, relative), target);
  } catch (cause) {
    throw invalid(file, 'cannot be copied from the home folder; is it there and a file?', cause);
  }
}

function invalid(file: string, fault: string, cause?: unknown): OssatureError {
  return new OssatureError('INVALID_CONFIG', `replay.home_files: ${file} ${fault}.`, {
    details: { field: 'replay.home_files', file },
    cause,
  });
}
