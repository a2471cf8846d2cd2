/** After the last test: the server that the tests started, if any, and the folder of this run. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

// oxlint-disable-next-line import/no-default-export -- the only form Jest takes
export default async function globalTeardown(): Promise<void> {
  const run = process.env['OSSATURE_TEST_RUN'];
  if (run === undefined) return;
  const pidFile = join(run, 'cluster', 'postmaster.pid');
  const server = Number.parseInt(textOf(pidFile), 10);
  if (server > 0) {
    process.kill(server, 'SIGINT');
    // The server removes its pid file as its last act.
    for (let waited = 0; waited < 10_000 && textOf(pidFile) !== ''; waited += 25) await pause(25);
  }
  rmSync(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
