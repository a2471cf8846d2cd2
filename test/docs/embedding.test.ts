/** The listings of docs/embedding.md are these files, word for word, and they do what they say. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { hostTransaction } from '../../examples/embedding/host-transaction.js';
import { overrideByModule } from '../../examples/embedding/override-by-module.js';
import { overrideByOption } from '../../examples/embedding/override-by-option.js';
import { withAiSdk, withEndpoint, withOwnClient } from '../../examples/embedding/own-model.js';
import { ownRepositories } from '../../examples/embedding/own-repositories.js';
import { ownSessions } from '../../examples/embedding/own-sessions.js';
import { ownStrategy } from '../../examples/embedding/own-strategy.js';
import { ownServer } from '../../examples/embedding/own-server.js';
import { type Ossature, TOKENS } from '../../src/index.js';
import { answers, startModelServer } from '../support/model-server.js';
import { createTestDatabase } from '../support/postgres.js';
import { openOnPostgres } from '../support/stores.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

describe('docs/embedding.md', () => {
  const page = read('docs/embedding.md');
  const listed = [...page.matchAll(/<!-- (\S+\.ts) -->\n```ts\n([\s\S]*?)```/g)].map(
    ([, path = '', listing = '']) => ({ path, listing }),
  );

  it('lists every example', () => {
    const examples = readdirSync(`${root}examples/embedding`).map(
      (name) => `examples/embedding/${name}`,
    );

    expect(listed.map(({ path }) => path).sort()).toEqual(examples.sort());
  });

  it.each(listed)('shows $path as it is', ({ path, listing }) => {
    expect(listing).toBe(read(path));
  });
});

describe('the examples of embedding', () => {
  it('show a model what a plan knows, and what did not fit', async () => {
    const { text, leftOut } = await ownStrategy();

    expect(text).toContain('Login tokens live an hour');
    expect(text).toContain('the session store was restarted');
    expect(leftOut).toEqual(['n2: duplicate', 'n1: duplicate']);
  });

  it('keep a transcript', async () => {
    const made = await ownSessions(`${root}examples/session.jsonl`, 'a private key');

    expect(made.length).toBeGreaterThan(0);
  });

  it('ask a model of their own', async () => {
    const server = await startModelServer(answers('from the endpoint'));
    const sdkModel = {
      provider: 'harbor',
      modelId: 'small',
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'from the SDK' }],
        finishReason: 'stop',
        usage: {},
      }),
    };

    expect(await asked(withEndpoint(server.baseUrl, 'sk-1'))).toBe('gpt-5-mini: from the endpoint');
    expect(await asked(withAiSdk(sdkModel))).toBe('small: from the SDK');
    expect(await asked(withOwnClient(async (prompt) => prompt))).toBe(
      'house-model: Be brief.\n\nWell?',
    );
    await server.close();
  });

  it('work on a server of their own', async () => {
    const database = await createTestDatabase();

    expect(await ownServer(database.url)).toBe('1: 0 inherited');
    await database.drop();
  });

  it("join the host's transaction", async () => {
    const opened = await openOnPostgres();
    await opened.core.projects.create('harbor');
    const dataSource = await new DataSource({ type: 'postgres', url: opened.url }).initialize();
    await dataSource.query('create table jobs (title text)');

    const childId = await hostTransaction(dataSource);

    expect((await opened.core.plans.get(childId)).depth).toBe(1);
    expect(await dataSource.query('select title from jobs')).toHaveLength(1);
    await dataSource.destroy();
    await opened.close();
  });

  it('count and score as the options say', async () => {
    const events: string[] = [];
    const note = (event: string): void => {
      events.push(event);
    };

    const inherited = await overrideByOption({ debug: note, info: note, warn: note, error: note });

    expect(inherited).toEqual(['one two three four: 4 tokens']);
    expect(events).toContain('plan.spawned');
  });

  it('compress as the module says', async () => {
    expect(await overrideByModule()).toBe(2);
  });

  it('write through the repositories of the host', async () => {
    expect(await ownRepositories()).toBe(2);
  });
});

/** What the model that the core would ask for a summary says. */
async function asked(opening: Promise<Ossature>): Promise<string> {
  const core = await opening;
  const answer = await core
    .resolve(TOKENS.languageModel)
    ?.complete(
      { system: 'Be brief.', messages: [{ role: 'user', text: 'Well?' }], format: 'text' },
      AbortSignal.timeout(5_000),
    );
  const name = core.resolve(TOKENS.summarise)?.name;
  await core.close();
  return `${name}: ${answer?.text}`;
}
