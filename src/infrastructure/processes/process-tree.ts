/** Ends a program with everything it started, also what has left its group or its parent. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Rounds of looking for what was started while the rest was being ended. */
const ROUNDS = 5;

/**
 * @param pid of the first process, the leader of its own group; null where it is not known.
 * @param mark a text that stands in the environment of every process of the tree and of no other; found
 * where the system shows environments (Linux), so that a daemon without parent and group is found too.
 */
export async function endProcessTree(pid: number | null, mark: string): Promise<void> {
  if (process.platform === 'win32') {
    if (pid === null) return;
    await run('taskkill', ['/pid', String(pid), '/T', '/F']).catch(() => undefined);
    return;
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const below = pid === null ? [] : await descendantsOf(pid);
    const found = new Set([...below, ...(await markedBy(mark))]);
    found.delete(process.pid);
    if (pid !== null) kill(-pid);
    for (const one of found) kill(one);
    if (found.size === 0) return;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, which is what was wanted.
  }
}

/** Those of whom `pid` is parent, parent's parent and so on. */
async function descendantsOf(pid: number): Promise<number[]> {
  const listed = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=']).catch(() => ({ stdout: '' }));
  const children = new Map<number, number[]>();
  for (const line of listed.stdout.split('\n')) {
    const [child, parent, state] = line.trim().split(/\s+/);
    if (child === undefined || parent === undefined || state?.startsWith('Z') === true) continue;
    children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(child)]);
  }
  const found: number[] = [];
  const left = [pid];
  for (let parent = left.pop(); parent !== undefined; parent = left.pop()) {
    const below = children.get(parent) ?? [];
    found.push(...below);
    left.push(...below);
  }
  return found;
}

async function markedBy(mark: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const env = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return env.includes(mark) ? pid : 0;
    }),
  );
  return marked.filter((pid) => pid > 0);
}
