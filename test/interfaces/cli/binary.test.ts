import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, fragmentLines } from './cli-support.js';
import { type CompiledCli, compileCli, RunningCli } from './compiled-cli.js';

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;
let compiled: CompiledCli;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-cli-'));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
  compiled = compileCli();
  await agents(['database', 'migrate'], { env });
  await agents(['project', 'create', 'demo'], { env });
  const words = ['plan', 'create', '--project', 'demo', '--goal', 'g', '--name', 'plan'];
  await agents(words, { env });
});

afterAll(async () => {
  compiled.remove();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a module and all that it imports at once bring in from outside the project. */
function packagesBehind(entry: string): ReadonlySet<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(file, 'utf8');
    const imports = /^(?:import|export)\s(?!type\b)[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;
    for (const [, from, bare] of source.matchAll(imports)) {
      const name = from ?? bare ?? '';
      if (name.startsWith('.')) visit(resolve(dirname(file), name.replace(/\.js$/, '.ts')));
      else if (!name.startsWith('node:') && !builtinModules.includes(name)) packages.add(name);
    }
  };
  visit(entry);
  return packages;
}

/** Waits until another client writes to the test database; an autovacuum has transactions, too. */
async function transactionUnderWay(): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  for (let found = 0; found === 0;) {
    const { rowCount } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database()
       and backend_type = 'client backend' and pid <> pg_backend_pid() and backend_xid is not null`,
    );
    found = rowCount ?? 0;
  }
  await client.end();
}

describe('the binary', () => {
  it('loads one package before a command runs, so that help comes at once', () => {
    expect([...packagesBehind(resolve('src/interfaces/cli/main.ts'))]).toEqual(['commander']);
  });

  it('prints a result on stdout, nothing on stderr, and ends with 0', async () => {
    const cli = new RunningCli(compiled.main, ['project', 'list'], env);
    expect(await cli.ended).toBe(0);
    expect(cli.stderr).toBe('');
    expect(cli.stdout).toMatch(/^NAME +PROJECT_ID +CREATED_AT\ndemo /);
  });

  it('ends quietly when its reader has seen enough', async () => {
    const cli = new RunningCli(compiled.main, ['database', 'export', '-'], env);
    cli.child.stdout?.destroy();
    expect(await cli.ended).toBe(0);
    expect(cli.stderr).toBe('');
  });

  it('says that its output could not be written', () => {
    // Where there is no such device, there is nothing to see.
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [compiled.main, 'project', 'list'], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error OUTPUT_FAILED: .*standard output \(.*ENOSPC.*\).*\n$/);
  });

  it('takes fragments from standard input', async () => {
    const cli = new RunningCli(compiled.main, ['plan', 'import', 'plan', '-'], env);
    cli.child.stdin?.end(fragmentLines('piped:0.5:10'));
    expect(await cli.ended).toBe(0);
    expect(cli.stdout).toContain('standard input  fragment-file      1');
  });

  it('writes nothing of an import that Ctrl-C ends', async () => {
    const path = join(folder, 'large.jsonl');
    const lines = Array.from({ length: 40_000 }, (_, index) => `large-${index}:0.5:10`);
    writeFileSync(path, fragmentLines(...lines));
    const before = (await answer(['plan', 'status', 'plan'], { env })).data?.['context'];
    const cli = new RunningCli(compiled.main, ['plan', 'import', 'plan', path], env);
    await transactionUnderWay();
    cli.child.kill('SIGINT');

    expect(await cli.ended).toBe(130);
    expect(cli.stderr).toContain('error INTERRUPTED');
    expect((await answer(['plan', 'status', 'plan'], { env })).data?.['context']).toEqual(before);
  });
});

describe('Ctrl-C while standard input is read', () => {
  it('ends the wait', async () => {
    const cli = new RunningCli(compiled.main, ['plan', 'import', 'plan', '-'], env);
    cli.child.stdin?.write('{');
    await new Promise((passed) => {
      setTimeout(passed, 1_500);
    });
    cli.child.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(cli.stderr).toContain('error INTERRUPTED');
  });
});

describe('moving a store', () => {
  it('an export goes into another store whole, and never over a file unasked', async () => {
    const path = join(folder, 'backup.jsonl');
    const exported = await answer(['database', 'export', path], { env });
    expect(exported).toMatchObject({ exit_code: 0, data: { file: path, rows: { projects: 1 } } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await answer(['database', 'export', path], { env });
    expect(again).toMatchObject({ exit_code: 1, messages: [{ code: 'ALREADY_EXISTS' }] });
    expect(await answer(['database', 'export', path, '--force'], { env })).toMatchObject({
      exit_code: 0,
    });

    const other = await createTestDatabase();
    const there = { env: { DATABASE_URL: other.url } };
    await agents(['database', 'migrate'], there);
    const imported = await answer(['database', 'import', path], there);
    expect(imported.data).toMatchObject({ rows: exported.data?.['rows'] });
    const status = ['plan', 'status', 'plan'];
    expect((await answer(status, there)).data).toEqual((await answer(status, { env })).data);
    await other.drop();
  });

  it.each([
    { rule: 'a folder that is not there', target: () => join(folder, 'no', 'file.jsonl') },
    { rule: 'a directory', target: () => folder },
  ])('an export to $rule is refused and leaves nothing behind', async ({ target }) => {
    const { exit_code, messages } = await answer(['database', 'export', target()], { env });
    expect({ exit_code, code: messages[0]?.code }).toEqual({ exit_code: 1, code: 'INVALID_INPUT' });
    expect(existsSync(`${target()}.${process.pid}.part`)).toBe(false);
  });

  it('what is no export is refused by its line', async () => {
    const path = join(folder, 'no-export.jsonl');
    writeFileSync(path, fragmentLines('a:0.5:10'));
    const other = await createTestDatabase();
    const there = { env: { DATABASE_URL: other.url } };
    await agents(['database', 'migrate'], there);
    const { exit_code, messages } = await answer(['database', 'import', path], there);
    expect({ exit_code, code: messages[0]?.code }).toEqual({ exit_code: 1, code: 'INVALID_INPUT' });
    await other.drop();
  });
});
