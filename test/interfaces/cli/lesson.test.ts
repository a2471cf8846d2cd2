/** `agents lesson` on Postgres with the offline model: what each command answers and shows, and its exit code. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../support/lesson-world.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, type Envelope, normalised, type RunSettings } from './cli-support.js';

const CONTROLLED = { OSSATURE_LESSONS_COMPRESSION_CONTROL: 'true' };
const GIST = 'Applies when a remote service call sometimes fails';

const listIn = ({ data }: Envelope, key: string) =>
  (data?.[key] ?? []) as readonly Readonly<Record<string, unknown>>[];

describe('agents lesson', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let lessons = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = {
      DATABASE_URL: database.url,
      OSSATURE_MODEL: 'offline',
      OSSATURE_REDACTION_KEY: 'k',
      OSSATURE_LESSONS_REPLAY_MAX_CONCURRENT: '1',
      // Half the processes; where it matters it is switched on.
      OSSATURE_LESSONS_COMPRESSION_CONTROL: 'false',
      PATH: process.env['PATH'] ?? '',
    };
    await answer(['database', 'migrate'], { env });
    await answer(['project', 'create', 'harbor'], { env });
  });
  afterAll(() => database.drop());

  const run = (words: readonly string[], settings: RunSettings = {}): Promise<Envelope> =>
    answer(['lesson', ...words], { ...settings, env: { ...env, ...settings.env } });

  /** Without what differs from run to run. */
  async function shown(words: readonly string[], format: 'plain' | 'json'): Promise<string> {
    const { stdout } = await agents(['lesson', ...words, '--format', format], {
      env: { ...env, ...CONTROLLED },
    });
    return normalised(stdout)
      .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
      .replace(/("(?:process_id|duration_ms)": )\d+/g, '$10')
      .replace(/process \d+/g, 'process 0');
  }

  /** Each has a text of its own, so that none is known. */
  async function add(...more: readonly string[]): Promise<string> {
    lessons += 1;
    const stdin = `${bodyOf('B0', 'B1', 'B2', 'B3', 'B4')}\n\nIn case ${lessons} ask. @case\n\n`;
    const words = ['add', '--family', 'retry', '--title', 'Flaky remote services', '--gist', GIST];
    const { data } = await run([...words, ...more], { stdin });
    return String(data?.['lesson_id']);
  }

  async function use(lesson: string, facts = '@idem', ...more: readonly string[]) {
    const words = ['use', '--prompt', `A task of ${facts}`, '--outcome', 'success'];
    return run([...words, '--summary', `Minded ${facts}`, '--used', lesson, ...more]);
  }

  /** A lesson with two uses, and the level above it. */
  async function compressed(): Promise<readonly [string, string]> {
    const lessonId = await add();
    await use(lessonId);
    await use(lessonId);
    const { data } = await run(['compress', lessonId]);
    return [lessonId, String(data?.['accepted_id'])];
  }

  it('add tells id, tokens, claims and what was redacted; a text that is known is not stored again', async () => {
    const secret = `ghp_${'aB3'.repeat(12)}`;
    const words = [
      'add',
      '--family',
      'keys',
      '--title',
      'Keys',
      '--gist',
      'When keys are asked for',
    ];
    const first = await run([...words, '--text', `Use the key ${secret}. @key`]);
    const again = await run([...words, '--text', `Use the key ${secret}.  @key`]);

    expect(first).toMatchObject({
      exit_code: 0,
      data: { outcome: 'added', level: 0, claims: 1, tokens: expect.any(Number) },
      messages: [{ level: 'warning', text: expect.stringContaining('Secrets were replaced') }],
    });
    expect(again.data).toMatchObject({
      outcome: 'known',
      lesson_id: first.data?.['lesson_id'],
    });
  });

  it('a NUL is repaired and told; a lesson without a claim says what that means', async () => {
    const words = ['--family', 'gaps', '--title', 'Gaps', '--gist', 'When there is a gap'];
    const { data, messages } = await run(['add', ...words], { stdin: 'Mind the \u0000 gap.' });

    expect(data).toMatchObject({ outcome: 'added', repaired: 1, claims: 0 });
    expect(messages).toMatchObject([
      { text: 'Replaced by U+FFFD: 1 ill-formed character.' },
      { text: expect.stringContaining('It has no claims') },
    ]);
  });

  it('shows a lesson, its lineage and an attempt as plain text and as JSON', async () => {
    const words = ['add', '--family', 'retry', '--title', 'Flaky remote services', '--gist', GIST];
    const stdin = bodyOf('B0', 'B1', 'B2', 'B3', 'B4');
    const { data: added } = await run([...words, '--tag', 'http'], { stdin });
    const lessonId = String(added?.['lesson_id']);
    await use(lessonId, '@idem', '--span', `${lessonId}:@backoff`);
    await use(lessonId);
    for (const format of ['plain', 'json'] as const) {
      expect(await shown(['compress', lessonId, '--dry-run'], format)).toMatchSnapshot(
        `compress ${format}`,
      );
    }
    const { data } = await run(['compress', lessonId], { env: CONTROLLED });
    const short = String(data?.['accepted_id']);
    for (const format of ['plain', 'json'] as const) {
      expect(await shown(['show', short], format)).toMatchSnapshot(`show ${format}`);
      expect(await shown(['tree', short], format)).toMatchSnapshot(`tree ${format}`);
    }
  });

  it.each(['rich', 'yaml'])('every reading command has a view in %s', async (format) => {
    const [lessonId, short] = await compressed();
    const [attempt] = listIn(await run(['attempts', lessonId]), 'attempts');
    for (const words of [
      ['list'],
      ['show', short, '--episodes'],
      ['tree', short],
      ['recall', 'A remote call fails'],
      ['compress'],
      ['attempts'],
      ['attempts', '--show', String(attempt?.['attempt_id'])],
      ['conflicts'],
      ['policy'],
      ['repair'],
    ]) {
      const ran = await agents(['lesson', ...words, '--format', format], { env, columns: 100 });
      expect(ran.exitCode).toBe(0);
      expect(ran.stdout.length).toBeGreaterThan(10);
    }
  });

  it('an earlier text is shown by its version', async () => {
    const lessonId = await add();
    await run(['add', '--refines', lessonId, '--text', 'Tell the user why. @tell']);
    const now = await run(['show', lessonId]);
    const before = await run(['show', lessonId, '--version', '1']);

    expect(now.data).toMatchObject({ version: 2, body: expect.stringContaining('@tell') });
    expect(before.data).toMatchObject({
      version: 1,
      current: 2,
      body: expect.not.stringContaining('@tell'),
    });
  });

  it('the regression set is shown with its marks', async () => {
    const [lessonId, short] = await compressed();
    const { data } = await run(['fail', short, '--prompt', 'Read', '--missing', '@body200']);
    await run(['rescue', '--descent', String(data?.['descent_id']), '--summary', 'Had @body200']);
    const { data: shownData } = await run(['show', short, '--episodes']);

    expect(shownData?.['episodes']).toHaveLength(3);
    expect(shownData?.['episodes']).toContainEqual(
      expect.objectContaining({ tied_to: short, marks: ['sticky'] }),
    );
    expect(shownData?.['dropped']).toContainEqual(
      expect.objectContaining({ holder: lessonId, rescues: 1, tries: 1, unconsumed_rescues: 1 }),
    );
  });

  it('list narrows by status, level and family, and goes on by key', async () => {
    const [lessonId, short] = await compressed();
    const idsOf = (envelope: Envelope) =>
      listIn(envelope, 'lessons').map((one) => one['lesson_id']);
    const page = await run(['list', '--limit', '1']);
    const next = await run(['list', '--limit', '1', '--after', String(page.data?.['next'])]);

    expect(idsOf(await run(['list', '--status', 'superseded']))).toContain(lessonId);
    expect(idsOf(await run(['list', '--level', '1', '--family', 'retry']))).toContain(short);
    expect(idsOf(await run(['list', '--apex']))).not.toContain(lessonId);
    expect(idsOf(await run(['list', '--global']))).toEqual([]);
    expect(idsOf(next)).not.toEqual(idsOf(page));
  });

  it('a rejected candidate is a result: exit code 0, its reason, and when to try again', async () => {
    const lessonId = await add();
    await use(lessonId, '@body200 @case @delays @backoff @idem');
    await use(lessonId);
    const ran = await run(['compress', lessonId]);

    expect(ran).toMatchObject({
      exit_code: 0,
      data: {
        outcome: 'rejected',
        reason: 'replay-failed',
        accepted: null,
        eligible_at: expect.any(String),
        replays: expect.arrayContaining([
          expect.objectContaining({
            outcome: 'failed',
            reason: expect.stringContaining('missing'),
          }),
        ]),
      },
    });
    const again = await run(['compress', lessonId]);
    expect(again).toMatchObject({
      exit_code: 1,
      messages: [{ code: 'NOT_ELIGIBLE', details: { failing: ['cooling-down'] } }],
    });
    expect((await run(['compress', lessonId, '--ignore-cooldown'])).data).toMatchObject({
      outcome: 'rejected',
      ignored_cooldown: true,
    });
    const { data } = await run(['attempts', lessonId, '--outcome', 'rejected']);
    expect(data?.['attempts']).toHaveLength(2);
  });

  it('machinery that fails is exit code 1, alone and among all', async () => {
    const lessonId = await add();
    await use(lessonId);
    await use(lessonId);
    const broken = { env: { OSSATURE_LESSONS_REPLAY_COMMAND: '/bin/false' } };
    const ran = await run(['compress', lessonId], broken);
    expect(ran).toMatchObject({
      exit_code: 1,
      data: { outcome: 'failed', reason: 'replay-failed' },
    });

    const other = await add();
    await use(other);
    await use(other);
    const words = ['lesson', 'compress', '--all', '--format', 'json'];
    const all = await agents(words, { env: { ...env, ...broken.env } });
    expect(all.exitCode).toBe(1);
    expect(all.stderr).toMatch(/\(candidate\): unreadable: .*\b1\b/);
    const { data } = JSON.parse(all.stdout) as Envelope;
    expect(data?.['attempts']).toContainEqual(
      expect.objectContaining({ lesson_id: other, outcome: 'failed' }),
    );
  });

  it('Ctrl-C ends the replays at once, closes the attempt as abandoned, and writes nothing else', async () => {
    const lessonId = await add();
    await use(lessonId);
    await use(lessonId);
    const interrupt = new AbortController();
    const sleeping = { ...env, OSSATURE_LESSONS_REPLAY_COMMAND: '/bin/sleep 60' };
    const ran = agents(['lesson', 'compress', lessonId], {
      env: sleeping,
      signal: interrupt.signal,
    });
    let running: readonly unknown[] = [];
    for (let tries = 0; tries < 100 && running.length === 0; tries += 1) {
      running = listIn(await run(['attempts', lessonId, '--outcome', 'running']), 'attempts');
    }
    interrupt.abort();

    expect(running).toHaveLength(1);
    expect(await ran).toMatchObject({ exitCode: 130 });
    expect(listIn(await run(['attempts', lessonId]), 'attempts')).toMatchObject([
      { outcome: 'abandoned', accepted_id: null },
    ]);
    expect((await run(['show', lessonId])).data).toMatchObject({ status: 'active', is_apex: true });
  });

  it('progress is told on stderr, a line a replay, and stdout has the result alone', async () => {
    const lessonId = await add();
    await use(lessonId);
    const words = ['lesson', 'compress', lessonId, '--format', 'json'];
    const early = await agents(words, { env });
    expect(early).toMatchObject({ exitCode: 1, stderr: '' });
    await use(lessonId);
    const { stdout, stderr } = await agents(words, { env });
    const replays = listIn(JSON.parse(stdout) as Envelope, 'replays');

    expect(stderr.match(/^info: Replay \d+, episode /gm)).toHaveLength(replays.length);
  });

  it('what a provisional lesson owes is checked once its set allows, and not before', async () => {
    const [, short] = await compressed();
    const early = await run(['compress', short, '--revisit']);
    expect(early).toMatchObject({ exit_code: 0, data: { attempts: [], nothing_owed: [short] } });

    const line = { prompt: 'P', outcome: 'success', accepted_summary: '@idem', used: [short] };
    const stdin = `${JSON.stringify(line)}\n`.repeat(60);
    expect((await run(['use', '--file', '-'], { stdin })).data).toMatchObject({ recorded: 60 });
    const late = await run(['compress', '--all', '--revisit']);
    expect(late.data?.['attempts']).toContainEqual(
      expect.objectContaining({ lesson_id: short, kind: 'revisit', outcome: 'accepted' }),
    );
    expect((await run(['show', short])).data).toMatchObject({ provisional: false });
  });

  it('a session is served a lesson once, until its context was compacted', async () => {
    const words = ['recall', 'A remote service call fails', '--session', 's1', '--budget', '5000'];
    await compressed();
    const served = async (turn: string): Promise<number> => {
      return listIn(await run([...words, '--turn', turn]), 'served').length;
    };
    const first = await served('1');

    expect(first).toBeGreaterThan(0);
    expect(await served('2')).toBe(0);
    expect((await run(['recall', '--session', 's1', '--compacted'])).data).toMatchObject({
      forgotten: first,
    });
    expect(await served('3')).toBe(first);
  });

  it('a descent goes on while steps fail, and ends at the original', async () => {
    const [lessonId, short] = await compressed();
    const opened = await run(['fail', short, '--prompt', 'Go', '--strategy', 'stepwise']);
    const descent = String(opened.data?.['descent_id']);
    expect(opened.data).toMatchObject({
      status: 'open',
      next: { pack: { lesson_ids: [lessonId] } },
    });
    const failed = await run(['fail', '--descent', descent.slice(0, 25)]);

    expect(failed).toMatchObject({
      exit_code: 0,
      data: { status: 'closed', end: 'knowledge-gap' },
    });
  });

  it('two stated rescues of a claim fold it back; repair tells what is due, and repeats nothing', async () => {
    const [, short] = await compressed();
    const [entry] = listIn(await run(['show', short]), 'dropped');
    const [fingerprint, claim] = [String(entry?.['fingerprint']), String(entry?.['claim'])];
    expect((await run(['rescue', short, fingerprint.slice(0, 8)])).data).toMatchObject({
      outcome: 'recorded',
      repairs: [],
    });
    expect((await run(['rescue', short, claim])).data).toMatchObject({
      repairs: [{ lesson_id: short, claim, appended: true }],
    });
    expect((await run(['repair', short])).data).toMatchObject({ dry_run: false, repairs: [] });
    expect((await run(['repair'])).data).toMatchObject({ dry_run: true, repairs: [] });
  });

  it('a conflict is served with its question until it is settled', async () => {
    const lessonId = await add();
    const stdin = 'Never retry anything. @never';
    const words = ['add', '--title', 'No retries', '--gist', GIST, '--contradicts', lessonId];
    const { data } = await run([...words, '--question', 'Retry or not?'], { stdin });
    const conflict = data?.['conflict'] as { readonly conflict_id: string };
    const open = await run(['conflicts']);
    const kept = await run(['resolve', conflict.conflict_id.slice(0, 25), '--keep', lessonId]);

    expect(open.data?.['conflicts']).toMatchObject([{ question: 'Retry or not?', status: 'open' }]);
    expect(kept.data).toMatchObject({ archived: [data?.['lesson_id']] });
    expect((await run(['conflicts'])).data?.['conflicts']).toEqual([]);
    expect((await run(['conflicts', '--all'])).data?.['conflicts']).toHaveLength(1);
  });

  it('archived lessons are served no more; a whole lineage goes together', async () => {
    const [lessonId, short] = await compressed();
    const { data } = await run(['archive', short, lessonId]);

    expect(data?.['lessons']).toMatchObject([{ status: 'archived' }, { status: 'archived' }]);
  });

  it('a policy is stored for a project, and taken back', async () => {
    const set = await run(['policy', 'compression.max_ratio=0.6', 'compression.baseline=always']);
    const project = { 'compression.max_ratio': 'project', 'compression.baseline': 'project' };
    expect(set.data).toMatchObject({
      values: { 'compression.max_ratio': 0.6, 'compression.baseline': 'always' },
      origins: { ...project, 'replay.max_concurrent': 'environment' },
    });
    const back = await run(['policy', 'compression.max_ratio=', 'compression.baseline=']);
    expect(back.data?.['origins']).toEqual({
      'compression.control': 'environment',
      'replay.max_concurrent': 'environment',
    });
  });
});
