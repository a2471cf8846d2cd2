/**
 * Who a process is, so that a number written to disk yesterday is not taken for a process of today.
 * A pid alone is reused; pid and start time together are not, until the machine boots again.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot (field 22 of Linux's /proc/PID/stat); empty where there is no /proc. */
  readonly startedAt: string;
  readonly host: string;
  /** Changes with each boot of the machine; empty where it is unknown. */
  readonly boot: string;
  /** The pid namespace: two containers of one machine count their processes apart. */
  readonly namespace: string;
}

export type Liveness = 'running' | 'ended' | 'unknown';

export function thisProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    startedAt: processStart(process.pid)?.startedAt ?? '',
    host: hostname(),
    boot: boot(),
    namespace: namespace(),
  };
}

/** `unknown` when the process lives where this one cannot look: another host or another container. */
export function livenessOf(other: ProcessIdentity): Liveness {
  if (other.host !== hostname()) return 'unknown';
  if (other.boot !== boot()) return other.boot === '' ? 'unknown' : 'ended';
  if (other.namespace !== namespace()) return 'unknown';
  return isRunning(other.pid, other.startedAt) ? 'running' : 'ended';
}

/** A zombie has ended: it only waits for its parent to ask how. */
export function isRunning(pid: number, startedAt = ''): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const found = processStart(pid);
  if (found === undefined) return true;
  return !found.zombie && (startedAt === '' || startedAt === found.startedAt);
}

function processStart(pid: number): { startedAt: string; zombie: boolean } | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { startedAt: fields[19] ?? '', zombie: fields[0] === 'Z' };
}

function boot(): string {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
