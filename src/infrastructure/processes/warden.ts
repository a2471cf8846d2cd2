/**
 * Ends the runs that this process leaves behind when it dies: `kill -9` lets no code of ours run, so a
 * second process waits for our end. It knows of us by a pipe, which the system closes however we end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { GUARD_FLAG } from '../../application/lessons/replay-guard.js';
import type { Logger } from '../../application/ports/logger.js';

/** One run, from before anything is in its folder until after the folder is gone. */
export interface Ward {
  /** @param pid of its first process. */
  started(pid: number): void;
  ended(): void;
}

/** A line of what the warden is told; without `pid` the run has ended, null: no process yet. */
export interface WardenLine {
  readonly root: string;
  readonly pid?: number | null;
}

const PROGRAM = fileURLToPath(new URL('./warden-program.js', import.meta.url));

/** A process that has nothing to watch for so long is ended; the next run starts another. */
const IDLE_MS = 30_000;

/** Nothing of our environment goes in; PATH is where `ps` is. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', [GUARD_FLAG]: '1', ELECTRON_RUN_AS_NODE: '1' };

const open = new Map<string, number | null>();
let warden: ChildProcess | null = null;
let idle: NodeJS.Timeout | undefined;
let isMissingNoted = false;

/**
 * Where no warden can be started the run goes on, and `log` is told once.
 *
 * @param root the folder of the run, whose path also stands in the environment of its processes.
 */
export function watchOver(root: string, log?: Logger): Ward {
  clearTimeout(idle);
  warden ??= started((fault) => {
    if (isMissingNoted) return;
    isMissingNoted = true;
    log?.warn('replay.unwatched', { fault });
  });
  const tell = (pid: number | null): void => {
    open.set(root, pid);
    write(warden, { root, pid });
  };
  tell(null);
  return {
    started: tell,
    ended() {
      open.delete(root);
      write(warden, { root });
      if (open.size === 0) idle = setTimeout(dismiss, IDLE_MS).unref();
    },
  };
}

function started(note: (fault: string) => void): ChildProcess | null {
  // As in a bundle, and where the sources run uncompiled.
  if (!existsSync(PROGRAM)) {
    note(`${PROGRAM} is not there`);
    return null;
  }
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, [PROGRAM], {
      // A group of its own: what a terminal or a supervisor sends to ours must not end it before us.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: tmpdir(),
      env: ENVIRONMENT,
      windowsHide: true,
    });
  } catch (error) {
    note(String(error));
    return null;
  }
  const lost = (fault: string): void => {
    if (warden !== child) return;
    warden = null;
    note(fault);
  };
  child.once('error', (error) => lost(error.message));
  child.once('exit', (code, by) => lost(`ended by itself: ${code ?? by}`));
  child.stdin?.on('error', () => undefined);
  // It waits for us and not we for it.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  for (const [root, pid] of open) write(child, { root, pid });
  return child;
}

function write(child: ChildProcess | null, line: WardenLine): void {
  child?.stdin?.write(`${JSON.stringify(line)}\n`);
}

function dismiss(): void {
  const child = warden;
  warden = null;
  child?.stdin?.end();
}
