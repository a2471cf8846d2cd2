/** `agents session export` on Postgres: to standard output, into a file, and refused. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXPORT_PROVIDERS } from '../../../src/domain/session/export/providers.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, type Envelope, normalised } from './cli-support.js';

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;

const SESSION = {
  system: 'You mend a harbour.',
  messages: [
    { role: 'user', content: 'Mend the login \u0085 \u{1F6A2}' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Where is it?', signature: 'c2ln' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { filePath: 'login.ts' } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'const login = 1;' }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'It is a constant.' }] },
  ],
};

let sessionId: string;

function firstSession(data: Envelope['data']): { readonly session_id: string } | undefined {
  const sessions = data?.['sessions'] as readonly { readonly session_id: string }[] | undefined;
  return sessions?.[0];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-export-'));
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.url,
    OSSATURE_HOME: join(folder, 'home'),
    OSSATURE_REDACTION_KEY: 'k',
  };
  await agents(['database', 'migrate'], { env });
  const file = join(folder, 'session.json');
  writeFileSync(file, JSON.stringify(SESSION));
  const { data } = await answer(['session', 'import', file], { env });
  const receipt = firstSession(data);
  sessionId = receipt?.session_id ?? '';
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const exported = (...words: readonly string[]) =>
  agents(['session', 'export', sessionId, ...words], { env });

describe('agents session export', () => {
  it.each(EXPORT_PROVIDERS)(
    'writes messages for %s, and says what it left out',
    async (provider) => {
      const { stdout, stderr, exitCode } = await exported('--to', provider);
      expect(exitCode).toBe(0);
      expect(`${stdout}${stderr}`).toMatchSnapshot();
      expect(JSON.parse(stdout)).toHaveProperty('messages');
    },
  );

  it('answers in JSON with the names of the wire, and with those of the messages', async () => {
    const { data } = await answer(['session', 'export', sessionId, '--to', 'anthropic'], { env });
    expect(normalised(JSON.stringify(data, null, 2))).toMatchSnapshot();
  });

  it('shows a person what went into a file, which holds what standard output would', async () => {
    const out = join(folder, 'messages.json');
    const shown = await exported('--to', 'anthropic', '--out', out);
    expect(normalised(`${shown.stdout}${shown.stderr}`).replaceAll(folder, '')).toMatchSnapshot();
    const { stdout } = await exported('--to', 'anthropic');
    expect(readFileSync(out, 'utf8')).toBe(stdout);
    expect(existsSync(`${out}.${process.pid}.part`)).toBe(false);
  });

  it('overwrites a file only where it is told to', async () => {
    const out = join(folder, 'taken.json');
    writeFileSync(out, 'mine');
    const words = ['session', 'export', sessionId, '--to', 'langchain', '--out', out];
    const refused = await answer(words, { env });
    expect(refused.messages[0]).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect((await exported('--to', 'langchain', '--out', out, '--force')).exitCode).toBe(0);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveProperty('messages');
  });

  it.each(EXPORT_PROVIDERS)(
    'for %s can be imported again, and goes out the same',
    async (provider) => {
      const out = join(folder, `${provider}.json`);
      await exported('--to', provider, '--out', out);
      const tenant = ['--tenant', provider];
      const { data } = await answer(
        ['session', 'import', out, '--session-key', provider, ...tenant],
        { env },
      );
      const receipt = firstSession(data);
      expect(receipt).toMatchObject({ problems: { total: 0 } });
      const again = ['session', 'export', receipt?.session_id ?? '', '--to', provider, ...tenant];
      expect((await agents(again, { env })).stdout).toBe(readFileSync(out, 'utf8'));
    },
  );

  it.each([
    {
      rule: 'a folder as the file',
      words: ['--to', 'anthropic', '--out', '.'],
      code: 'INVALID_INPUT',
    },
    {
      rule: 'a file in no folder',
      words: ['--to', 'anthropic', '--out', 'no/such/folder/x.json'],
      code: 'INVALID_INPUT',
    },
    { rule: 'an unknown provider', words: ['--to', 'no-such'], code: 'USAGE' },
    { rule: 'no provider', words: [], code: 'USAGE' },
    {
      rule: 'the session of another tenant',
      words: ['--to', 'anthropic', '--tenant', 'other'],
      code: 'NOT_FOUND',
    },
  ])('refuses $rule', async ({ words, code }) => {
    const refused = await answer(['session', 'export', sessionId, ...words], { env });
    expect(refused.messages[0]).toMatchObject({ code });
    expect(refused.exit_code).not.toBe(0);
  });
});
