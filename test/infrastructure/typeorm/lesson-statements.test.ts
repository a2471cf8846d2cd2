/** What the due list and recall really send: how many statements, by which indexes, and whose texts they read. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createOssature, type Ossature } from '../../../src/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rows: readonly unknown[];
}

interface Asked {
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface Client {
  query(asked: Asked | string, values?: unknown): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Lessons of a store on which an index pays: a quarter are apexes, each above one other. */
const LARGE = 6_000;

let database: TestDatabase;
let host: DataSource;
let core: Ossature;
let sent: Sent[] = [];
let seeded = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  host = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  listenTo(host);
  core = await createOssature({
    store: { kind: 'data-source', dataSource: host },
    checkSchema: false,
    lessons: { offline: true },
  });
  await core.migrate();
  const { lesson } = await core.lessons.ledger.addLesson({
    projectId: null,
    family: 'the-first',
    title: 'The first',
    gist: 'Applies to nothing that is asked here',
    body: 'The body that the others are copied from.',
  });
  await core.lessons.ledger.recordUse({
    prompt: 'Do it',
    outcome: 'success',
    acceptedSummary: 'Done',
    used: [lesson.lessonId],
  });
}, 60_000);
afterAll(async () => {
  await core.close();
  await host.destroy();
  await database.drop();
});

/** Every statement of ours goes through a client of the host's pool. */
function listenTo({ driver }: DataSource): void {
  const { master } = driver as unknown as {
    readonly master: { on(event: 'acquire', told: (client: Client) => void): void };
  };
  const known = new WeakSet<Client>();
  master.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    const query = client.query.bind(client);
    client.query = async (asked, values) => {
      const answer = await query(asked, values);
      // A name: prepared, as all of ours are and no `begin` is.
      if (typeof asked === 'object' && 'name' in asked) {
        sent.push({ text: asked.text, values: asked.values ?? [], rows: answer.rows });
      }
      return answer;
    };
  });
}

/** Lessons of their own families and words, with texts, edges, episodes, losses, rescues and marks. */
async function grow(count: number): Promise<void> {
  const numbers = `generate_series(${seeded + 1}, ${count}) n`;
  const copies = (table: string, from: string, change: string): Promise<unknown> =>
    host.query(`
      insert into ossature.${table} select (jsonb_populate_record(null::ossature.${table},
        to_jsonb(o) || jsonb_build_object(${change}))).*
      from ${numbers}, (select * from ossature.${table} ${from} limit 1) o`);
  await copies(
    'lessons',
    `where title = 'The first'`,
    `'lesson_id', 'many' || n, 'body_fingerprint', 'many' || n, 'body', repeat('text' || n || ' ', 100),
     'title', 'Lesson ' || n, 'family', 'many' || n % 50,
     'shown', 3, 'attempts', 3, 'successes', 3, 'tokens', 100, 'level0_tokens', 100,
     'is_apex', n % 4 = 0, 'status', case when n % 4 = 0 then 'active' else 'superseded' end,
     'level', case when n % 4 = 0 then 1 else 0 end,
     'origin', case when n % 4 = 0 then 'compression' else 'manual' end`,
  );
  await copies('episodes', '', `'episode_id', 'many' || n`);
  const filled = [
    `lesson_terms (lesson_id, term, count) select 'many' || n, 'term' || n / 4 % 250, 1 from ${numbers}`,
    `lesson_coverage (lesson_id, episode_id) select 'many' || n, 'many' || n from ${numbers}`,
    `lesson_claims (lesson_id, claim_id, ordinal, text, fingerprint, claim_values)
       select 'many' || n, 'c1', 1, 'claim ' || n, 'claim' || n, '{}' from ${numbers}`,
    `lesson_edges (child_id, parent_id, kind, child_level, parent_level, made_digest)
       select 'many' || n - 1, 'many' || n, 'compression', 0, 1, 'made' || n from ${numbers} where n % 4 = 0`,
    `dropped_claims (lesson_id, ordinal, claim, kind, holder_id, claim_ids, fingerprint, tokens)
       select 'many' || n, 1, 'claim ' || n - 1, 'edge-case', 'many' || n - 1, array['c1'], 'claim' || n - 1, 2
       from ${numbers} where n % 4 = 0`,
    `rescues (rescue_id, lesson_id, fingerprint, claim, holder_id, source, created_at)
       select 'many' || n, 'many' || n, 'claim' || n - 1, 'claim ' || n - 1, 'many' || n - 1, 'person', now()
       from ${numbers} where n % 4 = 0`,
  ];
  for (const each of filled) await host.query(`insert into ossature.${each}`);
  seeded = count;
  await host.query('analyze');
}

async function sentBy(call: () => Promise<unknown>): Promise<readonly Sent[]> {
  sent = [];
  await call();
  return sent;
}

const due = () => core.lessons.compression.listDue();
const recall = () =>
  core.lessons.recall.recall({ prompt: 'What of term1 and term2?', projectId: null });

/** Tables with a row for each of the many lessons; the others are so small that reading them whole is cheapest. */
const LARGE_TABLES = ['lessons', 'lesson_terms', 'lesson_coverage', 'lesson_claims', 'episodes'];

/** Tables that a plan reads from end to end. @param isAvoided whether the planner does so only where no index serves. */
async function readWhole({ text, values }: Sent, isAvoided: boolean): Promise<readonly string[]> {
  const runner = host.createQueryRunner();
  try {
    if (isAvoided) await runner.query('set enable_seqscan = off');
    const rows = (await runner.query(`explain ${text}`, [...values])) as readonly Readonly<
      Record<string, string>
    >[];
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table = '']) => table);
  } finally {
    await runner.query('reset enable_seqscan');
    await runner.release();
  }
}

/** Of whom a text was read: `text7 text7 …` is that of `many7`. */
const textsIn = (statements: readonly Sent[]): readonly string[] => [
  ...new Set(
    [...JSON.stringify(statements.map(({ rows }) => rows)).matchAll(/text(\d+)/g)].map(
      ([, n]) => `many${n}`,
    ),
  ),
];

describe('the due list and recall', () => {
  it('send as many statements for a thousand lessons as for ten, and never more than a few', async () => {
    await grow(10);
    const few = [(await sentBy(due)).length, (await sentBy(recall)).length];
    await grow(1_000);
    const many = [(await sentBy(due)).length, (await sentBy(recall)).length];
    expect(many).toEqual(few);
    expect(many[0]).toBeLessThanOrEqual(3);
    expect(many[1]).toBeLessThanOrEqual(4);
  });

  it('find by indexes what they list, and read no text but of what is served', async () => {
    await grow(LARGE);
    const listing = await sentBy(async () => expect((await due()).items).toHaveLength(50));
    let inFull: readonly string[] = [];
    const recalling = await sentBy(async () => {
      const { served } = await recall();
      inFull = served.flatMap(({ form, lessonId }) => (form === 'body' ? [lessonId] : []));
    });

    expect(inFull.length).toBeGreaterThan(0);
    expect([...textsIn(recalling)].sort()).toEqual([...inFull].sort());
    expect(textsIn(listing)).toEqual([]);
    for (const statement of [...listing, ...recalling]) {
      expect([statement.text, await readWhole(statement, true)]).toEqual([statement.text, []]);
    }
    // How many apexes there are, and how long their words, recall must ask of all of them.
    for (const statement of listing) {
      const large = (await readWhole(statement, false)).filter((table) =>
        LARGE_TABLES.includes(table),
      );
      expect([statement.text, large]).toEqual([statement.text, []]);
    }
  }, 120_000);
});
