import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, fragmentLines, normalised } from './cli-support.js';

let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
  await agents(['database', 'migrate'], { env });
  await agents(['project', 'create', 'demo'], { env });
});

afterAll(async () => {
  await database.drop();
});

const DECISIONS = {
  A: '01ARZ3NDEKTSV4RRFFQ69G5FA0',
  B: '01ARZ3NDEKTSV4RRFFQ69G5FA1',
  C: '01ARZ3NDEKTSV4RRFFQ69G5FA2',
};

/** A root plan with these fragments; its id. */
async function planWith(name: string, ...fragments: readonly string[]): Promise<string> {
  const words = ['plan', 'create', '--project', 'demo', '--goal', 'Build it', '--name', name];
  const { data } = await answer(words, { env });
  const stdin = fragmentLines(...fragments);
  const { exitCode, stderr } = await agents(['plan', 'import', name, '-'], { env, stdin });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return String(data?.['plan_id']);
}

const spawn = (plan: string, ...words: readonly string[]) =>
  answer(['plan', 'spawn', plan, '--goal', 'Half', ...words], { env });

describe('agents plan spawn', () => {
  it('answers the worked example in the names of the wire', async () => {
    const planId = await planWith(
      'example',
      `A:0.9:400:${DECISIONS.A}`,
      `B:0.6:300:${DECISIONS.B}`,
      `C:0.3:300:${DECISIONS.C}`,
    );

    const { data, ...envelope } = await spawn('example', '--skeleton-ratio', '0.5');

    expect(envelope).toMatchObject({ command: 'plan spawn', status: 'ok', exit_code: 0 });
    expect(data).toMatchObject({
      skeleton: {
        ratio: 0.5,
        original_tokens: 1000,
        compressed_tokens: 400,
        source_decision_ids: [DECISIONS.A],
        removed_tokens: 600,
        removed_percent: 60,
      },
      inherited: ['A'],
      skipped: [
        { id: 'B', plan_id: planId, token_count: 300, relevance: 0.6, reason: 'over-budget' },
        { id: 'C', plan_id: planId, token_count: 300, relevance: 0.3, reason: 'over-budget' },
      ],
      ratio_origin: 'call',
      relevance_source: 'stored',
      skeleton_budget: 500,
      inherited_token_budget: 400,
      recalled: [],
    });
  });

  it('passes over what does not fit and keeps the smaller behind it', async () => {
    await planWith('passed-over', 'A:0.9:400', 'B:0.6:300', 'C:0.3:300', 'D:0.1:100');
    const { data } = await spawn('passed-over', '--skeleton-ratio', '0.5');
    expect(data).toMatchObject({ inherited: ['A', 'D'], inherited_token_budget: 500 });
  });

  it.each([
    { tokens: 1000, ratio: '0.9', budget: 100 },
    { tokens: 25, ratio: '0.56', budget: 11 },
    { tokens: 23_308_400, ratio: '0.93', budget: 1_631_588 },
    { tokens: 999_999_999, ratio: '0.999', budget: 999_999 },
  ])('reads $ratio as the decimal it is written as: $tokens leave $budget', async (row) => {
    const name = `decimal-${row.tokens}`;
    await planWith(name, `fits:0.9:${row.budget}`, `rest:0.1:${row.tokens - row.budget}`);
    const { data } = await spawn(name, '--skeleton-ratio', row.ratio);
    expect(data).toMatchObject({ skeleton_budget: row.budget, inherited: ['fits'] });
  });

  it('takes the ratio from the call, the plan, the policy and the default, in this order', async () => {
    await answer(['project', 'create', 'origins'], { env });
    const start = (name: string, ...words: readonly string[]) =>
      answer(['plan', 'create', '--project', 'origins', '--goal', 'g', '--name', name, ...words], {
        env,
      });
    await start('plain');
    await start('own', '--skeleton-ratio', '0.4');

    expect((await spawn('plain')).data).toMatchObject({
      ratio_origin: 'default',
      skeleton: { ratio: 0.15 },
    });
    await answer(['project', 'context', 'set', 'origins', '--skeleton-ratio', '0.3'], { env });
    expect((await spawn('plain')).data).toMatchObject({
      ratio_origin: 'policy',
      skeleton: { ratio: 0.3 },
    });
    expect((await spawn('own')).data).toMatchObject({
      ratio_origin: 'plan',
      skeleton: { ratio: 0.4 },
    });
    expect((await spawn('own', '--skeleton-ratio', '0')).data).toMatchObject({
      ratio_origin: 'call',
      skeleton: { ratio: 0 },
    });
  });

  it('writes nothing in a dry run, and shows what it would', async () => {
    await planWith('dry', 'A:0.9:400', 'B:0.6:300');
    const { data, messages } = await spawn('dry', '--skeleton-ratio', '0.5', '--dry-run');
    expect(data).toMatchObject({ dry_run: true, skipped: [{ id: 'A' }], inherited: ['B'] });
    expect(data).not.toHaveProperty('plan_id');
    expect(messages).toContainEqual({ level: 'info', text: 'A dry run: nothing was written.' });
    const { data: status } = await answer(['plan', 'status', 'dry'], { env });
    expect(status).toMatchObject({ children: [] });
  });

  it('answers the same idempotency key with the same child', async () => {
    await planWith('keyed', 'A:0.9:400');
    const first = await spawn('keyed', '--idempotency-key', 'k');
    const second = await spawn('keyed', '--idempotency-key', 'k');
    expect(second.data).toMatchObject({ plan_id: first.data?.['plan_id'], repeated: true });
  });

  it('warns where a child inherits nothing', async () => {
    await planWith('too-large', 'A:0.9:500', 'B:0.1:500');
    const { exitCode, stderr } = await agents(
      ['plan', 'spawn', 'too-large', '--goal', 'g', '--skeleton-ratio', '0.9'],
      { env },
    );
    expect(exitCode).toBe(0);
    expect(stderr).toContain('warning: The child inherits nothing');
  });
});

describe('what was dropped', () => {
  it('is listed, given back by the beginning of its id, and counted', async () => {
    await planWith('audited', 'A:0.9:400', 'session/7:0.6:300', 'session/8:0.3:300');
    const child = String((await spawn('audited', '--skeleton-ratio', '0.5')).data?.['plan_id']);

    const dropped = await answer(['plan', 'dropped', child], { env });
    expect(dropped.data).toMatchObject({
      plan_id: child,
      skeleton: { ratio: 0.5, ratio_origin: 'call' },
      dropped: [
        { id: 'session/7', token_count: 300, reason: 'over-budget', dropped_from: child },
        { id: 'session/8' },
      ],
    });
    const several = await answer(['plan', 'recall', child, 'session'], { env });
    expect(several.messages[0]).toMatchObject({ level: 'error', code: 'INVALID_INPUT' });
    const recalled = await answer(['plan', 'recall', child, 'session/7'], { env });
    expect(recalled.data).toMatchObject({ fragment: { id: 'session/7' }, recalls: 1 });
    const status = await answer(['plan', 'status', child], { env });
    expect(status.data).toMatchObject({ recalled_fragments: 1 });
    expect((await spawn('audited')).data).toMatchObject({
      recalled: [{ fragment_id: 'session/7', recalls: 1 }],
    });
  });
});

describe('agents plan status', () => {
  it('shows the key skeleton only where the plan inherited one', async () => {
    await planWith('root-status', 'A:0.9:400', 'B:0.6:600');
    const child = String((await spawn('root-status', '--skeleton-ratio', '0.5')).data?.['plan_id']);

    expect((await answer(['plan', 'status', 'root-status'], { env })).data).not.toHaveProperty(
      'skeleton',
    );
    expect((await answer(['plan', 'status', child], { env })).data?.['skeleton']).toEqual({
      ratio: 0.5,
      original_tokens: 1000,
      compressed_tokens: 400,
      source_decision_ids: [],
      removed_tokens: 600,
      removed_percent: 60,
    });
  });

  it('reads the same in every format', async () => {
    await planWith('golden', `A:0.9:400:${DECISIONS.A.replace(/0$/, '9')}`, 'B:0.6:600');
    const child = String((await spawn('golden', '--skeleton-ratio', '0.5')).data?.['plan_id']);
    const shown = async (format: string, columns?: number) => {
      const settings =
        columns === undefined ? { env } : { env: { ...env, NO_COLOR: '1' }, columns };
      const { stdout } = await agents(['plan', 'status', child, '--format', format], settings);
      return normalised(stdout);
    };
    expect(await shown('plain')).toMatchSnapshot('plain');
    expect(await shown('rich', 80)).toMatchSnapshot('rich');
    expect(await shown('json')).toMatchSnapshot('json');
    expect(await shown('yaml')).toMatchSnapshot('yaml');
  });
});

describe('other views', () => {
  it('a context policy falls back from view to view and says where from', async () => {
    await answer(['project', 'create', 'views'], { env });
    const set = ['project', 'context', 'set', 'views'];
    const first = await answer([...set, '--skeleton-ratio', '0.5', '--view', 'execute'], { env });
    expect(first.data).toMatchObject({ view: 'execute', before: null, after: 0.5 });
    const shown = await answer(['project', 'context', 'show', 'views'], { env });
    expect(shown.data?.['views']).toEqual([
      { view: 'default', skeleton_ratio: 0.15, set_by: 'built-in' },
      { view: 'strategize', skeleton_ratio: 0.15, set_by: 'built-in' },
      { view: 'execute', skeleton_ratio: 0.5, set_by: 'execute' },
      { view: 'apply', skeleton_ratio: 0.5, set_by: 'execute' },
    ]);
    const cleared = await answer([...set, '--unset', 'skeleton-ratio', '--view', 'execute'], {
      env,
    });
    expect(cleared.data).toMatchObject({ before: 0.5, after: null });
  });

  it('superseded decisions are hidden until all are asked for', async () => {
    await planWith('decided', `A:0.9:400:${DECISIONS.C.replace(/2$/, '7')}`);
    const superseded = DECISIONS.C.replace(/2$/, '7');
    const made = await answer(['plan', 'supersede', superseded, '--choice', 'Another way'], {
      env,
    });
    expect(made.data).toMatchObject({ supersedes: superseded, choice: 'Another way' });
    const live = await answer(['plan', 'decisions', 'decided'], { env });
    expect(JSON.stringify(live.data)).not.toContain(`"decision_id":"${superseded}"`);
    expect(live.data).toMatchObject({ hidden_superseded: 1 });
    const all = await answer(['plan', 'decisions', 'decided', '--all'], { env });
    expect(JSON.stringify(all.data)).toContain(`"decision_id":"${superseded}"`);
    expect((await spawn('decided')).data).toMatchObject({
      inherited: [],
      skipped: [{ id: 'A', reason: 'superseded' }],
    });
  });

  it('a tree shows each plan below the one that spawned it', async () => {
    await planWith('tree', 'A:0.9:400');
    const child = String((await spawn('tree')).data?.['plan_id']);
    await spawn(child);
    await spawn('tree');
    const { stdout } = await agents(['plan', 'tree', 'tree'], { env });
    expect(stdout.split('\n').map((line) => line.replace(/[0-9A-Z]{26}.*/, 'PLAN'))).toEqual([
      expect.stringMatching(/^PLAN_ID/),
      'PLAN',
      '├─ PLAN',
      '│  └─ PLAN',
      '└─ PLAN',
      '',
    ]);
  });

  it('a context is shown page by page, and whole where it is wanted', async () => {
    await planWith('paged', 'A:0.9:400', 'B:0.6:300', 'C:0.3:300');
    const page = ['plan', 'context', 'paged', '--limit', '1', '--offset', '1'];
    const { stdout, stderr } = await agents(page, { env });
    expect(stdout).toContain('content of B');
    expect(stdout).not.toContain('content of A');
    expect(stderr).toBe('info: 1 more fragment of 3: go on with --offset 2.\n');
    expect((await agents([...page, '--full'], { env })).stdout).toContain('\ncontent of B\n');
  });
});
