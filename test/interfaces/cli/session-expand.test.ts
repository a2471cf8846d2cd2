/** Every handle that a rendered text shows leads back to entries, and tells where an item comes from. */
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

const SESSION = '5b1f0c1e-7f0a-4c52-9d0e-3a6f0c7e2b41';
const FILE = 'src/auth/refresh-service.ts';

interface Item {
  readonly item_no: number;
  readonly text: string;
  readonly source_entry_ids: readonly string[];
  readonly producer: string;
  readonly cycle_created: number;
}

let database: TestDatabase;
let env: Record<string, string>;
let items: readonly (Item & { readonly section: string })[];

const session = (...words: readonly string[]) => answer(['session', ...words], { env });

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, OSSATURE_REDACTION_KEY: 'k' };
  await agents(['database', 'migrate'], { env });
  await session('import', resolve('examples/session.jsonl'), '--window', '200000');
  await session('compact', SESSION, '--now');
  await session('pin', SESSION, 'Ask before you deploy.');
  const { data } = await session('show', SESSION);
  const sections = data?.['sections'] as readonly { key: string; items: readonly Item[] }[];
  items = sections.flatMap(({ key, items: own }) => own.map((one) => ({ ...one, section: key })));
});

afterAll(() => database.drop());

async function expanded(handle: string, ...more: readonly string[]) {
  const given = ['expand', SESSION, handle, '--max-tokens', '9999999', ...more];
  const { exit_code, data, messages } = await session(...given);
  const entries = (data?.['entries'] ?? []) as readonly { seq: number; entry_id: string }[];
  return {
    exit_code,
    code: messages.find(({ level }) => level === 'error')?.code ?? null,
    text: messages[0]?.text ?? '',
    seqs: entries.map(({ seq }) => seq),
    ids: entries.map(({ entry_id: id }) => id),
    next: data?.['next'],
  };
}

const ofSection = (key: string) => items.filter(({ section }) => section === key);

describe('a handle', () => {
  it('#N gives the sources of an item, of each kind', async () => {
    for (const key of new Set(items.map(({ section }) => section))) {
      const [item] = ofSection(key);
      const { exit_code, ids } = await expanded(`#${item?.item_no}`);
      expect([key, exit_code]).toEqual([key, 0]);
      expect(ids).toEqual(expect.arrayContaining([...(item?.source_entry_ids ?? [])]));
    }
  });

  it('#N of a pin that the host set is there, and says that no entry stands behind it', async () => {
    const pin = items.find(({ text }) => text === 'Ask before you deploy.');
    expect(pin?.source_entry_ids).toEqual([]);
    const { exit_code, seqs, text } = await expanded(`#${pin?.item_no}`);
    expect({ exit_code, seqs }).toEqual({ exit_code: 0, seqs: [] });
    expect(text).toContain('no entry stands behind it');
  });

  it('section:KEY gives the sources of all its items', async () => {
    const { ids } = await expanded('section:files_modified');
    const sources = ofSection('files_modified').flatMap((item) => item.source_entry_ids);
    expect(sources.length).toBeGreaterThan(5);
    expect(ids).toEqual(expect.arrayContaining(sources));
  });

  it('cycle:N gives every entry that left, in pages', async () => {
    const { data } = await session('show', SESSION, '--cycle', '1');
    const record = data?.['record'] as { span: readonly object[] } | undefined;
    const { seqs } = await expanded('cycle:1');
    expect(record?.span).toEqual([{ from: 1, to: seqs.at(-1) }]);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    const { data: page } = await session('expand', SESSION, 'cycle:1', '--max-tokens', '500');
    const next = page?.['next'];
    expect(next).toEqual(expect.any(Number));
    const rest = await expanded('cycle:1', '--after', String(next));
    expect(rest).toMatchObject({ seqs: seqs.slice(Number(next)), next: null });
  });

  it('of a path gives all that touched it, however the path is written', async () => {
    const { seqs } = await expanded(`path:${FILE}`);
    expect(seqs.length).toBeGreaterThan(4);
    for (const handle of [
      `file:${FILE}`,
      FILE,
      `./${FILE}`,
      `/home/dev/harbor/${FILE}`,
      `path:/home/dev/harbor/src/web/../auth/refresh-service.ts`,
    ]) {
      expect([handle, (await expanded(handle)).seqs]).toEqual([handle, seqs]);
    }
  });

  it('trail:GROUP gives what a rendered trail counted and did not show', async () => {
    const { seqs: read } = await expanded('trail:read');
    const last = ofSection('files_read').at(-1);
    const { seqs: own } = await expanded(`#${last?.item_no}`);
    expect(read).toEqual(expect.arrayContaining([...own]));
    const { seqs: changed } = await expanded('trail:changed');
    expect(changed.length).toBeGreaterThan(read.length);
  });

  it('entry:N gives an entry, and with a call what answered it', async () => {
    const { data } = await session('expand', SESSION, 'entry:13');
    expect(data?.['entries']).toMatchObject([
      { seq: 13, kind: 'tool_call' },
      { seq: 16, kind: 'tool_result' },
    ]);
    expect((await expanded('entry:16')).seqs).toEqual([16]);
  });

  it.each([
    '#9999',
    '#x',
    'section:nothing',
    'section:*',
    'cycle:0',
    'cycle:9',
    'entry:0',
    'entry:99999',
    'path:src/none.ts',
    'file:src/none.ts',
    'src/none.ts',
    'trail:nothing',
    '17',
    ' ',
  ])('that stands for nothing here is NOT_FOUND: %s', async (handle) => {
    const { exit_code, code, text } = await expanded(handle);
    expect({ exit_code, code }).toEqual({ exit_code: 1, code: 'NOT_FOUND' });
    expect(text).toContain('#N, section:KEY, cycle:N, entry:N, path:PATH or trail:GROUP');
  });
});

describe('provenance', () => {
  it('names cycle, producer and sources of every item, on request only', async () => {
    const shown = async (...more: readonly string[]) =>
      (await agents(['session', 'show', SESSION, '--format', 'plain', ...more], { env })).stdout;
    const [plain, told] = [await shown(), await shown('--provenance')];
    expect(plain).not.toContain('{cycle ');
    for (const item of items.filter(({ section }) => section !== 'current_state')) {
      const { cycle_created: cycle, producer, source_entry_ids: sources } = item;
      const from = sources.length === 0 ? 'none' : sources.join(' ');
      expect(told).toMatch(
        new RegExp(
          `#${item.item_no} [^]*?{cycle ${cycle}–\\d+, version \\d+, by ${producer}, sources ${from}}`,
        ),
      );
    }
    expect(new Set(items.map(({ producer }) => producer))).toEqual(
      new Set(['trail', 'offline', 'host']),
    );
  });

  it('gives each item back with its versions, and the entries that it cites', async () => {
    const [decision] = ofSection('decisions');
    const { data } = await session('show', SESSION, '--item', String(decision?.item_no));
    expect(data).toMatchObject({
      item: { item_no: decision?.item_no },
      versions: [{ version: 1 }],
    });
    const { ids } = await expanded(`#${decision?.item_no}`);
    expect(ids).toEqual(expect.arrayContaining([...(decision?.source_entry_ids ?? [])]));
  });
});
