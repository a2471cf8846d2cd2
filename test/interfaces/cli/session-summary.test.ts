/** `agents session status`, `compact` and `show --section` on Postgres, on the example session. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

  it('counts what the host sends beside it, given as texts, as counts or kept with the session', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ossature-frame-'));
    const frame = (name_: string, value: unknown): string => {
      writeFileSync(join(folder, name_), JSON.stringify(value));
      return join(folder, name_);
    };
    const parts = async (...words: string[]) =>
      (await session('status', name, ...WINDOW, ...words)).data?.['used_by_part'] as Record<
        string,
        number
      >;
    const tools = [{ name: 'Read', input_schema: { type: 'object' } }];
    const texts = frame('texts', { system: 'You mend harbors.', tools });
    expect(await parts('--frame', texts)).toMatchObject({
      system: expect.any(Number),
      tools: expect.any(Number),
    });
    expect((await parts('--frame', texts))['tools']).toBeGreaterThan(5);
    const counts = frame('counts', { system_tokens: 300, tool_tokens: 400 });
    expect(await parts('--frame', counts)).toMatchObject({ system: 300, tools: 400 });
    await session('set', name, 'system_tokens=120', 'tool_tokens=80');
    expect(await parts()).toMatchObject({ system: 120, tools: 80 });
    await session('set', name, 'system_tokens=', 'tool_tokens=');
    const large = frame('large', { system_tokens: 19_000, tool_tokens: 0 });
    const stopped = await session('compact', name, ...WINDOW, '--frame', large, '--dry-run');
    expect(stopped).toMatchObject({ exit_code: 1, data: { outcome: 'stopped' } });
    for (const wrong of [join(folder, 'none'), frame('list', [1]), frame('other', { a: 1 })]) {
      const refused = await session('status', name, ...WINDOW, '--frame', wrong);
      expect(refused).toMatchObject({ exit_code: 2, messages: [{ code: 'USAGE' }] });
    }
    rmSync(folder, { recursive: true });
  });

  it('says in a dry run what would go, and writes nothing', async () => {
    const { exit_code, data } = await session('compact', name, ...WINDOW, '--dry-run');
    expect(exit_code).toBe(0);
    expect(data).toMatchObject({ outcome: 'planned', cycle: 0, attempt_id: null });
    expect((await session('show', name)).data).toMatchObject({
      cycle: 0,
      revision: expect.any(Number),
    });
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

  it('shows an item with its versions, a cycle with its record, and where items come from', async () => {
    const { data } = await session('show', name);
    const sections = (data?.['sections'] ?? []) as readonly {
      items: readonly { item_no: number }[];
    }[];
    const [first] = sections.flatMap(({ items }) => items);
    const last = Number(data?.['last_seq']);
    const behind = Number(data?.['tail_entries']);
    expect(data).toMatchObject({ cycle: 1, tail_entries: expect.any(Number) });
    expect(data?.['tail']).toHaveLength(Math.min(10, behind));
    expect((await session('show', name)).messages.map(({ text }) => text)).toEqual(
      behind > 10
        ? [
            `The last 10 of ${behind} entries behind the summary are shown. See others with --entries ${last - behind + 1}..${last}.`,
          ]
        : [],
    );
    const item = await session('show', name, '--item', `#${first?.item_no}`);
    expect(item.data).toMatchObject({
      item: { item_no: first?.item_no, version: 1 },
      versions: [{ version: 1 }],
    });
    const cycle = await session('show', name, '--cycle', '1');
    expect(cycle.data).toMatchObject({
      cycle: 1,
      record: { state: 'live', strategy: 'offline', tokens_after: expect.any(Number) },
    });
    const plain = await agents(
      ['session', 'show', name, '--section', 'constraints', '--provenance', '--format', 'plain'],
      { env },
    );
    expect(plain.stdout).toContain('by trail, sources ');
    expect((await session('show', name, '--cycle', '9')).messages[0]).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('keeps settings with the session, which later calls go by', async () => {
    const set = await session(
      'set',
      name,
      'window_tokens=20000',
      'keep_turns=3',
      'triggers=importance',
    );
    expect(set).toMatchObject({
      exit_code: 0,
      data: {
        changed: true,
        settings: { window_tokens: 20_000, keep_turns: 3, triggers: [['importance']] },
      },
    });
    const { data } = await session('status', name);
    expect(data).toMatchObject({
      window_tokens: 20_000,
      triggers: [{ name: 'importance' }],
      calibration: { factor: 1, reports: 0 },
      expansions: { count: 0 },
    });
    expect(await session('set', name, 'keep_turns=3')).toMatchObject({ data: { changed: false } });
    const taken = await session('set', name, 'keep_turns=', 'triggers=');
    expect(taken.data).toMatchObject({ settings: { window_tokens: 20_000 } });
    for (const [text, field] of [
      ['drain_line=0.9', 'drain_line'],
      ['nothing=1', 'nothing'],
      ['schema=none', 'schema'],
    ]) {
      const refused = await session('set', name, text ?? '');
      expect(refused).toMatchObject({ exit_code: 1, messages: [{ code: 'INVALID_CONFIG' }] });
      expect(refused.messages[0]?.text).toContain(field);
    }
    const debugging = await session('set', name, 'schema=debugging');
    expect(debugging).toMatchObject({ exit_code: 0, data: { homeless: [] } });
    expect((await session('show', name, '--section', 'root_cause')).exit_code).toBe(0);
    await session('set', name, 'schema=');
  });

  it('takes a strategy and a focus, and falls back where no model is', async () => {
    const forced = await session('compact', name, '--strategy', 'anchored', '--focus', 'the login');
    expect(forced).toMatchObject({ exit_code: 0, data: { outcome: 'unchanged' } });
    expect((await session('compact', name, '--strategy', 'magic')).exit_code).toBe(2);
  });

  it('keeps the window that an import names', async () => {
    const file = resolve('examples/session.jsonl');
    const imported = await answer(
      ['session', 'import', file, '--window', '50000', '--tenant', 'w'],
      { env },
    );
    expect(imported.exit_code).toBe(0);
    const [stored] = (imported.data?.['sessions'] ?? []) as readonly { session_id: string }[];
    const status = await session('status', stored?.session_id ?? '', '--tenant', 'w');
    expect(status.data).toMatchObject({ window_tokens: 50_000 });
  });

  it('pins, gives entries back, unpins and rolls back', async () => {
    const pinned = await session('pin', name, 'Never touch the harbor.');
    expect(pinned).toMatchObject({ exit_code: 0, data: { changed: true, cycle: 1 } });
    const item = String(pinned.data?.['item_no']);
    const page = await session('expand', name, 'cycle:1', '--max-tokens', '1');
    expect(page.data).toMatchObject({ entries: [{ seq: 1 }], next: 1 });
    const more = await session('expand', name, 'cycle:1', '--max-tokens', '1', '--after', '1');
    expect(more.data).toMatchObject({ entries: [{ seq: 2 }] });
    const counted = (await session('status', name, ...WINDOW)).data?.['expansions'];
    expect(counted).toMatchObject({ count: 2 });
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
