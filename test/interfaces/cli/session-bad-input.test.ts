/** Bad transcripts and bad requests on `agents session`: read as far as they go, or refused by name. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-cli-'));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, OSSATURE_HOME: folder, OSSATURE_REDACTION_KEY: 'k' };
  await agents(['database', 'migrate'], { env });
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;

function file(content: string | Uint8Array): string {
  files += 1;
  const path = join(folder, `file-${files}.jsonl`);
  writeFileSync(path, content);
  return path;
}

const session = (...words: readonly string[]) => answer(['session', ...words], { env });

async function receiptOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { data, exit_code } = await session('import', path);
  expect(exit_code).toBe(0);
  const [receipt] = (data?.['sessions'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return receipt ?? {};
}

const line = (record: object): string => `${JSON.stringify(record)}\n`;

interface Moment {
  readonly timestamp?: string;
}

function record(id: string, uuid: string, type: string, content: unknown, at: Moment = {}): string {
  const message = { role: type, content, ...(type === 'assistant' && { id: `m-${uuid}` }) };
  const parentUuid = null;
  return line({ type, uuid: `${id}-${uuid}`, parentUuid, sessionId: id, ...at, message });
}

const call = (id: string, input: unknown): object => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  input,
});
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: 'done' });

describe('a source without anything in it', () => {
  it.each([
    { rule: 'empty', content: '' },
    { rule: 'only blank lines', content: '\n  \n\r\n' },
  ])('is a receipt with zeros and a note where it is $rule', async ({ content }) => {
    const path = file(content);
    expect(await receiptOf(path)).toMatchObject({
      session_id: null,
      added: 0,
      entries: 0,
      notes: [`${path} is empty: nothing was read.`],
    });
  });

  it('is read as usual with a byte order mark, CRLF and no final newline', async () => {
    const text = record('marks', 'u1', 'user', 'One.') + record('marks', 'a1', 'assistant', 'Two.');
    const path = file(`\uFEFF${text.trimEnd().replaceAll('\n', '\r\n')}`);
    expect(await receiptOf(path)).toMatchObject({ added: 2, problems: { total: 0 } });
  });
});

describe('a source that cannot be read', () => {
  it.each([
    { rule: 'missing', path: () => join(folder, 'missing.jsonl'), says: 'Check the path.' },
    { rule: 'a directory', path: () => folder, says: 'Name the files in it one by one.' },
    {
      rule: 'binary',
      path: () => file(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1])),
      says: 'Give a text file in UTF-8.',
    },
    {
      rule: 'under a file',
      path: () => join(file('{}'), 'session.jsonl'),
      says: 'a part of the path is a file',
    },
    {
      rule: 'too long a name',
      path: () => join(folder, 'n'.repeat(300)),
      says: 'longer than a path may be',
    },
    {
      rule: 'a link in a ring',
      path: () => {
        const path = join(folder, 'ring.jsonl');
        symlinkSync(path, path);
        return path;
      },
      says: 'Give the file that it should lead to.',
    },
    {
      rule: 'a device of the system',
      path: () => '/dev/null',
      says: 'Pipe it in and give - as the file.',
    },
  ])('is refused by path, with what to do, where it is $rule', async ({ path, says }) => {
    const given = path();
    const { exit_code, data, messages } = await session('import', given);
    expect({ exit_code, data }).toEqual({ exit_code: 1, data: null });
    expect(messages).toEqual([expect.objectContaining({ code: 'INVALID_TRANSCRIPT' })]);
    expect(messages[0]?.text).toContain(given);
    expect(messages[0]?.text).toContain(says);
  });
});

describe('a format that is forced on a source of another', () => {
  const claude = record('forced', 'u1', 'user', 'One.');
  const openai = JSON.stringify([{ role: 'user', content: 'One.' }]);
  // prettier-ignore
  it.each([
    { rule: 'openai on Claude Code',    content: claude, from: 'openai' },
    { rule: 'anthropic on Claude Code', content: claude, from: 'anthropic' },
    { rule: 'langchain on Claude Code', content: claude, from: 'langchain' },
    { rule: 'codex on Claude Code',     content: claude, from: 'codex' },
    { rule: 'codex on OpenAI',          content: openai, from: 'codex' },
    { rule: 'claude-code on OpenAI',    content: openai, from: 'claude-code' },
  ])('is refused where nothing of it is there: $rule', async ({ content, from }) => {
    const path = file(content);
    for (const more of [[], ['--dry-run']]) {
      const { exit_code, data, messages } = await session('import', path, '--from', from, ...more);
      expect({ exit_code, data }).toEqual({ exit_code: 1, data: null });
      expect(messages).toEqual([expect.objectContaining({ code: 'INVALID_TRANSCRIPT' })]);
      expect(messages[0]?.text).toContain(`${path} holds nothing of the format ${from}`);
    }
  });

  it('is taken where it is of that format, and holds nothing that is said', async () => {
    const path = file('{"type":"summary","summary":"Of another file","leafUuid":"a"}\n');
    expect(await receiptOf(path)).toMatchObject({ added: 0 });
  });
});

describe('arguments that are no JSON', () => {
  it('stay a text, and calls that no mapping knows are counted by name', async () => {
    const messages = [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'frobnicate', arguments: '{"a": ' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ];
    const receipt = await receiptOf(file(JSON.stringify(messages)));
    expect(receipt['unmapped_tools']).toEqual({ frobnicate: 1 });
    const { data } = await session('show', String(receipt['session_id']), '--entries', '1..3');
    expect(data?.['entries']).toContainEqual(
      expect.objectContaining({ kind: 'tool_call', tool_name: 'frobnicate', arguments: '{"a": ' }),
    );
  });
});

describe('a transcript that is odd', () => {
  it.each([
    {
      rule: 'a result without its call',
      id: 'orphan',
      content:
        record('orphan', 'u0', 'user', 'Go.') + record('orphan', 'u1', 'user', [result('c9')]),
      ids: 'c9',
    },
    {
      rule: 'a call id that is used twice',
      id: 'twice',
      content:
        record('twice', 'u0', 'user', 'Go.') +
        record('twice', 'a1', 'assistant', [call('c1', { command: 'ls' })]) +
        record('twice', 'u1', 'user', [result('c1')]) +
        record('twice', 'a2', 'assistant', [call('c1', { command: 'pwd' })]) +
        record('twice', 'u2', 'user', [result('c1')]),
      ids: 'c1',
    },
  ])(
    'with $rule is imported, the problem has the id, and exports hold',
    async ({ content, ids }) => {
      const receipt = await receiptOf(file(content));
      const problems = receipt['problems'] as {
        readonly total: number;
        readonly first: readonly { readonly ids: readonly string[] }[];
      };
      expect(problems.total).toBeGreaterThan(0);
      expect(problems.first.flatMap((problem) => problem.ids)).toContain(ids);
      for (const provider of ['anthropic', 'openai-chat', 'openai-responses', 'langchain']) {
        const sent = await session('export', String(receipt['session_id']), '--to', provider);
        expect([provider, sent.exit_code]).toEqual([provider, 0]);
      }
    },
  );

  it.each([
    { rule: 'missing', id: 'no-times', times: [{}, {}] },
    {
      rule: 'equal',
      id: 'equal-times',
      times: [{ timestamp: '2026-01-31T12:00:00.000Z' }, { timestamp: '2026-01-31T12:00:00.000Z' }],
    },
    {
      rule: 'backwards',
      id: 'backward-times',
      times: [{ timestamp: '2026-01-31T12:00:00.000Z' }, { timestamp: '2026-01-30T12:00:00.000Z' }],
    },
  ])('keeps the order of the file where times are $rule', async ({ id, times }) => {
    const text = times.map((at, n) => record(id, `u${n}`, 'user', `Prompt ${n}.`, at)).join('');
    const receipt = await receiptOf(file(text));
    const { data } = await session('show', String(receipt['session_id']), '--entries', '1..2');
    expect(data?.['entries']).toEqual(
      times.map((at: Moment, n) =>
        expect.objectContaining({ content: `Prompt ${n}.`, occurred_at: at.timestamp ?? null }),
      ),
    );
  });

  it('that was cut short since adds and removes nothing, which is the problem `shrunk`', async () => {
    const first = record('cut', 'u0', 'user', 'One.');
    const path = file(first + record('cut', 'u1', 'user', 'Two.'));
    const whole = await receiptOf(path);
    writeFileSync(path, first);
    expect(await receiptOf(path)).toMatchObject({
      session_id: whole['session_id'],
      added: 0,
      problems: { total: 1, first: [expect.objectContaining({ reason: 'shrunk' })] },
    });
    const { data } = await session('show', String(whole['session_id']), '--entries', '1..2');
    expect(data?.['entries']).toHaveLength(2);
  });
});

const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('what is not there', () => {
  it.each([
    ['status'],
    ['show'],
    ['trail'],
    ['compact'],
    ['expand', '#1'],
    ['rollback', '--to-cycle', '0'],
    ['export', '--to', 'anthropic'],
    ['tokens'],
  ])('%s says the same of an unknown session as of another tenant’s', async (command, ...more) => {
    const receipt = await receiptOf(file(record('mine', 'u0', 'user', 'One.')));
    const mine = String(receipt['session_id']);
    const ask = async (id: string, ...whose: readonly string[]) => {
      const { exit_code, messages } = await session(command, id, ...more, ...whose);
      const said = messages.filter(({ level }) => level === 'error');
      return { exit_code, said: said.map(({ code, text }) => [code, text.replaceAll(id, 'ID')]) };
    };
    const foreign = await ask(mine, '--tenant', 'other');
    expect(foreign).toMatchObject({ exit_code: 1, said: [['NOT_FOUND', expect.any(String)]] });
    expect(await ask(UNKNOWN)).toEqual({
      ...foreign,
      said: foreign.said.map(([code, text = '']) => [code, text]),
    });
  });

  it.each([
    { words: ['expand', '#99'] },
    { words: ['expand', 'entry:99'] },
    { words: ['expand', 'file:none.ts'] },
    { words: ['unpin', '99'] },
    { words: ['rollback', '--to-cycle', '9'] },
    { words: ['show', '--item', '99'] },
  ])('is NOT_FOUND in a session: $words', async ({ words: [command = '', ...more] }) => {
    const receipt = await receiptOf(file(record('mine', 'u0', 'user', 'One.')));
    const { exit_code, messages } = await session(command, String(receipt['session_id']), ...more);
    expect({ exit_code, code: messages.at(-1)?.code }).toEqual({ exit_code: 1, code: 'NOT_FOUND' });
  });
});

describe('a window out of bounds', () => {
  it('is named with its bounds and its flag, and unknown ones ask for the flag', async () => {
    const receipt = await receiptOf(file(record('small', 'u0', 'user', 'One.')));
    const id = String(receipt['session_id']);
    for (const words of [[], ['--window', '10']]) {
      const { exit_code, messages } = await session('status', id, ...words);
      expect({ exit_code, code: messages[0]?.code }).toEqual({
        exit_code: 1,
        code: 'INVALID_CONFIG',
      });
      expect(messages[0]?.text).toMatch(/window_tokens must be .*1000/);
      expect(messages[0]?.text).toContain('--window');
    }
  });
});

describe('an import with a window out of bounds', () => {
  it.each(['5', '-1', '2000.5'])('writes nothing, as of %s', async (window) => {
    const id = `unimported-${window}`;
    const path = file(record(id, 'u0', 'user', 'One.'));
    const { exit_code, messages } = await session('import', path, '--window', window);
    expect({ exit_code, code: messages[0]?.code }).toEqual({
      exit_code: 1,
      code: 'INVALID_CONFIG',
    });
    const { data } = await session('list');
    expect(JSON.stringify(data)).not.toContain(id);
  });
});

describe('a setting out of bounds', () => {
  let id = '';
  beforeAll(async () => {
    const receipt = await receiptOf(file(record('settings', 'u0', 'user', 'One.')));
    id = String(receipt['session_id']);
    const { exit_code: code } = await session('set', id, 'window_tokens=10000');
    if (code !== 0) throw new Error(`The window was not set: ${String(code)}.`);
  });

  // prettier-ignore
  it.each([
    { given: ['fill_line=0.96'],                        field: 'fill_line',                bounds: 'from 0.10 to 0.95' },
    { given: ['fill_line=0.09'],                        field: 'fill_line',                bounds: 'from 0.10 to 0.95' },
    { given: ['drain_line=0.04'],                       field: 'drain_line',               bounds: 'from 0.05 to 0.65' },
    { given: ['fill_line=0.5', 'drain_line=0.5'],       field: 'drain_line',               bounds: 'from 0.05 to 0.40' },
    { given: ['fill_line=0.5', 'drain_line=0.6'],       field: 'drain_line',               bounds: 'from 0.05 to 0.40' },
    { given: ['boundary_line=0.9'],                     field: 'boundary_line',            bounds: 'from 0.05 to 0.75' },
    { given: ['keep_turns=0'],                          field: 'keep_turns',               bounds: 'from 1 to 10000' },
    { given: ['keep_tokens=0'],                         field: 'keep_tokens',              bounds: 'at least 1' },
    { given: ['slide_turns=0'],                         field: 'slide_turns',              bounds: 'from 1 to 10000' },
    { given: ['summary_tokens=2001'],                   field: 'summary_tokens',           bounds: 'from 1 to 2000' },
    { given: ['oversize_tokens=8001'],                  field: 'oversize_tokens',          bounds: 'from 1 to 8000' },
    { given: ['preview_characters=1'],                  field: 'preview_characters',       bounds: 'from 2 to 1000000' },
    { given: ['summarizer_window_tokens=5001'],         field: 'summarizer_window_tokens', bounds: 'from 1 to 5000' },
    { given: ['min_freed_tokens=0'],                    field: 'min_freed_tokens',         bounds: 'from 1 to 8000' },
    { given: ['hysteresis_tokens=-1'],                  field: 'hysteresis_tokens',        bounds: 'from 0 to 8000' },
    { given: ['output_reserve_tokens=5001'],            field: 'output_reserve_tokens',    bounds: 'from 0 to 5000' },
    { given: ['system_tokens=10001'],                   field: 'system_tokens',            bounds: 'from 0 to 10000' },
    { given: ['tool_tokens=10001'],                     field: 'tool_tokens',              bounds: 'from 0 to 10000' },
    { given: ['max_model_retries=11'],                  field: 'max_model_retries',        bounds: 'from 0 to 10' },
    { given: ['pass_timeout_ms=999'],                   field: 'pass_timeout_ms',          bounds: 'from 1000 to 3600000' },
    { given: ['window_tokens=999'],                     field: 'window_tokens',            bounds: 'at least 1000' },
    { given: ['fill_line=x'],                           field: 'fill_line',                bounds: 'from 0.10 to 0.95' },
    { given: ['keep_turns=many'],                       field: 'keep_turns',               bounds: 'from 1 to 10000' },
    { given: ['triggers=guess'],                        field: 'triggers',                 bounds: 'fixed_threshold, sliding_window' },
    { given: ['schema=guess'],                          field: 'schema',                   bounds: 'one of coding, debugging, migration' },
    { given: ['strategy=best'],                         field: 'strategy',                 bounds: 'one of auto, anchored' },
  ])('$given is refused with field, bounds and what to use, and nothing is written', async ({ given, field, bounds }) => {
    const before = (await session('status', id)).data;
    const { exit_code, messages } = await session('set', id, ...given);
    const [message] = messages;
    expect({ exit_code, code: message?.code }).toEqual({ exit_code: 1, code: 'INVALID_CONFIG' });
    expect(message?.text).toMatch(new RegExp(`^${field} `));
    expect(message?.text).toContain(bounds);
    expect(message?.text).toMatch(/`agents session set SESSION \w+=VALUE`|--window N/);
    expect((await session('status', id)).data).toEqual(before);
  });
});

describe('a database that is down', () => {
  it('is said with the next step', async () => {
    const { exit_code, data, messages } = await answer(['session', 'list'], {
      env: { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' },
    });
    expect({ exit_code, data }).toEqual({ exit_code: 1, data: null });
    expect(messages[0]?.code).toBe('STORE_UNAVAILABLE');
    expect(messages[0]?.text).toMatch(/DATABASE_URL|Start|Check/);
  });
});
