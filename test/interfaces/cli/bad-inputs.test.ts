import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, fragmentLines } from './cli-support.js';

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-cli-'));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
  await agents(['database', 'migrate'], { env });
  await agents(['project', 'create', 'demo'], { env });
  const words = ['plan', 'create', '--project', 'demo', '--goal', 'g', '--name', 'plan'];
  await agents(words, { env });
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const importing = (path: string, ...words: readonly string[]) =>
  answer(['plan', 'import', 'plan', path, ...words], { env });

async function fragmentsHeld(): Promise<unknown> {
  const { data } = await answer(['plan', 'context', 'plan'], { env });
  return data?.['total'];
}

const NOTHING = { fragments: 0, tokens: 0 };

describe('files that cannot be imported', () => {
  it.each([
    {
      rule: 'a missing file is named',
      path: () => join(folder, 'missing.jsonl'),
      says: /missing\.jsonl does not exist\. Check the path/,
    },
    { rule: 'a directory is named as one', path: () => folder, says: /is a directory/ },
    {
      rule: 'a binary file is named as one',
      path: () => file('program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1])),
      says: /is a binary file/,
    },
    {
      rule: 'text of no known format names what was tried',
      path: () => file('prose.txt', 'Once upon a time\n'),
      says: /none of the known formats\. Tried: .*claude-code.*fragment-file/,
    },
  ])('$rule, and nothing is written', async ({ path, says }) => {
    const { exit_code, status, data, messages } = await importing(path());
    expect({ exit_code, status, data }).toEqual({ exit_code: 1, status: 'error', data: null });
    expect(messages).toEqual([
      expect.objectContaining({
        level: 'error',
        code: 'INVALID_TRANSCRIPT',
        text: expect.stringMatching(says),
      }),
    ]);
    expect(await fragmentsHeld()).toEqual(NOTHING);
  });

  it('one unreadable file stops the import before any other is written', async () => {
    const good = file('first.jsonl', fragmentLines('first:0.5:10'));
    const { stderr, exitCode } = await agents(
      ['plan', 'import', 'plan', good, join(folder, 'missing.jsonl')],
      { env },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error INVALID_TRANSCRIPT: .*missing\.jsonl does not exist/);
    expect(await fragmentsHeld()).toEqual(NOTHING);
  });

  it('one bad object is named by line and field, and nothing of its file is imported', async () => {
    const bad = file(
      'bad.jsonl',
      `${fragmentLines('good:0.5:10')}{"fragment_id":"bad","content":"x","relevance":1.5}\n`,
    );
    const { exit_code, messages } = await importing(bad);
    expect(exit_code).toBe(1);
    expect(messages[0]).toMatchObject({
      code: 'INVALID_FRAGMENT',
      text: expect.stringMatching(/line 2: relevance must be a number from 0 to 1/),
      details: { line: 2, field: 'relevance' },
    });
    expect(await fragmentsHeld()).toEqual(NOTHING);
  });

  it('a line of 200 MB is refused in bounded memory', async () => {
    const path = join(folder, 'endless.jsonl');
    const descriptor = openSync(path, 'w');
    writeSync(descriptor, '{"fragment_id":"a","relevance":0.5,"content":"');
    const piece = Buffer.alloc(8 * 1024 * 1024, 'a');
    for (let written = 0; written < 200; written += 8) writeSync(descriptor, piece);
    writeSync(descriptor, '"}\n');
    closeSync(descriptor);
    const before = process.memoryUsage().rss;
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss);
    }, 20);

    const { messages } = await importing(path).finally(() => clearInterval(watch));

    expect(messages[0]).toMatchObject({
      code: 'INVALID_FRAGMENT',
      text: expect.stringMatching(/line 1: must be shorter than 64 MB/),
    });
    expect(highest - before).toBeLessThan(180 * 1024 * 1024);
  }, 30_000);
});

describe('files that are imported in part, or hold nothing', () => {
  it('an empty file is read as nothing, and said to be empty', async () => {
    const { exit_code, data, messages } = await importing(file('empty.jsonl', ''));
    expect(exit_code).toBe(0);
    expect(data).toMatchObject({ files: [{ fragments_added: 0, lines: 0, bytes: 0 }] });
    expect(messages[0]).toMatchObject({
      level: 'warning',
      text: expect.stringMatching(/is empty/),
    });
  });

  it('--skip-invalid leaves the bad objects out and names them', async () => {
    const planned = await answer(
      ['plan', 'create', '--project', 'demo', '--goal', 'g', '--name', 'skipping'],
      { env },
    );
    const bad = file(
      'partly.jsonl',
      `${fragmentLines('kept:0.5:10')}{"fragment_id":"bad","content":"x"}\nnot json\n`,
    );
    const { data } = await answer(['plan', 'import', 'skipping', bad, '--skip-invalid'], { env });
    expect(data).toMatchObject({
      plan_id: planned.data?.['plan_id'],
      files: [
        {
          fragments_added: 1,
          problems: {
            total: 2,
            first: [
              { line: 2, field: 'relevance' },
              { line: 3, reason: 'not-json' },
            ],
          },
        },
      ],
    });
  });

  it('a dry run reports and writes nothing', async () => {
    const path = file('dry.jsonl', fragmentLines('dry:0.5:10'));
    const { data } = await importing(path, '--dry-run');
    expect(data).toMatchObject({
      dry_run: true,
      files: [{ fragments_added: 1, tokens_added: 10 }],
    });
    expect(await fragmentsHeld()).toEqual(NOTHING);
  });
});

describe('a bad request', () => {
  it.each([
    { rule: 'an unknown command', argv: ['plan', 'spwn'], says: /Did you mean spawn/ },
    { rule: 'an unknown option', argv: ['plan', 'list', '--al'], says: /Unknown option '--al'/ },
    {
      rule: 'a missing argument',
      argv: ['plan', 'status'],
      says: /Missing required argument 'plan'/,
    },
    { rule: 'a missing option', argv: ['plan', 'spawn', 'p'], says: /--goal <text>/ },
    { rule: 'an argument too many', argv: ['plan', 'tree', 'a', 'b'], says: /Too many arguments/ },
    {
      rule: 'an unknown format',
      argv: ['plan', 'list', '--format', 'xml'],
      says: /rich, plain, json, yaml/,
    },
    {
      rule: 'a ratio that is no number',
      argv: ['plan', 'spawn', 'p', '--goal', 'g', '--skeleton-ratio', 'abc'],
      says: /must be a number from 0 to 1/,
    },
    {
      rule: 'an unknown source of relevance',
      argv: ['plan', 'spawn', 'p', '--goal', 'g', '--relevance', 'mood'],
      says: /stored, goal/,
    },
    {
      rule: 'a policy with nothing to set',
      argv: ['project', 'context', 'set', 'demo'],
      says: /Give either --skeleton-ratio/,
    },
    {
      rule: 'a limit that is no count',
      argv: ['plan', 'context', 'p', '--limit', '-1'],
      says: /whole number/,
    },
    {
      rule: 'standard input named twice',
      argv: ['plan', 'import', 'p', '-', '-'],
      says: /only once/,
    },
  ])(
    '$rule is wrong use: exit code 2, on stderr, with the help to ask for',
    async ({ argv, says }) => {
      const { exitCode, stdout, stderr } = await agents(argv, {
        env: { DATABASE_URL: UNREACHABLE },
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(says);
      expect(stderr).toMatch(/^error USAGE: .*See `agents .*--help`\.\n$/s);
    },
  );

  it('is told in the envelope where JSON is asked for, wherever the option stands', async () => {
    const { stdout, stderr } = await agents(['--format', 'json', 'plan', 'spawn', 'p']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      command: 'plan spawn',
      status: 'error',
      exit_code: 2,
      data: null,
      messages: [{ level: 'error', code: 'USAGE' }],
    });
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual([
      'command',
      'status',
      'exit_code',
      'data',
      'timing',
      'messages',
    ]);
  });

  it.each(['1.5', '-0.1', '1e9'])(
    'a ratio of %s is out of range: exit code 1, before a database is asked',
    async (ratio) => {
      const { exit_code, messages } = await answer(
        ['plan', 'spawn', 'p', '--goal', 'g', '--skeleton-ratio', ratio],
        { env: { DATABASE_URL: UNREACHABLE } },
      );
      expect(exit_code).toBe(1);
      expect(messages[0]).toMatchObject({ code: 'INVALID_RATIO' });
    },
  );

  it.each([
    { what: 'plan by name', argv: ['plan', 'status', 'nobody'] },
    { what: 'plan by id', argv: ['plan', 'status', '01ARZ3NDEKTSV4RRFFQ69G5FAV'] },
    { what: 'project', argv: ['plan', 'create', '--project', 'nobody', '--goal', 'g'] },
    {
      what: 'decision',
      argv: ['plan', 'supersede', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--choice', 'c'],
    },
    { what: 'dropped fragment', argv: ['plan', 'recall', 'plan', 'nothing'] },
  ])('an unknown $what is NOT_FOUND: exit code 1', async ({ argv }) => {
    const { exit_code, messages } = await answer(argv, { env });
    expect({ exit_code, code: messages[0]?.code }).toEqual({ exit_code: 1, code: 'NOT_FOUND' });
  });
});

const UNREACHABLE = 'postgres://user:secret@127.0.0.1:1/none';

describe('a store that cannot be used', () => {
  it('a database that is down is said to be unreachable, without its password', async () => {
    const { exitCode, stdout, stderr } = await agents(['plan', 'list'], {
      env: { DATABASE_URL: UNREACHABLE },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^error STORE_UNAVAILABLE: The database cannot be reached/);
    expect(stderr).not.toContain('secret');
  });

  it('an address that is none is a setting to correct', async () => {
    const { exitCode, stderr } = await agents(['plan', 'list'], {
      env: { DATABASE_URL: 'mysql://x' },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error INVALID_CONFIG: .*DATABASE_URL.*postgres:\/\//);
  });

  it('an outdated schema names the command that migrates it', async () => {
    const empty = await createTestDatabase();
    const settings = { env: { DATABASE_URL: empty.url } };
    const { exitCode, stderr } = await agents(['plan', 'list'], settings);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error SCHEMA_OUTDATED: .*agents database migrate/);
    const check = await answer(['database', 'check'], settings);
    expect(check).toMatchObject({ exit_code: 1, status: 'error', data: { state: 'outdated' } });
    const migrated = await answer(['database', 'migrate'], settings);
    const applied = (migrated.data?.['applied'] ?? []) as string[];
    expect(applied.length).toBeGreaterThan(0);
    expect(await answer(['database', 'check'], settings)).toMatchObject({
      exit_code: 0,
      data: { state: 'current', pending: [] },
    });
    const reverted = await answer(['database', 'revert'], settings);
    expect(reverted.data?.['reverted']).toBe(applied.at(-1));
    await empty.drop();
  });

  it('a schema newer than the code is refused and left alone', async () => {
    const newer = await createTestDatabase();
    const settings = { env: { DATABASE_URL: newer.url } };
    await agents(['database', 'migrate'], settings);
    const client = new Client({ connectionString: newer.url });
    await client.connect();
    await client.query(
      `insert into ossature.migrations (timestamp, name) values (9999999999999, 'Future9999999999999')`,
    );
    await client.end();
    for (const argv of [
      ['plan', 'list'],
      ['database', 'migrate'],
      ['database', 'revert'],
    ]) {
      const { exit_code, messages } = await answer(argv, settings);
      expect({ exit_code, code: messages[0]?.code }).toEqual({
        exit_code: 1,
        code: 'SCHEMA_TOO_NEW',
      });
    }
    expect(await answer(['database', 'check'], settings)).toMatchObject({
      exit_code: 1,
      data: { state: 'newer', unknown: ['Future9999999999999'] },
    });
    await newer.drop();
  });

  it('a home that cannot be written is named, with the way out', async () => {
    // Root may write anywhere, but not below a file.
    const home = join(file('a-file', ''), 'home');
    const { exitCode, stderr } = await agents(['project', 'list'], {
      env: { OSSATURE_HOME: home },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error STORE_FAILED: Cannot .*OSSATURE_HOME.*DATABASE_URL/s);
  });

  it('data of a stopped local server are named, as the embedded database does not show them', async () => {
    const home = join(folder, 'idle');
    mkdirSync(join(home, 'server-18', 'data'), { recursive: true });
    // Another server's data keep the embedded database from opening, which is all that is wanted here.
    mkdirSync(join(home, 'embedded-17', 'data'), { recursive: true });
    writeFileSync(join(home, 'embedded-17', 'data', 'PG_VERSION'), '17\n');
    const { stderr } = await agents(['project', 'list'], { env: { OSSATURE_HOME: home } });
    expect(stderr).toMatch(/^warning: The local database server is stopped.*agents database start/);
  });
});
