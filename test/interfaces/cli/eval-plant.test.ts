/** `agents eval plant` on Postgres, over two short cycles. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

const SHORT = ['--cycles', '2', '--turns', '24', '--window', '10000'];

describe('eval plant on the command line', () => {
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    await agents(['database', 'migrate'], { env });
  });
  afterAll(() => database.drop());

  it('measures the controls and offline, and holds figures to bounds', async () => {
    const bounds = ['--assert', 'offline.constraints>=1', 'offline.stale<=0', 'full.kept>=1'];
    const { exit_code, data } = await answer(['eval', 'plant', ...SHORT, ...bounds], { env });
    expect(data).toMatchObject({
      kind: 'plant',
      n: { facts: 24, cycles: 2, failed_passes: 0 },
      arms: [{ name: 'full' }, { name: 'tail' }, { name: 'offline' }],
      assertions: [{ held: true }, { held: true }, { held: true }],
    });
    expect(exit_code).toBe(0);
  });

  it('plants into a given transcript', async () => {
    const file = resolve('examples/session.jsonl');
    const { data } = await answer(['eval', 'plant', ...SHORT, '--transcript', file], { env });
    expect(data).toMatchObject({ settings: { filler: file }, n: { facts: 24 } });
  });

  it('leaves no session behind', async () => {
    expect((await answer(['session', 'list'], { env })).data).toMatchObject({ sessions: [] });
  });

  it.each([
    { rule: 'an unknown strategy', words: ['--strategy', 'luck'], said: 'full, tail, offline' },
    { rule: 'no facts', words: ['--facts', '0'], said: '--facts takes' },
    { rule: 'a seed that is none', words: ['--seed', 'x'], said: '--seed takes' },
  ])('refuses $rule', async ({ words, said }) => {
    const { exit_code, messages } = await answer(['eval', 'plant', ...words], { env });
    expect(exit_code).toBe(2);
    expect(messages[0]?.text).toContain(said);
  });
});
