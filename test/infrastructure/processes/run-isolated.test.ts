import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isRunning } from '../../../src/infrastructure/persistence/embedded/process-identity.js';
import { parseCommandTemplate } from '../../../src/infrastructure/processes/command-template.js';
import {
  type IsolatedAnswer,
  type IsolatedRun,
  runIsolated,
} from '../../../src/infrastructure/processes/run-isolated.js';

const scratch = mkdtempSync(join(tmpdir(), 'isolated-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const home = join(scratch, 'home');
mkdirSync(join(home, '.agent'), { recursive: true });
writeFileSync(join(home, '.agent', 'login.json'), 'the login');
writeFileSync(join(home, 'marker'), 'a marker file of the caller');

const callersEnv = {
  PATH: process.env['PATH'],
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  HOME: home,
  MARKER: 'a marker of the caller',
  API_KEY: 'allowed by name',
  DATABASE_URL: 'postgres://the-store',
  OSSATURE_HOME: '/the/store',
  PGPASSWORD: 'secret',
};

function ask(script: string, change: Partial<IsolatedRun> = {}): Promise<IsolatedAnswer> {
  return runIsolated({
    template: parseCommandTemplate(`node -e '${script}'`, callersEnv),
    prompt: 'the prompt',
    timeoutMs: 30_000,
    maxAnswerBytes: 65_536,
    env: callersEnv,
    envAllow: [],
    homeFiles: [],
    ...change,
  });
}

const SEEN = `
  const { readdirSync, existsSync } = require("node:fs");
  const { env } = process;
  console.log(JSON.stringify({
    pid: process.pid, env, folder: process.cwd(), here: readdirSync("."), home: readdirSync(env.HOME),
  }));`;

interface Seen {
  readonly pid: number;
  readonly env: Record<string, string>;
  readonly folder: string;
  readonly here: string[];
  readonly home: string[];
}

describe('a program in an empty place', () => {
  it('S20: sees no file, variable or home of the caller', async () => {
    const { answer, outcome, pid } = await ask(SEEN);
    const seen = JSON.parse(answer) as Seen;
    expect(outcome).toBe('answered');
    expect(seen).toMatchObject({ pid, here: [], home: [] });
    expect(seen.env['OSSATURE_REPLAY']).toBe('1');
    expect(seen.env['LC_ALL']).toBe('C.UTF-8');
    expect(Object.keys(seen.env)).not.toContain('MARKER');
    expect(answer).not.toContain('marker');
    for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'TMPDIR']) {
      expect(seen.env[name]).toContain('ossature-replay-');
    }
    expect(existsSync(seen.folder)).toBe(false);
  });

  it('gets the variables allowed by name, but never the settings of the store', async () => {
    const envAllow = ['API_KEY', 'DATABASE_URL', 'OSSATURE_HOME', 'PGPASSWORD'];
    const seen = JSON.parse((await ask(SEEN, { envAllow })).answer) as Seen;
    expect(seen.env).toMatchObject({ API_KEY: 'allowed by name' });
    expect(Object.keys(seen.env)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/DATABASE_URL|OSSATURE_HOME|PGPASSWORD/)]),
    );
  });

  it('finds the files of the home that were named, and no other', async () => {
    const { answer } = await ask(SEEN, { homeFiles: ['.agent/login.json'] });
    expect((JSON.parse(answer) as Seen).home).toEqual(['.agent']);
  });

  it.each(['../home/marker', '/etc/passwd', 'absent', '.agent', '.'])(
    'is not started with the home file %s',
    async (file) => {
      await expect(ask(SEEN, { homeFiles: [file] })).rejects.toMatchObject({
        code: 'INVALID_CONFIG',
        message: expect.stringContaining(file),
      });
    },
  );

  it('is told the prompt on stdin, or as one argument', async () => {
    const echo = 'process.stdin.pipe(process.stdout)';
    expect((await ask(echo, { prompt: ' two\nlines é ' })).answer).toBe('two\nlines é');
    const template = parseCommandTemplate(
      `node -e 'console.log(process.argv[1])' {prompt}`,
      callersEnv,
    );
    expect((await ask('', { template, prompt: '$(date) "x"' })).answer).toBe('$(date) "x"');
  });

  it('S20: is a new process each time', async () => {
    const runs = await Promise.all([ask(SEEN), ask(SEEN)]);
    expect(new Set(runs.map(({ pid }) => pid)).size).toBe(2);
  });

  it.each([
    ['process.exit(3)', { outcome: 'failed', exitCode: 3 }],
    ['process.kill(process.pid, "SIGTERM")', { outcome: 'failed', exitCode: null }],
    ['console.error("no login"); process.exit(1)', { complaint: 'no login\n' }],
    ['', { outcome: 'answered', answer: '' }],
  ])('%s is told as it is', async (script, told) => {
    expect(await ask(script)).toMatchObject(told);
  });

  it('is heard up to the limit, cut between whole characters', async () => {
    const { answer, isCut } = await ask('process.stdout.write("é".repeat(5000))', {
      maxAnswerBytes: 1_001,
    });
    expect([answer, isCut]).toEqual(['é'.repeat(500), true]);
  });

  it('that reads nothing and is told a megabyte does no harm', async () => {
    expect(await ask('console.log("ok")', { prompt: 'x'.repeat(1_000_000) })).toMatchObject({
      outcome: 'answered',
      answer: 'ok',
    });
  });

  it('cannot be told more than the system takes as an argument, and says so', async () => {
    const template = parseCommandTemplate('node -e 1 {prompt}', callersEnv);
    const { outcome, complaint } = await ask('', { template, prompt: 'x'.repeat(5_000_000) });
    expect(outcome).toBe('failed');
    expect(complaint).toMatch(/E2BIG/);
  });

  // A child of its own group whose parent has ended: only its environment tells whose it is.
  const DAEMON = `
    const { spawn } = require("node:child_process");
    const forever = ["-e", "setInterval(() => {}, 1000)"];
    const own = spawn(process.execPath, forever, { stdio: "inherit" });
    const daemon = spawn(process.execPath, forever, { detached: true, stdio: "ignore" });
    daemon.unref();
    require("node:fs").writeFileSync(process.env.REPORT, own.pid + " " + daemon.pid);`;

  it.each([
    ['at the timeout', 'setInterval(() => {}, 1000);', 'timed-out'],
    ['after an answer', 'own.unref(); process.exit(0);', 'answered'],
  ])('ends with everything it started, %s', async (_when, last, outcome) => {
    const report = join(scratch, `report-${outcome}`);
    const started = performance.now();
    const answer = await ask(DAEMON + last, {
      timeoutMs: 3_000,
      env: { ...callersEnv, REPORT: report },
      envAllow: ['REPORT'],
    });
    expect(answer.outcome).toBe(outcome);
    const pids = readFileSync(report, 'utf8').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await pause(200);
    expect(pids.filter((pid) => isRunning(pid))).toEqual([]);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('ends when it is told to stop, and before it began', async () => {
    const controller = new AbortController();
    const running = ask('setInterval(() => {}, 1000)', { signal: controller.signal });
    await pause(300);
    controller.abort();
    expect(await running).toMatchObject({ outcome: 'aborted', answer: '' });
    expect(await ask('', { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'aborted' });
  });

  it('leaves no folder behind', async () => {
    const places = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('ossature-replay-'));
    const before = places();
    await ask('process.exit(1)');
    expect(places()).toEqual(before);
  });
});
