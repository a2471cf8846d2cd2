/** Short ways to say what a test is about. */
import { Client } from 'pg';
import { type IncomingItem, type Ossature, TOKENS } from '../../src/index.js';
import type { StoreUnderTest } from '../contracts/testing.js';

/** Fragments written as `id:relevance:tokens`, optionally `:decision_id`. */
export function fragmentItems(...texts: string[]): readonly IncomingItem[] {
  return texts.map((text) => {
    const [fragmentId = '', relevance, tokens, decisionId] = text.split(':');
    return {
      item: 'fragment',
      fragment: {
        fragmentId,
        content: `text of ${fragmentId}`,
        relevance: Number(relevance),
        tokenCount: Number(tokens),
        ...(decisionId === undefined ? {} : { decisionId }),
      },
    };
  });
}

let projects = 0;

/** A root plan in a project of its own, holding these fragments. */
export async function aRootWith(core: Ossature, ...texts: string[]): Promise<string> {
  projects += 1;
  const { name } = await core.projects.create(`project ${process.pid} ${projects}`);
  const { planId } = await core.plans.create({ project: name, goal: 'fix login' });
  if (texts.length > 0) await core.imports.import(planId, fragmentItems(...texts));
  return planId;
}

/** The repositories behind a core. */
export function storeOf(core: Ossature): StoreUnderTest {
  return {
    repositories: core.resolve(TOKENS.repositories),
    unitOfWork: core.resolve(TOKENS.unitOfWork),
  };
}

/** Plain SQL, past everything of ours. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // A test may end the server's side of it.
  client.on('error', () => {});
  await client.connect();
  return client;
}

export async function rowsOf<Row>(
  client: Pick<Client, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows } = await client.query(text, [...values]);
  return rows as Row[];
}
