/** Bad transcripts and bad requests on `agents session`: read as far as they go, or refused by name. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  ])('is refused by path, with what to do, where it is $rule', async ({ path, says }) => {
    const given = path();
    const { exit_code, data, messages } = await session('import', given);
    expect({ exit_code, data }).toEqual({ exit_code: 1, data: null });
    expect(messages).toEqual([expect.objectContaining({ code: 'INVALID_TRANSCRIPT' })]);
    expect(messages[0]?.text).toContain(given);
    expect(messages[0]?.text).toContain(says);
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
