/** `agents eval trail` on Postgres, on a session that its vendor compacted. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

/** Fourteen files changed and six read, a summary that names some of them, and two that are touched again. */
function compacted(): string {
  const records: object[] = [];
  let parent: string | null = null;
  const add = (record: Readonly<Record<string, unknown>>): void => {
    const uuid = `u${records.length + 1}`;
    records.push({
      uuid,
      parentUuid: record['type'] === 'system' ? null : parent,
      ...(record['type'] === 'system' ? { logicalParentUuid: parent } : {}),
      sessionId: 'shrunk',
      isSidechain: false,
      cwd: '/work/harbour',
      timestamp: '2026-01-31T12:00:00.000Z',
      ...record,
    });
    parent = uuid;
  };
  const user = (content: unknown, extra: object = {}): void =>
    add({ type: 'user', message: { role: 'user', content }, ...extra });
  const call = (name: string, input: object): void => {
    const id = `call-${records.length}`;
    const content = [{ type: 'tool_use', id, name, input }];
    add({ type: 'assistant', message: { id: `m-${id}`, role: 'assistant', content } });
    user([{ type: 'tool_result', tool_use_id: id, content: 'done' }]);
  };
  const edit = (at: number): void =>
    call('Edit', {
      file_path: `/work/harbour/src/part-${at}.ts`,
      old_string: 'a',
      new_string: 'b',
    });
  const read = (at: number): void =>
    call('Read', { file_path: `/work/harbour/docs/page-${at}.md` });
  user('Repair the harbour.');
  for (let at = 1; at <= 14; at += 1) edit(at);
  for (let at = 1; at <= 6; at += 1) read(at);
  add({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' });
  const named = '/work/harbour/src/part-1.ts and part-2.ts were changed. ';
  user(named + 'The harbour was repaired in many places. '.repeat(90), { isCompactSummary: true });
  user('Go on.');
  read(2);
  edit(3);
  return `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
}

describe('eval trail on the command line', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    await agents(['database', 'migrate'], { env });
    folder = mkdtempSync(join(tmpdir(), 'ossature-eval-'));
    writeFileSync(join(folder, 'session.jsonl'), compacted());
    writeFileSync(join(folder, 'shorter.jsonl'), compacted().split('\n').slice(0, -3).join('\n'));
    writeFileSync(join(folder, 'other.json'), '{"nothing": "of ours"}');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  it('finds in ours every changed file by its path, at the size of the vendor’s summary', async () => {
    const bounds = ['offline.changed_by_path>=1', 'offline.touched_again_by_path>=0.95'];
    const { exit_code, data } = await answer(['eval', 'trail', folder, '--assert', ...bounds], {
      env,
    });
    expect(data).toMatchObject({
      kind: 'trail',
      n: { sources: 3, sessions: 1, boundaries: 1, files: 20, first_touches: 2 },
      failures: [{ what: join(folder, 'other.json'), count: 1 }],
    });
    expect(exit_code).toBe(0);
    const arms = data?.['arms'] as readonly {
      readonly name: string;
      readonly figures: Readonly<Record<string, { readonly value: number }>>;
    }[];
    const [vendor, offline, trail] = arms;
    expect(vendor?.figures['changed_by_name']?.value).toBeCloseTo(2 / 14);
    expect(vendor?.figures['changed_by_path']?.value).toBeCloseTo(1 / 14);
    expect(trail?.figures['changed_by_path']?.value).toBe(1);
    expect(offline?.figures['tokens']?.value).toBeLessThanOrEqual(
      vendor?.figures['tokens']?.value ?? 0,
    );
  });

  it.each([
    { rule: 'what is no folder', path: () => join(folder, 'nowhere'), said: 'is no folder' },
    { rule: 'a folder without a compaction', path: () => 'examples', said: 'No transcript' },
  ])('refuses $rule', async ({ path, said }) => {
    const { exit_code, messages } = await answer(['eval', 'trail', path()], { env });
    expect(exit_code).toBe(1);
    expect(messages[0]?.text).toContain(said);
  });
});
