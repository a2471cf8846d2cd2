import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, normalised } from './cli-support.js';

const TEXTS = {
  login: 'The login form posts to /session and the server answers with a cookie for two hours.',
  cache: 'The cache of rendered pages is cleared by the deploy script and never by the server.',
  tests: 'The integration tests start a database of their own and need about forty seconds.',
  short: 'Too short.',
};

let database: TestDatabase;
let env: Record<string, string>;
let childId: string;

/** Fragment files of these texts, the first the most relevant. */
function linesOf(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts)
    .map(([fragmentId, content], at) =>
      JSON.stringify({ fragment_id: fragmentId, content, relevance: 0.9 - at / 10 }),
    )
    .join('\n');
}

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
  await agents(['database', 'migrate'], { env });
  await agents(['project', 'create', 'demo'], { env });
  const create = [
    'plan',
    'create',
    '--project',
    'demo',
    '--goal',
    'Repair the login and its tests',
    '--name',
    'build',
  ];
  await agents(create, { env });
  const { login, cache, ...others } = TEXTS;
  await agents(['plan', 'import', 'build', '-'], { env, stdin: linesOf({ login, cache }) });
  const spawn = [
    'plan',
    'spawn',
    'build',
    '--goal',
    'Find out why the tests are slow',
    '--skeleton-ratio',
    '0.5',
  ];
  childId = String((await answer(spawn, { env })).data?.['plan_id']);
  await agents(['plan', 'import', childId, '-'], { env, stdin: linesOf(others) });
});

afterAll(() => database.drop());

const QUERY = ['--query', 'how long do the integration tests need?'];
const COMMANDS = [
  { name: 'inspect', words: () => ['project', 'context', 'inspect', 'demo', '--plan', childId] },
  {
    name: 'simulate',
    words: () => ['project', 'context', 'simulate', 'demo', '--plan', childId, ...QUERY],
  },
  { name: 'assemble', words: () => ['plan', 'assemble', childId, ...QUERY] },
];

describe('the commands of an assembly', () => {
  for (const { name, words } of COMMANDS) {
    it.each(['rich', 'plain', 'json', 'yaml'])(`${name} shows itself as %s`, async (format) => {
      const { exitCode, stdout, stderr } = await agents([...words(), '--format', format], {
        env: { ...env, NO_COLOR: '1' },
        ...(format === 'rich' ? { columns: 100 } : {}),
      });

      expect(exitCode).toBe(0);
      expect(normalised(stdout)).toMatchSnapshot('stdout');
      expect(normalised(stderr)).toMatchSnapshot('stderr');
    });
  }
});

describe('agents plan assemble', () => {
  it('answers in the names of the wire, the inherited text first', async () => {
    const { data } = await answer(['plan', 'assemble', childId, ...QUERY], { env });

    expect(data).toMatchObject({
      plan_id: childId,
      skeleton_fragments: [{ fragment_id: 'cache', content: TEXTS.cache }],
      budget: { max_tokens: 4096, reserved_tokens: 512, available_tokens: 3584 },
    });
    expect(data?.['excluded']).toContainEqual(
      expect.objectContaining({ fragment_id: 'short', reason: 'too-small' }),
    );
  });

  it('writes a text for a model, and all of it where the file is named .json', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ossature-assembly-'));
    const [text, json] = [join(folder, 'context.txt'), join(folder, 'context.json')];

    await agents(['plan', 'assemble', childId, ...QUERY, '--out', text], { env });
    await agents(['plan', 'assemble', childId, ...QUERY, '--out', json], { env });

    expect(readFileSync(text, 'utf8')).toContain(`\n\n${TEXTS.cache}\n\n`);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ plan_id: childId });
    expect(readdirSync(folder).sort()).toEqual(['context.json', 'context.txt']);
  });

  it('keeps the permissions of a file, and where a link points', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ossature-assembly-'));
    const [file, link] = [join(folder, 'kept.txt'), join(folder, 'link.txt')];
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    symlinkSync(file, link);

    await agents(['plan', 'assemble', childId, ...QUERY, '--out', link], { env });

    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readFileSync(file, 'utf8')).toContain(TEXTS.cache);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['kept.txt', 'link.txt']);
  });

  it('replaces neither a device nor a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ossature-assembly-'));
    const device = join(folder, 'null');
    symlinkSync('/dev/null', device);
    const write = (out: string) =>
      answer(['plan', 'assemble', childId, ...QUERY, '--out', out], { env });

    expect((await write(device)).exit_code).toBe(0);
    expect((await write(folder)).messages[0]?.code).toBe('INVALID_INPUT');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    expect(readdirSync(folder)).toEqual(['null']);
  });

  // prettier-ignore
  it.each([
    { words: ['--budget', '100', '--reserve', '100'],   code: 'INVALID_BUDGET', says: 'reserved_tokens (100) must be below max_tokens (100)' },
    { words: ['--budget', '100', '--reserve', '4096'],  code: 'INVALID_BUDGET', says: 'nothing would be left' },
    { words: ['--skeleton-reserve', '1.5'],             code: 'INVALID_RATIO',  says: 'The reserve ratio must be' },
    { words: ['--skeleton-reserve', '1e999'],           code: 'INVALID_RATIO',  says: 'tokens to reserve' },
    { words: ['--compressor', 'builtin:none'],          code: 'INVALID_CONFIG', says: 'Known: builtin:skeleton, builtin:depth-reduction' },
    { words: ['--out', '/nowhere/at/all.txt'],          code: 'INVALID_INPUT',  says: '/nowhere/at/all.txt cannot be written' },
  ])('refuses $words with $code, and says what is wrong', async ({ words, code, says }) => {
    const { exit_code, messages } = await answer(['plan', 'assemble', childId, ...words], { env });

    expect(exit_code).toBe(1);
    expect(messages).toEqual([
      expect.objectContaining({ level: 'error', code, text: expect.stringContaining(says) }),
    ]);
  });

  it.each(['', ' ', 'zzyzx', '登录什么时候过期？', 'متى تنتهي؟', '😀👩‍👩‍👧🏽', 'x'.repeat(100_000)])(
    'takes the query %j',
    async (query) => {
      for (const words of [
        ['plan', 'assemble', childId],
        ['project', 'context', 'simulate', 'demo', '--plan', childId],
      ]) {
        const { exit_code, data } = await answer([...words, '--query', query], { env });
        expect(exit_code).toBe(0);
        expect(data).toMatchObject({ query });
        expect(data?.['skeleton_fragments']).toHaveLength(1);
      }
    },
  );

  it.each([
    ['--skeleton-reserve', 'NaN'],
    ['--skeleton-reserve', ''],
    ['--reserve', '-1'],
    ['--reserve', '0.5'],
    ['--budget', 'Infinity'],
    ['--budget', '99999999999999999999'],
    ['--budget', ''],
  ])('takes %s %j as wrong use', async (option, value) => {
    for (const words of [
      ['plan', 'assemble', childId],
      ['project', 'context', 'inspect', 'demo'],
      ['project', 'context', 'simulate', 'demo', ...QUERY],
    ]) {
      const { exit_code, messages } = await answer([...words, option, value], { env });
      expect(exit_code).toBe(2);
      expect(messages[0]).toMatchObject({ level: 'error', code: 'USAGE' });
      expect(messages[0]?.text).toContain('It must be a ');
    }
  });

  it.each(['0', '-1', '1.5', 'many'])('takes --budget %s as wrong use', async (budget) => {
    const words = ['plan', 'assemble', childId, '--budget', budget];
    const { exit_code, messages } = await answer(words, { env });

    expect(exit_code).toBe(2);
    expect(messages).toEqual([expect.objectContaining({ level: 'error', code: 'USAGE' })]);
    expect(messages[0]?.text).toContain('It must be a whole number from 1 on.');
  });

  it('names a preferred strategy that there is none of', async () => {
    const { messages } = await answer(['plan', 'assemble', childId, '--prefer', 'keywrod'], {
      env,
    });

    expect(messages[0]?.text).toBe(
      'The strategy keywrod gave nothing (unknown): There is no strategy "keywrod".',
    );
  });

  it('takes a budget of one token, and says that nothing fits', async () => {
    const { data, messages } = await answer(['plan', 'assemble', childId, '--budget', '1'], {
      env,
    });

    expect(data).toMatchObject({ fragments: [], skeleton_fragments: [], total_tokens: 0 });
    expect(messages[0]?.text).toContain('Give a larger --budget.');
  });
});

describe('agents project context', () => {
  it('looks at the newest root where no plan is named', async () => {
    const { data } = await answer(['project', 'context', 'inspect', 'demo'], { env });
    const { data: build } = await answer(['plan', 'status', 'build'], { env });

    expect(build?.['plan_id']).toBeDefined();
    expect(data?.['plan_id']).toBe(build?.['plan_id']);
  });

  it('says so where a table has only some of the rows', async () => {
    const words = ['plan', 'create', '--project', 'demo', '--goal', 'count', '--name', 'many'];
    await agents(words, { env });
    const lines = Array.from({ length: 14 }, (_, at) => ({
      fragment_id: `line-${at}`,
      content: `${TEXTS.login} Line ${at}.`,
      relevance: 0.5,
    }));
    const stdin = lines.map((line) => JSON.stringify(line)).join('\n');
    await agents(['plan', 'import', 'many', '-'], { env, stdin });

    const { stdout } = await agents(
      ['project', 'context', 'simulate', 'demo', '--plan', 'many', '--query', 'cookie'],
      { env },
    );

    expect(stdout).toContain('kept, the first 10 of 14:');
    expect(stdout).toMatch(/^excluded(?:, the first 10 of \d+)?:$/m);
  });

  it('refuses a project without plans, and a plan of another project', async () => {
    await agents(['project', 'create', 'empty'], { env });
    const bare = ['project', 'context', 'inspect', 'empty'];

    expect((await answer(bare, { env })).messages[0]?.code).toBe('NOT_FOUND');
    expect((await answer([...bare, '--plan', childId], { env })).messages[0]?.code).toBe(
      'INVALID_INPUT',
    );
  });
});
