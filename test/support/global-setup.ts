/**
 * Before the first test: a folder for this run, nothing of killed runs left behind, and the template
 * of the embedded database. The database server itself is started by the first test that asks for
 * one, see `postgres.ts`.
 *
 * Jest loads this file on its own, before it knows our modules: only Node's are imported.
 */
import { spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  chmodSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const PREFIX = 'ossature-test-';

/** These need no database, so a run of them alone must not pay for one. */
const WITHOUT_DATABASE = /^test\/(domain|application|architecture)(\/|$)/;

interface JestSelection {
  readonly rootDir: string;
  readonly testPathPatterns?: { readonly patterns: readonly string[] };
}

// oxlint-disable-next-line import/no-default-export -- the only form Jest takes
export default function globalSetup(config: JestSelection): void {
  const temporary = realpathSync(tmpdir());
  sweep(temporary);
  const run = mkdtempSync(join(temporary, PREFIX));
  // The server may run under another account (tests as root) and must get through.
  chmodSync(run, 0o711);
  writeFileSync(join(run, 'owner'), String(process.pid));
  process.env['OSSATURE_TEST_RUN'] = run;
  const selected = config.testPathPatterns?.patterns ?? [];
  if (selected.length === 0 || !selected.every((pattern) => WITHOUT_DATABASE.test(pattern)))
    buildTemplate(config.rootDir);
}

/** Once per checkout and version; without it every new embedded database costs 10 s and 1 GB. */
function buildTemplate(rootDir: string): void {
  const script = join(rootDir, 'scripts', 'build-template.mjs');
  const { status } = spawnSync(process.execPath, [script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('scripts/build-template.mjs failed; see above.');
}

/** Ends servers and removes folders of runs whose own process is gone. */
function sweep(temporary: string): void {
  for (const name of readdirSync(temporary).filter((entry) => entry.startsWith(PREFIX))) {
    const run = join(temporary, name);
    const owner = numberIn(join(run, 'owner'));
    if (owner === undefined || isRunning(owner)) continue;
    for (const server of serversIn(run)) process.kill(server, 'SIGQUIT');
    rmSync(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** The pids of the servers with their data somewhere below the folder of a run. */
function serversIn(run: string): readonly number[] {
  return readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'postmaster.pid')
    .flatMap((path) => numberIn(join(run, path)) ?? [])
    .filter((pid) => pid > 0 && isRunning(pid) && commandOf(pid).includes(run));
}

function numberIn(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
