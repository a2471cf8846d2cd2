/** Capsules on the command line, on Postgres: spawned with, shown from both sides, and outdated. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

const EXAMPLE = resolve('examples/session.jsonl');
const RULE = 'Never log a password, not even hashed.';

describe('a capsule on the command line', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  let parent: string;
  let child: string;

  const run = (...words: string[]) => answer(words, { env });
  /** One part of an answer's data. */
  const partOf = async <Part>(part: string, ...words: string[]) =>
    ((await run(...words)).data ?? {})[part] as Part;
  const textOf = async (...words: string[]) => (await agents(words, { env })).stdout;

  const importedInto = async (plan: string, file: string): Promise<string> => {
    const [session] = await partOf<readonly { readonly session_id: string }[]>(
      'sessions',
      'session',
      'import',
      file,
      '--plan',
      plan,
    );
    return session?.session_id ?? '';
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'ossature-capsules-'));
    env = { DATABASE_URL: database.url };
    await agents(['database', 'migrate'], { env });
    await run('project', 'create', 'demo');
    await run('plan', 'create', '--project', 'demo', '--name', 'build', '--goal', 'Build login');
    parent = await importedInto('build', EXAMPLE);
    await run('session', 'pin', parent, RULE);
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const spawn = (...words: string[]) =>
    run('plan', 'spawn', 'build', '--goal', 'Review the reset flow', '--session', parent, ...words);

  it('is refused with its sizes and a way out where mission and constraints do not fit', async () => {
    for (const words of [[], ['--dry-run']]) {
      const { exit_code, data, messages } = await spawn('--capsule-tokens', '9', ...words);
      expect(exit_code).toBe(1);
      expect(data).toMatchObject({ outcome: 'capsule-over-budget', capsule_tokens: 9 });
      const { mission_tokens: mission, constraint_tokens: constraints } = data as {
        mission_tokens: number;
        constraint_tokens: number;
      };
      expect(messages[0]?.text).toContain(`--capsule-tokens ${mission + constraints} or more`);
    }
    expect((await run('plan', 'status', 'build')).data).toMatchObject({ children: [] });
  });

  it('needs a session, and finds none of another tenant', async () => {
    const alone = ['plan', 'spawn', 'build', '--goal', 'x', '--capsule-tokens', '9'];
    expect((await run(...alone)).exit_code).toBe(2);
    expect((await spawn('--tenant', 'another')).messages[0]?.code).toBe('NOT_FOUND');
  });

  it('is shown by the spawn, item by item with its origin, and what is left out by name', async () => {
    const { exit_code, data } = await spawn('--capsule-tokens', '600');
    expect(exit_code).toBe(0);
    child = data?.['plan_id'] as string;
    expect(data?.['capsule']).toMatchObject({
      session_id: parent,
      capsule_tokens: 600,
      items: expect.arrayContaining([
        expect.objectContaining({
          section: 'constraints',
          text: RULE,
          origin: { session_id: parent, source_id: expect.any(String) },
        }),
      ]),
      left_out: expect.arrayContaining([
        expect.objectContaining({ reason: 'does-not-fit', source_id: expect.any(String) }),
      ]),
    });
  });

  it('is pinned in the child’s session, whose deeds and decisions the parent sees', async () => {
    const file = join(folder, 'child.jsonl');
    const text = await readFile(EXAMPLE, 'utf8');
    await writeFile(file, text.replaceAll(/"sessionId":"[^"]*"/g, '"sessionId":"of-the-child"'));
    const own = await importedInto(child, file);
    const shown = (await run('session', 'show', own, '--section', 'constraints')).data;
    expect(JSON.stringify(shown)).toContain(RULE);

    const told = (await run('session', 'trail', parent, '--with-children')).data ?? {};
    const origin = `plan ${child} (of-the-child)`;
    for (const part of ['artifacts', 'commands', 'errors']) {
      const lines = told[part] as readonly { readonly origin: string | null }[];
      // Sub-agents of the transcript have origins of their own.
      const ofPlans = lines
        .map((line) => line.origin)
        .filter((one) => one === null || one.startsWith('plan '));
      expect(new Set(ofPlans)).toEqual(new Set([null, origin]));
    }
    const [{ path }] = told['artifacts'] as [{ readonly path: string }];
    const both = (await run('session', 'trail', parent, '--with-children', '--path', path)).data;
    expect(both?.['artifacts']).toMatchObject([{ origin: null }, { origin }]);
    expect(await textOf('session', 'trail', parent, '--with-children')).toContain(origin);

    const capsules = await partOf<{ readonly given: { readonly decisions: unknown[] }[] }>(
      'capsules',
      'session',
      'status',
      parent,
      '--window',
      '200000',
    );
    expect(capsules).toMatchObject({
      received: null,
      given: [{ state: 'current', child_plan_id: child }],
    });
    expect(capsules.given[0]?.decisions.length).toBeGreaterThan(1);
    const childStatus = (await run('session', 'status', own, '--window', '200000')).data;
    expect(childStatus?.['capsules']).toMatchObject({ received: { session_id: parent } });
  });

  it('is outdated in every status once the parent withdraws a constraint', async () => {
    expect((await run('plan', 'status', child)).data?.['capsule']).toMatchObject({
      state: 'current',
    });
    const [section] = await partOf<{ items: { text: string; item_no: number }[] }[]>(
      'sections',
      'session',
      'show',
      parent,
      '--section',
      'constraints',
    );
    const itemNo = section?.items.find(({ text }) => text === RULE)?.item_no ?? 0;
    await run('session', 'unpin', parent, String(itemNo));
    const { data, messages } = await run('plan', 'status', child);
    expect(data?.['capsule']).toMatchObject({ state: 'outdated', withdrawn: [{ text: RULE }] });
    expect(messages.map(({ text }) => text).join()).toContain('outdated');
    const status = await run('session', 'status', parent, '--window', '200000');
    expect(status.data?.['capsules']).toMatchObject({ given: [{ state: 'outdated' }] });
    expect(await textOf('plan', 'status', child)).toContain('outdated');
  });
});
