/** `agents session …` on Postgres: imported, listed, shown, told of, removed. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, normalised } from './cli-support.js';

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;
let file: string;

const line = (record: object): string => `${JSON.stringify(record)}\n`;

const common = {
  sessionId: 'abc',
  cwd: '/home/me/harbor',
  timestamp: '2026-01-31T12:00:00.000Z',
  isSidechain: false,
};

function user(
  uuid: string,
  parentUuid: string | null,
  content: unknown,
  more: object = {},
): string {
  return line({
    type: 'user',
    uuid,
    parentUuid,
    ...common,
    message: { role: 'user', content },
    ...more,
  });
}

function assistant(uuid: string, parentUuid: string, id: string, ...content: object[]): string {
  return line({
    type: 'assistant',
    uuid,
    parentUuid,
    ...common,
    message: { role: 'assistant', id, content },
  });
}

/** Records of another session, or of an agent in it. */
const changed = (records: string, more: object): string =>
  records
    .trimEnd()
    .split('\n')
    .map((text) => line({ ...(JSON.parse(text) as object), ...more }))
    .join('');

const call = (id: string, name: string, input: object): object => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, content: string, isError = false): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: isError,
});

const SESSION =
  user(
    'u1',
    null,
    'Mend the login, the store is postgres://harbor:hunter2secret@db.example.com/x',
  ) +
  assistant('a1', 'u1', 'm1', call('c1', 'Read', { file_path: '/home/me/harbor/src/login.ts' })) +
  user('u2', 'a1', [result('c1', 'export const login = 1;')]) +
  assistant('a2', 'u2', 'm2', call('c2', 'Bash', { command: 'npm test' })) +
  user('u3', 'a2', [
    result('c2', 'Exit code 1\nsrc/login.ts:3 TypeError: token is undefined', true),
  ]) +
  assistant(
    'a3',
    'u3',
    'm3',
    call('c3', 'Write', {
      file_path: '/home/me/harbor/src/token.ts',
      content: 'export const token = 2;\n',
    }),
  ) +
  user('u4', 'a3', [result('c3', 'File created')], {
    toolUseResult: {
      type: 'create',
      filePath: '/home/me/harbor/src/token.ts',
      structuredPatch: [],
    },
  }) +
  line({ type: 'file-history-snapshot', snapshot: {} });

const GROWN =
  assistant('a4', 'u4', 'm4', { type: 'text', text: 'It was the token.' }) +
  user('u5', 'a4', 'Good.');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-cli-'));
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.url,
    OSSATURE_HOME: join(folder, 'home'),
    OSSATURE_REDACTION_KEY: 'k',
  };
  await agents(['database', 'migrate'], { env });
  file = join(folder, 'session.jsonl');
  writeFileSync(file, SESSION);
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const imported = async (...words: readonly string[]) => {
  const { data } = await answer(['session', 'import', ...words], { env });
  return data?.['sessions'];
};

/** Without the folder of this run. */
const shown = async (...words: readonly string[]): Promise<string> => {
  const { stdout, stderr } = await agents(['session', ...words], { env });
  return normalised(`${stdout}${stderr}`).replaceAll(folder, '');
};

describe('agents session', () => {
  it('says that there are none', async () => {
    expect(await shown('list')).toMatchSnapshot();
  });

  it('writes nothing on a dry run', async () => {
    expect(await imported(file, '--dry-run')).toEqual([
      expect.objectContaining({ added: 7, ignored: 0, artifacts: 2, dry_run: true, is_new: true }),
    ]);
    expect(await shown('list')).toContain('There are no sessions');
  });

  it('imports a file with a receipt', async () => {
    const answered = await answer(['session', 'import', file], { env });
    const text = normalised(JSON.stringify(answered.data, null, 2)).replaceAll(folder, '');
    expect(text).toMatchSnapshot();
  });

  it('shows the receipt to a person, the same file again adding nothing', async () => {
    const { stdout, stderr } = await agents(['session', 'import', '-'], { env, stdin: SESSION });
    expect(normalised(`${stdout}${stderr}`)).toMatchSnapshot();
  });

  it('lists what is stored', async () => {
    expect(await shown('list')).toMatchSnapshot();
  });

  it('adds what a file has grown by', async () => {
    appendFileSync(file, GROWN);
    expect(await imported(file)).toEqual([
      expect.objectContaining({ added: 2, ignored: 7, is_new: false }),
    ]);
  });

  it('reports a file that has shrunk, and removes nothing', async () => {
    writeFileSync(join(folder, 'shorter.jsonl'), SESSION);
    expect(await imported(join(folder, 'shorter.jsonl'))).toEqual([
      expect.objectContaining({
        added: 0,
        problems: { total: 1, first: [expect.objectContaining({ reason: 'shrunk' })] },
      }),
    ]);
    expect(await shown('list')).toMatch(/\babc\b.*\b9\b/);
  });

  it('keeps an entry that comes again with other content, and reports its key', async () => {
    const path = join(folder, 'other.jsonl');
    writeFileSync(path, SESSION.replace('Mend the login', 'Mend the logout'));
    const expected = {
      total: 1,
      first: [expect.objectContaining({ reason: 'key-reused', ids: ['u1'] })],
    };
    expect(await imported(path)).toEqual([
      expect.objectContaining({ added: 1, ignored: 6, problems: expected }),
    ]);
    expect(await imported(path)).toEqual([expect.objectContaining({ added: 0, ignored: 7 })]);
  });

  it('shows entries, without a secret', async () => {
    const text = await shown('show', 'abc', '--entries', '1..3');
    expect(text).toMatchSnapshot();
    expect(text).not.toContain('hunter2secret');
  });

  it('shows entries with the names of the wire', async () => {
    const { data } = await answer(['session', 'show', 'abc', '--entries', '2'], { env });
    expect(data?.['entries']).toEqual([
      expect.objectContaining({
        seq: 2,
        kind: 'tool_call',
        call_id: 'c1',
        arguments: { file_path: '/home/me/harbor/src/login.ts' },
      }),
    ]);
  });

  it('tells what was done', async () => {
    expect(await shown('trail', 'abc')).toMatchSnapshot();
  });

  it.each([
    [
      '--modified',
      { artifacts: [expect.objectContaining({ path: 'src/token.ts', state: 'created' })] },
    ],
    ['--read', { artifacts: [expect.objectContaining({ path: 'src/login.ts', state: 'read' })] }],
    [
      '--errors',
      { errors: [expect.objectContaining({ state: 'open', file: 'src/login.ts', line: 3 })] },
    ],
    [
      '--commands',
      { commands: [expect.objectContaining({ command: 'npm test', state: 'failed' })] },
    ],
  ])('tells of %s alone', async (option, expected) => {
    const { data } = await answer(['session', 'trail', 'abc', option], { env });
    expect(data).toEqual({ session_id: expect.any(String), ...expected });
  });

  it('tells how one artifact came to be', async () => {
    expect(await shown('trail', 'abc', '--path', 'src/token.ts')).toMatchSnapshot();
    const unknown = await answer(['session', 'trail', 'abc', '--path', 'src/no.ts'], { env });
    expect(unknown.messages[0]).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('builds the same trail anew', async () => {
    expect(await shown('trail', 'abc', '--rebuild', '--read')).toContain(
      '0 rows that were otherwise',
    );
  });

  it('makes a session the context of a plan as well, once', async () => {
    await agents(['project', 'create', 'demo'], { env });
    await agents(['plan', 'create', '--project', 'demo', '--goal', 'g', '--name', 'mend'], { env });
    expect(await imported(file, '--plan', 'mend')).toEqual([
      expect.objectContaining({ added: 0, decisions: 3, fragments: 7 }),
    ]);
    expect(await imported(file, '--plan', 'mend')).toEqual([
      expect.objectContaining({ added: 0, decisions: 0, fragments: 0 }),
    ]);
  });

  it('brings sub-agents in files along, linked to the call that started them', async () => {
    const main = join(folder, 'lead.jsonl');
    const brief = { prompt: 'Look at login.ts', subagent_type: 'explorer' };
    const lead =
      user('l1', null, 'Ask a helper.') +
      assistant('l2', 'l1', 'm1', call('t1', 'Task', brief)) +
      user('l3', 'l2', [result('t1', 'done')]);
    writeFileSync(main, changed(lead, { sessionId: 'lead' }));
    const note = { file_path: '/home/me/harbor/notes.md', content: 'x' };
    const helper =
      user('h1', null, 'Look at login.ts') +
      assistant('h2', 'h1', 'hm1', call('hc1', 'Write', note)) +
      user('h3', 'h2', [result('hc1', 'File created')]);
    mkdirSync(join(folder, 'lead', 'subagents'), { recursive: true });
    writeFileSync(
      join(folder, 'lead', 'subagents', 'agent-h1.jsonl'),
      changed(helper, { sessionId: 'lead', agentId: 'h1', isSidechain: true }),
    );
    const shortening = line({
      type: 'assistant',
      uuid: 'x1',
      parentUuid: null,
      ...common,
      sessionId: 'lead',
      agentId: 'acompact-1',
      isSidechain: true,
      message: {
        role: 'assistant',
        id: 'xm1',
        content: [{ type: 'text', text: 'A summary.' }],
        usage: { input_tokens: 900, output_tokens: 40 },
      },
    });
    writeFileSync(join(folder, 'lead', 'subagents', 'agent-acompact-1.jsonl'), shortening);
    writeFileSync(join(folder, 'lead', 'subagents', 'agent-acompact-2.jsonl'), 'no\nline\n');

    const { data, messages } = await answer(['session', 'import', main], { env });
    expect(data?.['sessions']).toEqual([
      expect.objectContaining({
        vendor_session_id: 'lead',
        added: 3,
        children: [
          expect.objectContaining({
            agent_id: 'h1',
            call_id: 't1',
            session_id: expect.any(String),
          }),
          expect.objectContaining({ agent_id: 'acompact-1', kind: 'vendor-compaction' }),
        ],
      }),
      expect.objectContaining({
        vendor_session_id: 'lead/agent-h1',
        added: 3,
        parent_session_id: expect.any(String),
      }),
    ]);
    const said = messages.map(({ text }) => text).join(' ');
    expect(said).toMatch(/agent-acompact-1\.jsonl.*what it spent was kept/);
    expect(said).toMatch(/agent-acompact-2\.jsonl.*cannot be read/);
    const { data: costs } = await answer(['session', 'tokens', 'lead'], { env });
    expect(costs?.['totals']).toMatchObject({ summarizer_tokens: 940 });
    const { child_tokens: ofChildren } = (costs ?? {})['totals'] as { child_tokens: number };
    expect(ofChildren).toBeGreaterThan(0);
    const told = await answer(['session', 'trail', 'lead', '--modified', '--with-children'], {
      env,
    });
    expect(told.data?.['artifacts']).toEqual([
      expect.objectContaining({ path: 'notes.md', origin: 'h1' }),
    ]);
    for (const [options, events] of [
      [[], 0],
      [['--with-children'], 1],
    ] as const) {
      const rebuilt = await answer(['session', 'trail', 'lead', '--rebuild', ...options], { env });
      expect(rebuilt.messages[0]?.text).toContain(`: ${events} events, 0 rows`);
    }
    const { data: child } = await answer(['session', 'show', 'lead/agent-h1'], { env });
    const { data: parent } = await answer(['session', 'show', 'lead', '--entries', '2'], { env });
    const [spawn] = (parent?.['entries'] ?? []) as readonly { entry_id: string }[];
    expect(child).toMatchObject({ parent_entry_id: spawn?.entry_id, agent_name: 'h1' });
  });

  it('stores sub-agents inside a file as sessions of their own, and says which have no call', async () => {
    const inline = join(folder, 'inline.jsonl');
    const brief = { prompt: 'Look at login.ts', subagent_type: 'explorer' };
    const main =
      user('i1', null, 'Ask two helpers.') +
      assistant('i2', 'i1', 'im1', call('it1', 'Task', brief));
    const side = { isSidechain: true };
    const helpers =
      changed(user('ih1', null, 'Look at login.ts'), side) +
      changed(user('io1', null, 'Nobody asked for this'), side) +
      changed(assistant('ih2', 'ih1', 'ihm1', call('ic1', 'Read', { file_path: '/a.ts' })), side) +
      changed(user('ih3', 'ih2', [result('ic1', 'text')]), side) +
      changed(assistant('io2', 'io1', 'iom1', { type: 'text', text: 'Hello' }), side);
    const end = user('i3', 'i2', [result('it1', 'done')]);
    writeFileSync(inline, changed(main + helpers + end, { sessionId: 'inline' }));
    const { data } = await answer(['session', 'import', inline], { env });
    expect(data?.['sessions']).toEqual([
      expect.objectContaining({
        vendor_session_id: 'inline',
        added: 3,
        children: [
          expect.objectContaining({ agent_id: 'ih1', call_id: 'it1', records: 3 }),
          expect.objectContaining({ agent_id: 'io1', call_id: null, records: 2 }),
        ],
        problems: {
          total: 1,
          first: [expect.objectContaining({ reason: 'sub-agent-unlinked', ids: ['io1'] })],
        },
      }),
      expect.objectContaining({ vendor_session_id: 'inline/agent-ih1', added: 3 }),
      expect.objectContaining({
        vendor_session_id: 'inline/agent-io1',
        added: 2,
        parent_session_id: null,
      }),
    ]);
    const { data: unlinked } = await answer(['session', 'show', 'inline/agent-io1'], { env });
    expect(unlinked).toMatchObject({ parent_session_id: null, parent_entry_id: null });
    const { data: child } = await answer(['session', 'show', 'inline/agent-ih1'], { env });
    const { data: parent } = await answer(['session', 'show', 'inline', '--entries', '2'], { env });
    const [spawn] = (parent?.['entries'] ?? []) as readonly { entry_id: string }[];
    expect(child).toMatchObject({ parent_entry_id: spawn?.entry_id });
    const again = await answer(['session', 'import', inline], { env });
    expect(again.data?.['sessions']).toEqual(
      [0, 0, 0].map((added) => expect.objectContaining({ added })),
    );
  });

  it.each([
    [['show', '01ARZ3NDEKTSV4RRFFQ69G5FAV'], 'NOT_FOUND', 1],
    [['show', 'abc', '--tenant', 'other'], 'NOT_FOUND', 1],
    [['show', 'abc', '--entries', 'x'], 'USAGE', 2],
    [['show', 'abc', '--entries', '0..3'], 'INVALID_INPUT', 1],
    [['delete', 'abc'], 'USAGE', 2],
    [['import', 'no-such-file'], 'INVALID_TRANSCRIPT', 1],
    [['import', '.'], 'INVALID_TRANSCRIPT', 1],
  ])('answers %j with %s', async (words, code, exitCode) => {
    const answered = await answer(['session', ...words], { env });
    expect(answered).toMatchObject({ exit_code: exitCode, messages: [{ code }] });
  });

  it('takes an empty file as zero of everything', async () => {
    const { exit_code, data } = await answer(['session', 'import', '-'], { env, stdin: '\n\n' });
    expect(exit_code).toBe(0);
    expect(data?.['sessions']).toEqual([
      expect.objectContaining({ session_id: null, added: 0, lines: 2 }),
    ]);
  });

  it('removes one session whole and no other', async () => {
    const { exit_code } = await answer(['session', 'delete', 'lead', '--yes'], { env });
    expect(exit_code).toBe(0);
    const { data } = await answer(['session', 'show', 'lead/agent-h1'], { env });
    expect(data).toMatchObject({ parent_session_id: null, last_seq: 3 });
    expect((await answer(['session', 'show', 'lead'], { env })).messages[0]).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('tells what tasks cost, counted where the provider said nothing', async () => {
    const reported = changed(assistant('t1', 'u9', 'm9', { type: 'text', text: 'Done.' }), {
      sessionId: 'costs',
      message: {
        role: 'assistant',
        id: 'm9',
        content: [{ type: 'text', text: 'Done.' }],
        usage: { input_tokens: 7, cache_read_input_tokens: 30, output_tokens: 5 },
      },
    });
    const costs = join(folder, 'costs.jsonl');
    writeFileSync(costs, changed(SESSION, { sessionId: 'costs' }) + reported);
    await answer(['session', 'import', costs], { env });
    const { data } = await answer(['session', 'tokens', 'costs', '--by', 'cycle'], { env });
    expect(data).toMatchObject({
      by: 'cycle',
      groups: [{ key: '0' }],
      totals: { cached_input_tokens: 30 },
    });
    const { tasks, totals } = data as { tasks: { requests: number }[]; totals: object };
    expect(totals).toMatchObject({
      requests: tasks.reduce((sum, { requests }) => sum + requests, 0),
    });
    const shown = await agents(['session', 'tokens', 'costs', '--format', 'plain'], { env });
    expect(shown.stdout).toContain('estimated');
  });
});
