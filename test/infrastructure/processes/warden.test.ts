/** The process that is killed is the compiled program itself, with an agent that never answers. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isRunning } from '../../../src/infrastructure/persistence/embedded/process-identity.js';
import { runIsolated } from '../../../src/infrastructure/processes/run-isolated.js';
import { type CompiledCore, compileCore, type Worker } from '../typeorm/compiled-core.js';

/** Answers each line with its own pid; runs the agent meanwhile, and ends when its input does. */
const WORKER = `
  import { createInterface } from 'node:readline';
  import { runIsolated } from './src/infrastructure/processes/run-isolated.js';

  process.env.API_KEY = 'key-4711-private';
  for await (const line of createInterface({ input: process.stdin })) {
    const { script, report, home, hangs } = JSON.parse(line);
    const running = runIsolated({
      template: { program: process.execPath, arguments: ['-e', script], promptBy: 'stdin' },
      prompt: '', timeoutMs: 60_000, maxAnswerBytes: 100,
      env: { PATH: process.env.PATH, HOME: home, REPORT: report },
      envAllow: ['REPORT'], homeFiles: ['login'],
    });
    if (!hangs) await running;
    console.log(process.pid);
  }
`;

/** Of the two processes one has left its group; both would stay for ever. */
const HANGING = `
  const { spawn } = require('node:child_process');
  const forever = ['-e', 'setInterval(() => {}, 1000)'];
  const own = spawn(process.execPath, forever, { stdio: 'ignore' });
  const daemon = spawn(process.execPath, forever, { stdio: 'ignore', detached: true });
  const { REPORT, HOME } = process.env;
  const pids = [process.pid, own.pid, daemon.pid];
  require('node:fs').writeFileSync(REPORT + '.new', JSON.stringify({ pids, home: HOME }));
  require('node:fs').renameSync(REPORT + '.new', REPORT);
  setInterval(() => {}, 1000);`;

let scratch: string;
let core: CompiledCore;
let worker: Worker;
const hanging: number[] = [];
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'warden-test-'));
  writeFileSync(join(scratch, 'login'), 'the login');
  core = compileCore();
}, 60_000);
afterAll(() => {
  core.remove();
  // Those that a broken promise left.
  for (const pid of hanging.filter((each) => isRunning(each))) process.kill(pid, 'SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});
beforeEach(() => {
  worker = core.start(WORKER);
});

function runs(script: string): Promise<number> {
  return worker.ask({ script, report: '', home: scratch, hangs: false });
}

interface Report {
  readonly pids: readonly number[];
  readonly home: string;
}

async function hangs(name: string): Promise<Report> {
  const report = join(scratch, name);
  await worker.ask({ script: HANGING, report, home: scratch, hangs: true });
  await until(() => existsSync(report), 30);
  const told = JSON.parse(readFileSync(report, 'utf8')) as Report;
  hanging.push(...told.pids);
  return told;
}

async function until(holds: () => boolean, seconds = 10): Promise<void> {
  for (let wait = 0; wait < seconds * 20 && !holds(); wait += 1) await pause(50);
  expect(holds()).toBe(true);
}

/** Those started by a process which run the program of a warden. */
function wardensOf(pid: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && /warden-program/.test(args.join()))
    .map(([own]) => Number(own));
}

const environOf = (pid: number): string => readFileSync(`/proc/${pid}/environ`, 'utf8');

describe('the runs of a process', () => {
  it('end with all their processes and folders when it is killed', async () => {
    const left = [await hangs('first'), await hangs('second')];
    const pids = left.flatMap((run) => run.pids);
    expect(pids.filter((pid) => isRunning(pid))).toEqual(pids);
    for (const { home } of left) expect(readdirSync(home)).toEqual(['login']);

    await worker.kill();

    await until(() => !pids.some((pid) => isRunning(pid)));
    await until(() => !left.some(({ home }) => existsSync(join(home, '..'))));
  });

  it('are watched by one small process, which knows nothing of ours and ends with it', async () => {
    await runs('1');
    const pid = await runs('2');
    const wardens = wardensOf(pid);
    expect(wardens).toHaveLength(1);
    const [warden = 0] = wardens;
    if (process.platform === 'linux') expect(environOf(warden)).not.toMatch(/4711|HOME|REPORT/);

    // Nothing of it holds the process back.
    await worker.end();

    await until(() => !isRunning(warden));
  });

  it('go on where no warden can be started, and it is noted once', async () => {
    const noted: unknown[] = [];
    const note = (event: string, fields: unknown): unknown => noted.push([event, fields]);
    const log = { debug: note, info: note, warn: note, error: note };
    const ask = () =>
      runIsolated({
        template: { program: process.execPath, arguments: ['-e', '1'], promptBy: 'stdin' },
        prompt: '',
        timeoutMs: 60_000,
        maxAnswerBytes: 100,
        env: process.env,
        envAllow: [],
        homeFiles: [],
        log,
      });

    // The sources run as they are here: beside them stands no program.
    expect([(await ask()).outcome, (await ask()).outcome]).toEqual(['answered', 'answered']);

    expect(noted).toEqual([
      ['replay.unwatched', { fault: expect.stringMatching(/warden-program\.js is not there/) }],
    ]);
  });
});
