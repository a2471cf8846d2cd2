/** `agents session compact` with a model of the environment, on Postgres, against an endpoint on loopback. */
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answers,
  type Behaviour,
  fails,
  type ModelServer,
  startModelServer,
} from '../../support/model-server.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { goodPatch, inventedPatch } from '../../support/summary-answers.js';
import { agents, answer, type Envelope } from './cli-support.js';

const KEY = 'key-4711-private';

describe('a session compacted by a model on the command line', () => {
  let database: TestDatabase;
  let server: ModelServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startModelServer();
    env = {
      DATABASE_URL: database.url,
      OSSATURE_LOG_LEVEL: 'debug',
      OSSATURE_MODEL: 'served',
      OSSATURE_MODEL_BASE_URL: server.baseUrl,
      OSSATURE_MODEL_API_KEY: KEY,
    };
    await agents(['database', 'migrate'], { env });
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  /** The example session once more, for a tenant of its own. */
  async function imported(tenant: string) {
    const file = resolve('examples/session.jsonl');
    const { data } = await answer(['session', 'import', file, '--tenant', tenant], { env });
    const [session] = (data?.['sessions'] ?? []) as readonly { session_id: string }[];
    return async (verb: string, ...options: string[]): Promise<Envelope> => {
      const words = [verb, session?.session_id ?? '', '--tenant', tenant, ...options];
      const ran = await agents(['session', ...words, '--format', 'json'], { env });
      // Whatever happens, the key is printed and logged nowhere.
      expect(ran.stdout + ran.stderr).not.toContain(KEY);
      return JSON.parse(ran.stdout) as Envelope;
    };
  }

  const COMPACT = ['--window', '20000', '--strategy', 'anchored'];

  it('keeps what the model wrote, under its name', async () => {
    server.behave(goodPatch);
    const session = await imported('good');

    const { exit_code, data } = await session('compact', ...COMPACT);

    expect(exit_code).toBe(0);
    expect(data).toMatchObject({ outcome: 'adopted', cycle: 1 });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    const shown = await session('show', '--section', 'current_state');
    expect(JSON.stringify(shown.data)).toContain('model:served');
    expect(JSON.stringify(shown.data)).toContain('Beginning: the work went on');
  });

  // prettier-ignore
  it.each<{ rule: string; tenant: string; behaviour: Behaviour }>([
    { rule: 'a wrong key',             tenant: 'key',       behaviour: fails(401) },
    { rule: 'an error text',           tenant: 'error',     behaviour: answers('Error: overloaded') },
    { rule: 'an invention',            tenant: 'invention', behaviour: inventedPatch },
  ])('takes the summary from structure after $rule, and says why', async ({ tenant, behaviour }) => {
    server.behave(behaviour);
    const session = await imported(tenant);

    const { exit_code, data, messages } = await session('compact', ...COMPACT);

    expect(exit_code).toBe(0);
    expect(data).toMatchObject({ outcome: 'adopted', cycle: 1 });
    expect(messages.map(({ text }) => text).join('\n')).toContain('anchored came to nothing');
    const { data: status } = await session('status', '--window', '20000');
    expect(status?.['last_attempt']).toMatchObject({ outcome: 'adopted', strategy: 'offline' });
    const { data: shown } = await session('show', '--section', 'current_state');
    expect(shown).not.toBeNull();
    expect(JSON.stringify(shown)).not.toMatch(/model:served|overloaded/);
  });

  it('leaves the session as it was where no other summary is wanted, and ends with 1', async () => {
    // In a window that it overflows, the session would be brought under it without the model.
    const ROOMY = ['--window', '100000', '--strategy', 'anchored', '--now'];
    server.behave(answers('Error: overloaded'));
    const session = await imported('untouched');
    expect((await session('set', 'fallback=none')).exit_code).toBe(0);
    const before = await session('export', '--to', 'anthropic');

    const { exit_code, data } = await session('compact', ...ROOMY);

    expect(exit_code).toBe(1);
    expect(data).toMatchObject({
      outcome: 'failed',
      cycle: 0,
      reasons: [expect.objectContaining({ code: 'unreadable' })],
    });
    const after = await session('export', '--to', 'anthropic');
    expect(before.exit_code).toBe(0);
    expect(after.data).toEqual(before.data);
    const { data: status } = await session('status', '--window', '100000');
    expect(status?.['last_attempt']).toMatchObject({ outcome: 'failed', strategy: 'anchored' });
  });

  it('asks for both, name and address, before anything is opened', async () => {
    const { exit_code, messages } = await answer(['session', 'list'], {
      env: { DATABASE_URL: database.url, OSSATURE_MODEL: 'served' },
    });

    expect(exit_code).toBe(1);
    expect(messages[0]).toMatchObject({
      code: 'INVALID_CONFIG',
      text: expect.stringContaining('OSSATURE_MODEL_BASE_URL'),
    });
  });
});
