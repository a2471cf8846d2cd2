/** What a person at a terminal gets wrong, must not let through, or must not record: `agents lesson` on Postgres. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../support/lesson-world.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, type Envelope, type RunSettings } from './cli-support.js';

const NOBODY = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const ADD = ['add', '--family', 'retry', '--title', 'Flaky services', '--gist', 'When calls fail'];
const USE = ['use', '--prompt', 'Fetch it', '--outcome', 'success', '--summary', 'Minded @idem'];

describe('agents lesson, wrong input', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  /** Names in the tables of this file, as ids. */
  const ids = new Map<string, string>();

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'ossature-lesson-'));
    env = {
      DATABASE_URL: database.url,
      OSSATURE_MODEL: 'offline',
      OSSATURE_REDACTION_KEY: 'k',
      PATH: process.env['PATH'] ?? '',
    };
    await answer(['database', 'migrate'], { env });
    await answer(['project', 'create', 'harbor'], { env });
    const stdin = bodyOf('B0', 'B1', 'B2', 'B3', 'B4');
    ids.set('LESSON', String((await run(ADD, { stdin })).data?.['lesson_id']));
    const other = await run([...ADD, '--text', 'Never retry. @never']);
    ids.set('OTHER', String(other.data?.['lesson_id']));
    for (const fact of ['@idem', '@backoff']) {
      await run([
        'use',
        '--prompt',
        'P',
        '--outcome',
        'success',
        '--summary',
        fact,
        '--used',
        'LESSON',
      ]);
    }
    const { data } = await run(['compress', 'LESSON']);
    ids.set('SHORT', String(data?.['accepted_id']));
    ids.set('ATTEMPT', String(data?.['attempt_id']));
    const opened = await run(['fail', 'SHORT', '--prompt', 'Store', '--missing', '@body200']);
    ids.set('CLOSED', String(opened.data?.['descent_id']));
    await run(['rescue', '--descent', 'CLOSED']);
    const disputed = await run([
      ...ADD,
      '--text',
      'Always retry. @always',
      '--contradicts',
      'OTHER',
      '--question',
      'Which?',
    ]);
    const conflict = disputed.data?.['conflict'] as { readonly conflict_id: string };
    ids.set('SETTLED', conflict.conflict_id);
    await run(['resolve', 'SETTLED', '--keep', 'both']);
    await run([...USE, '--used', 'none', '--key', 'k1']);
    writeFileSync(join(folder, 'long.md'), 'word '.repeat(20_001));
    writeFileSync(join(folder, 'binary.md'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]));
  }, 60_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  /** Names are replaced by ids, `FOLDER/` by the folder of this file. */
  const wordsOf = (words: readonly string[]): readonly string[] =>
    words.map((word) =>
      word.replace(/[A-Z]{5,}/g, (name) => ids.get(name) ?? name).replace('FOLDER', folder),
    );
  const run = (words: readonly string[], settings: RunSettings = {}): Promise<Envelope> =>
    answer(['lesson', ...wordsOf(words)], { ...settings, env: { ...env, ...settings.env } });

  /** The whole store, a line a row. */
  async function everything(): Promise<readonly string[]> {
    const file = join(folder, 'store.jsonl');
    await answer(['database', 'export', file, '--force'], { env });
    return readFileSync(file, 'utf8').split('\n').slice(1, -2);
  }

  const error = async (words: readonly string[], settings: RunSettings = {}) => {
    const { exit_code: exitCode, messages } = await run(words, settings);
    const [found] = messages.filter(({ level }) => level === 'error');
    return { exitCode, code: found?.code, text: found?.text, details: found?.details };
  };

  const CASES: readonly (readonly [string, readonly string[], string, object])[] = [
    ['an empty body', [...ADD, '--text', ' '], 'INVALID_LESSON', { field: 'body' }],
    [
      'an oversized body',
      [...ADD, '--file', 'FOLDER/long.md'],
      'INVALID_LESSON',
      { field: 'body' },
    ],
    ['a binary file', [...ADD, '--file', 'FOLDER/binary.md'], 'INVALID_INPUT', {}],
    ['a file that is not there', [...ADD, '--file', 'FOLDER/none.md'], 'NOT_FOUND', {}],
    [
      'a gist of 26 words',
      [...ADD, '--text', 'x', '--gist', 'a '.repeat(26)],
      'INVALID_LESSON',
      { field: 'gist' },
    ],
    [
      'a gist of two lines',
      [...ADD, '--text', 'x', '--gist', 'a\nb'],
      'INVALID_LESSON',
      { field: 'gist' },
    ],
    [
      'a family that is no slug',
      [...ADD, '--text', 'x', '--family', 'Re try'],
      'INVALID_LESSON',
      { field: 'family' },
    ],
    [
      'no title',
      ['add', '--family', 'f', '--gist', 'g', '--text', 'x'],
      'INVALID_LESSON',
      { field: 'title' },
    ],
    ['an unknown project', [...ADD, '--text', 'x', '--project', 'none'], 'NOT_FOUND', {}],
    [
      'a question of several lines',
      [...ADD, '--text', 'x', '--contradicts', 'LESSON', '--question', 'a\nb'],
      'INVALID_LESSON',
      { field: 'question' },
    ],
    ['an unknown status', ['list', '--status', 'fine'], 'INVALID_LESSON', { field: 'status' }],
    [
      'an empty prompt',
      ['use', '--prompt', ' ', '--outcome', 'success'],
      'INVALID_EPISODE',
      { field: 'prompt' },
    ],
    [
      'an unknown outcome',
      ['use', '--prompt', 'p', '--outcome', 'fine'],
      'INVALID_EPISODE',
      { field: 'outcome' },
    ],
    [
      'a confidence that is no number',
      [...USE, '--confidence', 'high'],
      'INVALID_EPISODE',
      { field: 'confidence' },
    ],
    [
      'a confidence above 1',
      [...USE, '--confidence', '1.5'],
      'INVALID_EPISODE',
      { field: 'confidence' },
    ],
    ['a blank check', [...USE, '--check', ' '], 'INVALID_EPISODE', { field: 'check' }],
    [
      'used what was not served',
      [...USE, '--served', 'LESSON', '--used', 'OTHER'],
      'INVALID_USE',
      { field: 'used' },
    ],
    [
      'corrected what was not served',
      [...USE, '--served', 'LESSON', '--corrected', 'OTHER'],
      'INVALID_USE',
      { field: 'corrected' },
    ],
    [
      'a lesson twice in a list',
      [...USE, '--served', 'LESSON,LESSON'],
      'INVALID_USE',
      { field: 'served' },
    ],
    [
      'a span of what was not served',
      [...USE, '--served', 'LESSON', '--span', 'OTHER:Never retry'],
      'INVALID_USE',
      { field: 'spans' },
    ],
    [
      'a key that recorded another use',
      [...USE, '--prompt', 'Other', '--used', 'none', '--key', 'k1'],
      'DUPLICATE_KEY',
      {},
    ],
    ['no beginning of an id', ['show', 'flaky!'], 'INVALID_ID', {}],
    ['an ambiguous beginning', ['show', '01'], 'INVALID_ID', {}],
    ['an unknown lesson', ['show', NOBODY], 'NOT_FOUND', {}],
    ['an unknown version', ['show', 'LESSON', '--version', '99'], 'NOT_FOUND', { newest: 2 }],
    ['an unknown episode', ['fail', 'SHORT', '--episode', NOBODY], 'NOT_FOUND', {}],
    ['an unknown attempt', ['attempts', '--show', NOBODY], 'NOT_FOUND', {}],
    ['an unknown descent', ['fail', '--descent', NOBODY], 'NOT_FOUND', {}],
    ['an unknown conflict', ['resolve', NOBODY, '--keep', 'both'], 'NOT_FOUND', {}],
    ['a malformed conflict', ['resolve', 'nope!', '--keep', 'both'], 'INVALID_ID', {}],
    ['no quarantine to lift', ['resolve', 'LESSON', '--release', NOBODY], 'NOT_FOUND', {}],
    [
      'an unknown claim',
      ['rescue', 'SHORT', 'prefer tables'],
      'NOT_FOUND',
      { claims: expect.any(Array) },
    ],
    ['a closed descent', ['fail', '--descent', 'CLOSED'], 'DESCENT_CLOSED', {}],
    ['a closed conflict', ['resolve', 'SETTLED', '--keep', 'both'], 'CONFLICT_CLOSED', {}],
    [
      'an unknown category',
      ['fail', 'SHORT', '--prompt', 'p', '--category', 'luck'],
      'INVALID_INPUT',
      { field: 'category' },
    ],
    [
      'an unknown strategy',
      ['fail', 'SHORT', '--prompt', 'p', '--strategy', 'luck'],
      'INVALID_INPUT',
      { field: 'strategy' },
    ],
    [
      'a lesson that may not be compressed',
      ['compress', 'OTHER'],
      'NOT_ELIGIBLE',
      { failing: ['too-few-successes', 'no-episodes', 'too-small'] },
    ],
    ['a holder that is in use', ['archive', 'LESSON'], 'HOLDER_IN_USE', {}],
    [
      'an unknown setting',
      ['policy', 'compression.speed=9'],
      'INVALID_CONFIG',
      { field: 'lessons.compression.speed' },
    ],
    [
      'a setting out of range',
      ['policy', 'compression.max_ratio=3'],
      'INVALID_CONFIG',
      { field: 'lessons.compression.max_ratio' },
    ],
    [
      'a stored program',
      ['policy', 'replay.command=sh'],
      'INVALID_CONFIG',
      { field: 'lessons.replay.command' },
    ],
    [
      'redaction switched off',
      ['policy', 'privacy.redact=false'],
      'INVALID_CONFIG',
      { field: 'lessons.privacy.redact' },
    ],
    ['a page of none', ['list', '--limit', '501'], 'INVALID_INPUT', { field: 'limit' }],
  ];

  it('is refused by its code and field, and nothing is written', async () => {
    const before = await everything();
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (const [what, words, code, details] of CASES) {
      const { exitCode, code: got, details: told } = await error(words);
      found.push({ what, exitCode, code: got, details: told ?? {} });
      expected.push({ what, exitCode: 1, code, details: expect.objectContaining(details) });
    }

    expect(found).toMatchObject(expected);
    expect(await everything()).toEqual(before);
    expect(before.length).toBeGreaterThan(20);
  }, 120_000);

  it.each([
    ['neither file nor words', ['use']],
    ['a file beside words', ['use', '--file', 'x', '--prompt', 'p']],
    ['a span without a lesson', [...USE, '--span', 'words']],
    ['project and global', [...ADD, '--text', 'x', '--project', 'harbor', '--global']],
    ['two relations', [...ADD, '--text', 'x', '--refines', 'LESSON', '--specialises', 'LESSON']],
    ['text and file', [...ADD, '--text', 'x', '--file', 'y']],
    ['a lesson beside --all', ['compress', 'LESSON', '--all']],
    ['--revisit of a dry run', ['compress', 'LESSON', '--revisit', '--dry-run']],
    ['--due beside a filter', ['list', '--due', '--level', '1']],
    ['a level that is none', ['list', '--level', '-1']],
    ['a turn without a session', ['recall', 'p', '--turn', '1']],
    ['no prompt to recall for', ['recall']],
    ['--compacted without a session', ['recall', '--compacted']],
    ['a failure without work', ['fail', 'SHORT']],
    ['a rescue without a claim', ['rescue', 'SHORT']],
    ['nothing to resolve by', ['resolve', 'SETTLED']],
    ['an unknown outcome of attempts', ['attempts', '--outcome', 'fine']],
    ['a setting without a value', ['policy', 'compression.enabled']],
  ])('%s is wrong use', async (_, words) => {
    expect(await error(words)).toMatchObject({ exitCode: 2, code: 'USAGE' });
  });

  it.each([
    ['empty', ' '],
    ['unbalanced', 'claude "-p'],
    ['with the prompt inside an argument', 'node --say={prompt}'],
    ['of a program that is not there', 'no-such-agent -p'],
  ])(
    'a command of replays that is %s is refused before an attempt is opened',
    async (_, command) => {
      const settings = {
        env: {
          OSSATURE_LESSONS_REPLAY_COMMAND: JSON.stringify(command),
          OSSATURE_LESSONS_COMPRESSION_MIN_SUCCESSES: '0',
          OSSATURE_LESSONS_COMPRESSION_COOLDOWN_S: '0',
        },
      };
      const before = await everything();

      expect(await error(['compress', 'SHORT'], settings)).toMatchObject({
        exitCode: 1,
        code: 'INVALID_CONFIG',
      });
      expect(await everything()).toEqual(before);
    },
  );

  it('without a model nothing is compressed, and nothing is written', async () => {
    const before = await everything();

    expect(await error(['compress', 'SHORT'], { env: { OSSATURE_MODEL: '' } })).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    expect(await everything()).toEqual(before);
  });

  it('below an original there is nothing: new knowledge, and no error', async () => {
    const { exit_code, data } = await run(['fail', 'OTHER', '--prompt', 'p', '--missing', 'x']);

    expect({ exit_code, data }).toMatchObject({
      exit_code: 0,
      data: { status: 'closed', end: 'nothing-below', next: null },
    });
  });

  it('a file of uses is stored line by line: bad lines are told, and take no other with them', async () => {
    const use = { prompt: 'P', outcome: 'success', used: [ids.get('LESSON')?.slice(0, 25)] };
    const lines = [
      JSON.stringify({ ...use, use_key: 'f1', accepted_summary: '@idem' }),
      '{"prompt":',
      '',
      '[]',
      JSON.stringify({ ...use, outcome: 'fine' }),
      JSON.stringify({ ...use, used: [NOBODY] }),
      JSON.stringify({ ...use, used: 'LESSON' }),
      JSON.stringify({ ...use, spans: [{ text: 'x' }] }),
      JSON.stringify({ ...use, colour: 'red' }),
      JSON.stringify({ ...use, confidence: 0.3 }),
      JSON.stringify({ ...use, use_key: 'f1', accepted_summary: '@other' }),
      JSON.stringify({ ...use, use_key: 'f2', used: [] }),
    ];
    const { exit_code, data } = await run(['use', '--file', '-'], { stdin: lines.join('\n') });

    expect(exit_code).toBe(0);
    expect(data).toMatchObject({
      recorded: 2,
      not_recorded: 1,
      bad: [
        { line: 2, code: 'INVALID_INPUT' },
        { line: 4, code: 'INVALID_INPUT' },
        { line: 5, code: 'INVALID_EPISODE' },
        { line: 6, code: 'NOT_FOUND' },
        { line: 7, code: 'INVALID_USE' },
        { line: 8, code: 'INVALID_USE' },
        { line: 9, code: 'INVALID_INPUT' },
        { line: 11, code: 'DUPLICATE_KEY' },
      ],
    });
    expect((await run(['use', '--file', '-'], { stdin: 'no\nno' })).exit_code).toBe(1);
  });

  it('no secret of a text reaches the store', async () => {
    const secret = (at: number): string => `ghp_${String(at).padStart(2, '0')}${'aB3'.repeat(12)}`;
    let used = 0;
    const hidden = (text: string): string => {
      used += 1;
      return `${text} ${secret(used)}`;
    };
    const added = await run([
      ...ADD,
      '--title',
      hidden('Title'),
      '--gist',
      hidden('Gist'),
      '--text',
      hidden('Body @one'),
      '--tag',
      hidden('tag'),
      '--contradicts',
      'OTHER',
      '--question',
      hidden('Which?'),
    ]);
    expect(added.data).toMatchObject({ outcome: 'added' });
    ids.set('HIDDEN', String(added.data?.['lesson_id']));
    const conflict = added.data?.['conflict'] as { readonly conflict_id: string };
    await run([
      'use',
      '--prompt',
      hidden('Prompt'),
      '--outcome',
      'success',
      '--served',
      'HIDDEN,SHORT',
      '--summary',
      hidden('Summary'),
      '--check',
      hidden('check'),
      '--axis',
      hidden('axis'),
      '--span',
      `HIDDEN:${hidden('Body @one')}`,
      '--used',
      'HIDDEN',
      '--corrected',
      'SHORT',
      '--correction',
      hidden('Wrong'),
    ]);
    await run(['resolve', conflict.conflict_id, '--keep', 'both', '--note', hidden('Note')]);
    const opened = await run([
      'fail',
      'SHORT',
      '--prompt',
      hidden('Task'),
      '--missing',
      hidden('@body200'),
      '--wrong-step',
      hidden('step'),
    ]);
    ids.set('FAILED', String(opened.data?.['descent_id']));
    await run(['rescue', '--descent', 'FAILED', '--summary', hidden('In the end')]);
    await run(['fail', 'SHORT', '--correction', hidden('Once more @delays')]);
    const stored = (await everything()).join('\n');
    const found = Array.from({ length: used }, (_, at) => secret(at + 1));

    expect(used).toBe(17);
    expect(found.filter((one) => stored.includes(one))).toEqual([]);
    expect(stored).toContain('In the end');
    expect(stored).toContain('Once more @delays');
  });

  it.each([
    [['add', '--family', 'f', '--title', 't', '--gist', 'g', '--text', 'x']],
    [USE],
    [['use', '--file', '-']],
    [['compress', 'SHORT']],
    [['compress', '--all']],
    [['recall', 'A call fails', '--session', 's1']],
    [['fail', 'SHORT', '--prompt', 'p']],
    [['rescue', 'SHORT', 'x']],
    [['repair', '--all']],
    [['resolve', 'SETTLED', '--keep', 'both']],
    [['archive', 'OTHER']],
  ])('S40: inside of a replay %j does nothing, and says so', async (words) => {
    const before = await everything();
    const guarded = { env: { ...env, OSSATURE_REPLAY: '1' }, stdin: '{}' };
    for (const format of ['plain', 'json']) {
      const ran = await agents(['lesson', ...wordsOf(words), '--format', format], guarded);
      expect(ran).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining(`\`agents lesson ${words[0]}\` did nothing`),
      });
    }

    expect(await everything()).toEqual(before);
  });

  it.each([
    [['session', 'import', 'none.jsonl']],
    [['session', 'compact', NOBODY]],
    [['plan', 'import', 'build', 'none.jsonl']],
    [['plan', 'spawn', 'build', '--goal', 'g']],
  ])(
    'inside of a replay %j does nothing either, as a hook of an agent may call it',
    async (words) => {
      const ran = await agents(words, { env: { OSSATURE_REPLAY: '1' } });

      expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
      expect(ran.stderr).toContain(`\`agents ${words[0]} ${words[1]}\` did nothing`);
    },
  );
});
