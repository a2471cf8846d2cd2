/** Whatever a fragment file is refused for, file and line are named, and --skip-invalid leaves it out. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answer } from '../interfaces/cli/cli-support.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;
let names = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-lines-'));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
  await answer(['database', 'migrate'], { env });
  await answer(['project', 'create', 'demo'], { env });
  await aPlan();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function aPlan(): Promise<string> {
  names += 1;
  const name = `plan-${names}`;
  await answer(['plan', 'create', '--project', 'demo', '--name', name, '--goal', 'g'], { env });
  return name;
}

type Fields = Readonly<Record<string, unknown>>;

function file(objects: readonly Fields[]): string {
  const path = join(folder, `file-${Math.abs(objects.length)}-${names}.jsonl`);
  writeFileSync(path, objects.map((fields) => `${JSON.stringify(fields)}\n`).join(''));
  return path;
}

const whole = (id: string, fields: Fields = {}): Fields => ({
  fragment_id: id,
  content: `content of ${id}`,
  relevance: 0.5,
  token_count: 10,
  ...fields,
});

const held = async (plan: string): Promise<unknown> =>
  (await answer(['plan', 'context', plan], { env })).data?.['total'];

const FOREIGN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const LARGEST = Number.MAX_SAFE_INTEGER;
/** More than a batch of the import, so that the object and its twin are never in one. */
const MANY = Array.from({ length: 150 }, (_, index) => whole(`many-${index}`));

// prettier-ignore
const BAD = [
  { rule: 'an id of more than 500 characters', before: [whole('a')], bad: whole('x'.repeat(501)),                        code: 'INVALID_FRAGMENT',   says: /fragment_id must be .*500 characters/ },
  { rule: 'U+0000 in an id',                   before: [whole('a')], bad: whole('x\u0000'),                              code: 'INVALID_FRAGMENT',   says: /fragment_id must be .*U\+0000/ },
  { rule: 'a decision of another plan',        before: [whole('a')], bad: whole('x', { decision_id: FOREIGN }),          code: 'INVALID_FRAGMENT',   says: /fragment "x" names decision .* of plan / },
  { rule: 'one id twice with other content',   before: [whole('a')], bad: whole('a', { content: 'other' }),              code: 'DUPLICATE_FRAGMENT', says: /fragment "a" stands twice in this file.*first: .*line 1\)/ },
  { rule: 'the same, far behind',              before: MANY,         bad: whole('many-0', { content: 'other' }),         code: 'DUPLICATE_FRAGMENT', says: /fragment "many-0" stands twice in this file.*first: .*line 1\)/ },
  { rule: 'a sum that cannot be computed',     before: [whole('a')], bad: whole('x', { token_count: LARGEST }),          code: 'INVALID_FRAGMENT',   says: /sum of all token counts within the safe integers/ },
];

describe('an object that breaks a rule after it was read', () => {
  beforeAll(async () => {
    const fields = { decision_id: FOREIGN, decision: 'of the first plan' };
    await answer(['plan', 'import', 'plan-1', file([whole('f', fields)])], { env });
  });

  it.each(BAD)(
    'is named by file and line, and nothing of the file is imported: $rule',
    async ({ before, bad, code, says }) => {
      const plan = await aPlan();
      const path = file([...before, bad]);
      const { exit_code, messages } = await answer(['plan', 'import', plan, path], { env });
      expect(exit_code).toBe(1);
      const line = before.length + 1;
      const [message] = messages;
      expect(message).toMatchObject({ code, details: { source: path, line } });
      expect(message?.text).toMatch(says);
      expect(message?.text.startsWith(`${path}, line ${line}: `)).toBe(true);
      expect(message?.text).toMatch(/Nothing of this file was imported.*--skip-invalid/);
      expect(await held(plan)).toEqual({ fragments: 0, tokens: 0 });
    },
  );

  it.each(BAD)('is left out and listed with --skip-invalid: $rule', async ({ before, bad }) => {
    const plan = await aPlan();
    const path = file([...before, bad, whole('after')]);
    const { exit_code, data } = await answer(['plan', 'import', plan, path, '--skip-invalid'], {
      env,
    });
    expect(exit_code).toBe(0);
    expect(data?.['files']).toMatchObject([
      {
        fragments_added: before.length + 1,
        decisions_added: 0,
        problems: { total: 1, first: [{ line: before.length + 1 }] },
      },
    ]);
    expect(await held(plan)).toMatchObject({ fragments: before.length + 1 });
  });

  it('brings in no decision of its own when it clashes with what the plan holds', async () => {
    const plan = await aPlan();
    await answer(['plan', 'import', plan, file([whole('a')])], { env });
    const decision_id = '01ARZ3NDEKTSV4RRFFQ69G5FAW';
    const path = file([whole('a', { content: 'other', decision_id }), whole('b'), whole('c')]);
    const refused = await answer(['plan', 'import', plan, path], { env });
    expect(refused.messages[0]?.text).toMatch(/line 1: fragment "a" is already held by plan/);
    const { data } = await answer(['plan', 'import', plan, path, '--skip-invalid'], { env });
    expect(data?.['files']).toMatchObject([
      { fragments_added: 2, decisions_added: 0, fragments_read: 2 },
    ]);
  });
});

describe('text that the store cannot hold', () => {
  it('is replaced with a warning that names file, lines and count', async () => {
    const plan = await aPlan();
    const path = join(folder, 'repaired.jsonl');
    const line = (id: string, content: string) =>
      `{"fragment_id":"${id}","content":"${content}","relevance":0.5}\n`;
    writeFileSync(path, line('a', 'x\\u0000y') + line('b', 'fine') + line('c', '\\ud800\\u0000'));
    const { data, messages } = await answer(['plan', 'import', plan, path], { env });
    expect(data?.['files']).toMatchObject([{ repaired: 3, repaired_lines: [1, 3] }]);
    expect(messages).toEqual([
      {
        level: 'warning',
        text: `${path}: 3 characters that the store cannot hold (U+0000 or half of a surrogate pair) became U+FFFD in lines 1, 3: what is stored differs there from what was given.`,
      },
    ]);
  });
});

describe('an object that goes over several lines', () => {
  it('is refused with a hint at JSON arrays', async () => {
    const path = join(folder, 'pretty.json');
    writeFileSync(path, JSON.stringify(whole('a'), null, 2));
    const { messages } = await answer(['plan', 'import', 'plan-1', path], { env });
    expect(messages[0]?.text).toMatch(
      /line 1: must be JSON: one whole object a line\..*one JSON array/,
    );
  });
});
