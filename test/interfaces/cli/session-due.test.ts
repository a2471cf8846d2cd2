/** Receipts of imports name the trigger for which a pass is due; what they say is what `status` says. */
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
  await agents(['project', 'create', 'demo'], { env });
  await agents(['plan', 'create', '--project', 'demo', '--goal', 'g', '--name', 'plan'], { env });
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const MODEL = 'claude-sonnet-4-5';

/** Prompt and answer, turn by turn. */
function turns(sessionId: string, count: number, words: number, more: object = {}): string {
  const name = JSON.stringify(more).length;
  return Array.from({ length: count }, (_, at) => {
    const common = {
      sessionId,
      timestamp: '2026-01-31T12:00:00.000Z',
      isSidechain: false,
      ...more,
    };
    const [asked, said] = [`${sessionId}-${name}-u${at}`, `${sessionId}-${name}-a${at}`];
    const before = at === 0 ? null : `${sessionId}-${name}-a${at - 1}`;
    const prompt = { role: 'user', content: `Mend part ${at}.` };
    const content = [{ type: 'text', text: `Part ${at}: ${'mended '.repeat(words)}` }];
    const answered = { role: 'assistant', id: said, model: MODEL, content };
    return [
      { type: 'user', uuid: asked, parentUuid: before, ...common, message: prompt },
      { type: 'assistant', uuid: said, parentUuid: asked, ...common, message: answered },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('');
  }).join('');
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Told {
  readonly session_id: string;
  readonly agent_name: string | null;
  readonly due: string | null;
  readonly added: number;
}

async function imported(...words: readonly string[]): Promise<readonly Told[]> {
  const { data, exit_code } = await answer(['session', 'import', ...words], { env });
  expect(exit_code).toBe(0);
  return (data?.['sessions'] ?? []) as readonly Told[];
}

/** What an automatic pass would do, as the session's own status says it. */
async function dueNow(sessionId: string): Promise<readonly string[]> {
  const { data } = await answer(['session', 'status', sessionId], { env });
  const triggers = data?.['triggers'] as readonly { readonly name: string; due: boolean }[];
  return triggers.filter(({ due }) => due).map(({ name }) => name);
}

describe('the receipt of an import', () => {
  it('names no trigger while none is due', async () => {
    const [told] = await imported(file('small.jsonl', turns('small', 3, 10)));
    expect(told?.due).toBeNull();
    expect(await dueNow(told?.session_id ?? '')).toEqual([]);
  });

  it('names the trigger that is due, the first time and every time after', async () => {
    const path = file('full.jsonl', turns('full', 30, 200));
    const [told] = await imported(path);
    expect(told?.due).toBe('sliding_window');
    expect(await dueNow(told?.session_id ?? '')).toEqual(['sliding_window']);
    expect((await imported(path))[0]).toMatchObject({ added: 0, due: 'sliding_window' });
  });

  it('names none once the pass was made', async () => {
    const path = file('compacted.jsonl', turns('compacted', 30, 200));
    const [told] = await imported(path);
    const passed = await answer(['session', 'compact', told?.session_id ?? ''], { env });
    expect(passed.data).toMatchObject({ outcome: 'adopted' });
    expect((await imported(path))[0]).toMatchObject({ added: 0, due: null });
  });

  it('measures against the window that is given with it', async () => {
    const path = file('window.jsonl', turns('window', 12, 900));
    expect((await imported(path))[0]?.due).toBeNull();
    const [told] = await imported(path, '--window', '8000');
    expect(told?.due).toBe('sliding_window');
    expect(await dueNow(told?.session_id ?? '')).toEqual(['sliding_window']);
  });

  it('names none where nobody knows the window, and none on a dry run', async () => {
    const messages = Array.from({ length: 40 }, (_, at) => [
      { role: 'user', content: `Mend part ${at}.` },
      { role: 'assistant', content: 'mended '.repeat(300) },
    ]).flat();
    const chat = file('chat.json', JSON.stringify(messages));
    expect((await imported(chat))[0]?.due).toBeNull();
    const path = file('dry.jsonl', turns('dry', 30, 200));
    expect((await imported(path, '--dry-run'))[0]?.due).toBeNull();
  });

  it('speaks of each sub-agent by its own', async () => {
    const child = { isSidechain: true, agentId: 'helper' };
    const path = file('family.jsonl', turns('family', 2, 10) + turns('family', 30, 6_000, child));
    const told = await imported(path);
    expect(told.map(({ agent_name, due }) => [agent_name, due])).toEqual([
      [null, null],
      ['helper', 'sliding_window'],
    ]);
  });

  it('is the same by way of a plan', async () => {
    const path = file('planned.jsonl', turns('planned', 30, 200));
    const { data } = await answer(['plan', 'import', 'plan', path], { env });
    expect(data?.['files']).toEqual([
      expect.objectContaining({ sessions: [expect.objectContaining({ due: 'sliding_window' })] }),
    ]);
  });
});
