/** `agents session status`, `compact` and `show --section` on Postgres, on the example session. */
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

const WINDOW = ['--window', '20000'];

describe('the summary of a session on the command line', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let name: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    await agents(['database', 'migrate'], { env });
    const file = resolve('examples/session.jsonl');
    const { data } = await answer(['session', 'import', file], { env });
    const [session] = (data?.['sessions'] ?? []) as readonly { session_id: string }[];
    name = session?.session_id ?? '';
  });
  afterAll(() => database.drop());

  const session = (...words: string[]) => answer(['session', ...words], { env });

  it('says what a request holds, by part, and that a pass is due', async () => {
    const { exit_code, data } = await session('status', name, ...WINDOW);
    expect(exit_code).toBe(0);
    expect(data).toMatchObject({
      window_tokens: 20_000,
      fill_tokens: 12_000,
      drain_tokens: 6_400,
      cycle: 0,
      guard: { outcome: 'pass', reason: null, failures: 0 },
      triggers: [{ name: 'sliding_window', due: true, reason: 'fill-line-reached' }],
      last_attempt: null,
    });
    const parts = Object.values(data?.['used_by_part'] as Record<string, number>);
    expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(data?.['used_tokens']);
  });

  it('says in a dry run what would go, and writes nothing', async () => {
    const { exit_code, data } = await session('compact', name, ...WINDOW, '--dry-run');
    expect(exit_code).toBe(0);
    expect(data).toMatchObject({ outcome: 'planned', cycle: 0, attempt_id: null });
    expect((await session('show', name)).data).toMatchObject({ cycle: 0, revision: 1 });
  });

  it('compacts once, and then finds nothing to do', async () => {
    const { exit_code, data } = await session('compact', name, ...WINDOW);
    expect(exit_code).toBe(0);
    expect(data).toMatchObject({
      outcome: 'adopted',
      cycle: 1,
      attempt_id: expect.any(String),
      span: [{ from: 1, to: expect.any(Number) }],
    });
    expect(data?.['tokens_after']).toBeLessThanOrEqual(data?.['target_tokens'] as number);
    const again = await session('compact', name, ...WINDOW, '--now');
    expect(again).toMatchObject({ exit_code: 0, data: { outcome: 'unchanged', cycle: 1 } });
    const { data: status } = await session('status', name, ...WINDOW);
    expect(status).toMatchObject({ cycle: 1, last_attempt: { outcome: 'adopted' } });
  });

  it('shows one section of the summary with its items', async () => {
    const { data } = await session('show', name, '--section', 'constraints');
    expect(data).toMatchObject({
      cycle: 1,
      sections: [{ key: 'constraints', items: expect.any(Array) }],
    });
    const [section] = (data?.['sections'] ?? []) as readonly { items: readonly object[] }[];
    expect(section?.items[0]).toMatchObject({
      pinned: true,
      state: 'open',
      item_no: expect.any(Number),
    });
    const { stdout } = await agents(
      ['session', 'show', name, '--section', 'constraints', '--format', 'plain'],
      { env },
    );
    expect(stdout).toContain('[open]');
  });

  it('pins, gives entries back, unpins and rolls back', async () => {
    const pinned = await session('pin', name, 'Never touch the harbor.');
    expect(pinned).toMatchObject({ exit_code: 0, data: { changed: true, cycle: 1 } });
    const item = String(pinned.data?.['item_no']);
    const page = await session('expand', name, 'cycle:1', '--max-tokens', '1');
    expect(page.data).toMatchObject({ entries: [{ seq: 1 }], next: 1 });
    const more = await session('expand', name, 'cycle:1', '--max-tokens', '1', '--after', '1');
    expect(more.data).toMatchObject({ entries: [{ seq: 2 }] });
    expect((await session('unpin', name, item)).exit_code).toBe(0);
    expect((await session('unpin', name, item)).messages[0]).toMatchObject({ code: 'NOT_FOUND' });
    const back = await session('rollback', name, '--to-cycle', '0');
    expect(back).toMatchObject({ exit_code: 0, data: { cycle: 0, changed: true } });
    expect((await session('show', name)).data).toMatchObject({ cycle: 0 });
  });

  it.each([
    [['compact'], [], 'INVALID_CONFIG', 1],
    [['compact'], ['--window', 'x'], 'USAGE', 2],
    [['status'], ['--window', '10'], 'INVALID_CONFIG', 1],
    [['status'], [...WINDOW, '--tenant', 'other'], 'NOT_FOUND', 1],
    [['show'], ['--section', 'nothing'], 'NOT_FOUND', 1],
  ])('answers %j with %j by %s', async ([command = ''], options, code, exitCode) => {
    const target = code === 'INVALID_CONFIG' && options.length === 0 ? await nameless() : name;
    const answered = await session(command, target, ...options);
    expect(answered).toMatchObject({ exit_code: exitCode, messages: [{ code }] });
  });

  /** A session that names no model. */
  async function nameless(): Promise<string> {
    const record = {
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 'bare',
      isSidechain: false,
      timestamp: '2026-01-31T12:00:00.000Z',
      message: { role: 'user', content: 'go' },
    };
    await answer(['session', 'import', '-'], { env, stdin: `${JSON.stringify(record)}\n` });
    return 'bare';
  }
});
