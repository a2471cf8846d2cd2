import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, fragmentLines } from './cli-support.js';

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-cli-'));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, OSSATURE_HOME: join(folder, 'home') };
  await agents(['database', 'migrate'], { env });
  await agents(['project', 'create', 'demo'], { env });
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(name: string): Promise<void> {
  await agents(['plan', 'create', '--project', 'demo', '--goal', 'g', '--name', name], { env });
}

async function contextOf(plan: string): Promise<unknown> {
  return (await answer(['plan', 'status', plan], { env })).data?.['context'];
}

function record(uuid: string, parentUuid: string | null, message: object, type = 'user') {
  const common = { sessionId: 'abc', timestamp: '2026-01-31T12:00:00.000Z', isSidechain: false };
  return `${JSON.stringify({ type, uuid, parentUuid, ...common, message })}\n`;
}

const SECRET = 'postgres://harbor:hunter2secret@db.example.com/harbor';

const SESSION =
  record('u1', null, { role: 'user', content: `Mend the login, the store is ${SECRET}` }) +
  record(
    'u2',
    'u1',
    { role: 'assistant', id: 'm1', content: [{ type: 'text', text: 'It was the cookie.' }] },
    'assistant',
  );

describe('a session of an agent', () => {
  it('becomes fragments and decisions once; the same file again adds nothing', async () => {
    await start('session');
    const path = join(folder, 'session.jsonl');
    writeFileSync(path, SESSION);

    const first = await answer(['plan', 'import', 'session', path], { env });
    expect(first.data?.['files']).toEqual([
      expect.objectContaining({
        format: 'claude-code',
        fragments_added: 2,
        fragments_known: 0,
        decisions_added: 1,
        lines: 2,
      }),
    ]);
    const held = await contextOf('session');
    const again = await answer(['plan', 'import', 'session', path], { env });
    expect(again.data?.['files']).toEqual([
      expect.objectContaining({ fragments_added: 0, fragments_known: 2, decisions_added: 0 }),
    ]);
    expect(await contextOf('session')).toEqual(held);
  });

  it('is a session of the store, and the same by the session’s own import', async () => {
    await start('either-way');
    const path = join(folder, 'either-way.jsonl');
    writeFileSync(path, SESSION.replaceAll('abc', 'either').replaceAll(/"u(\d)"/g, '"w$1"'));
    const { data } = await answer(['plan', 'import', 'either-way', path], { env });
    expect(data?.['files']).toEqual([
      expect.objectContaining({
        sessions: [
          expect.objectContaining({ vendor_session_id: 'either', added: 2, is_new: true }),
        ],
      }),
    ]);
    const held = await contextOf('either-way');
    const words = ['session', 'import', path, '--plan', 'either-way'];
    expect((await answer(words, { env })).data?.['sessions']).toEqual([
      expect.objectContaining({ added: 0, is_new: false, fragments: 0, decisions: 0 }),
    ]);
    expect(await contextOf('either-way')).toEqual(held);
    const listed = await agents(['session', 'list'], { env });
    expect(listed.stdout).toContain('either');
    const other = await answer(['session', 'list', '--tenant', 'other'], { env });
    expect(other.data?.['sessions']).toEqual([]);
  });

  it('may serve several plans, each with decisions of its own', async () => {
    await start('first-plan');
    await start('second-plan');
    const file = join(folder, 'shared.jsonl');
    writeFileSync(file, SESSION);

    const first = await answer(['plan', 'import', 'first-plan', file], { env });
    const second = await answer(['plan', 'import', 'second-plan', file], { env });

    expect([first.status, second.status]).toEqual(['ok', 'ok']);
    expect(await contextOf('second-plan')).toEqual(await contextOf('first-plan'));
  });

  it('brings no secret in; the key that hides it is private and stays', async () => {
    const { stdout } = await agents(['plan', 'context', 'session', '--full'], { env });
    expect(stdout).not.toContain('hunter2secret');
    expect(stdout).toMatch(/\[redacted:[a-z-]+:[0-9a-f]{8}\]/);
    const key = join(folder, 'home', 'redaction.key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(readFileSync(key, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it('needs no file where the environment gives the key', async () => {
    await start('given-key');
    const home = join(folder, 'untouched');
    const { exitCode } = await agents(['plan', 'import', 'given-key', '-'], {
      env: { ...env, OSSATURE_HOME: home, OSSATURE_REDACTION_KEY: 'k' },
      stdin: SESSION.replaceAll('abc', 'def').replaceAll('u1', 'v1').replaceAll('u2', 'v2'),
    });
    expect(exitCode).toBe(0);
    expect(existsSync(home)).toBe(false);
  });
});

describe('fragment files', () => {
  it('refuse other content under a known id, naming the plan that holds it', async () => {
    await start('held');
    await agents(['plan', 'import', 'held', '-'], { env, stdin: fragmentLines('a:0.5:10') });
    const changed = fragmentLines('b:0.5:10', 'a:0.5:10').replace('content of a', 'else');
    const { messages, exit_code } = await answer(['plan', 'import', 'held', '-'], {
      env,
      stdin: changed,
    });
    expect(exit_code).toBe(1);
    expect(messages[0]).toMatchObject({ code: 'DUPLICATE_FRAGMENT' });
    expect(await contextOf('held')).toMatchObject({ total: { fragments: 1, tokens: 10 } });
  });

  it('are counted where they give no count', async () => {
    await start('counted');
    const stdin = '{"fragment_id":"a","content":"hello world","relevance":1}\n';
    await agents(['plan', 'import', 'counted', '-'], { env, stdin });
    expect(await contextOf('counted')).toMatchObject({ total: { fragments: 1, tokens: 2 } });
  });

  it('may be one JSON array, and several files at once, each with its receipt', async () => {
    await start('several');
    const array = join(folder, 'array.json');
    writeFileSync(array, `[${fragmentLines('x:0.5:10', 'y:0.5:10').trim().replace('\n', ',\n')}]`);
    const lines = join(folder, 'lines.jsonl');
    writeFileSync(lines, fragmentLines('z:0.5:10'));
    const { data } = await answer(['plan', 'import', 'several', array, lines], { env });
    expect(data?.['files']).toEqual([
      expect.objectContaining({ file: array, fragments_added: 2 }),
      expect.objectContaining({ file: lines, fragments_added: 1 }),
    ]);
  });
});

describe('progress', () => {
  it('is drawn on stderr for a large file, at a terminal only, and wiped at the end', async () => {
    await start('large');
    const path = join(folder, 'large.jsonl');
    writeFileSync(path, fragmentLines('a:0.5:10').replace('content of a', 'a '.repeat(3_000_000)));
    const words = ['plan', 'import', 'large', path, '--dry-run'];
    const shown = await agents([...words, '--format', 'json'], { env, columns: 80 });
    expect(shown.stderr).toMatch(/^\rreading [█░]+ +\d+ %/);
    expect(shown.stderr.endsWith('\r\u001B[K')).toBe(true);
    expect((await agents([...words, '--format', 'json'], { env })).stderr).toBe('');
  });
});
