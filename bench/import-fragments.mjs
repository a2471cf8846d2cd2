/**
 * `npm run build && node bench/import-fragments.mjs`: fragments a second through the import, against
 * hand-written SQL that sends the same rows as arrays into the same table.
 *
 * The SQL is what a careful host would write: one transaction, one prepared `unnest` statement, at
 * the batch size that is fastest here. It checks nothing, hashes nothing and counts nothing, which
 * the import does. Exits 1 when the limit below is broken.
 */
import { createHash } from 'node:crypto';
import {
  inTurn,
  load,
  median,
  numberArgument,
  random,
  report,
  short,
  textPool,
  ulidOf,
} from './measure.mjs';
import { connect, withPostgres } from './postgres.mjs';

/** Fragments a second, of those of the SQL. */
const LEAST_OF_SQL = 0.6;

const FRAGMENTS = numberArgument('--fragments', 100_000);
const ROUNDS = numberArgument('--rounds', 5);
const CONTENT_CHARACTERS = 1000;
const BATCHES = [100, 500, 2000];

const COLUMNS =
  'plan_id, fragment_id, content, content_hash, token_count, relevance, decision_id, metadata, created_at';

await withPostgres(async (url) => {
  const { createOssature } = await load('src/index.js');
  const core = await createOssature({ store: { kind: 'url', url }, checkSchema: false });
  await core.migrate();
  await core.projects.create('bench');
  const client = await connect(url);
  const fragments = makeFragments();
  const newPlan = async () =>
    (await core.plans.create({ project: 'bench', goal: 'hold fragments' })).planId;

  const imported = async (incoming) => {
    const planId = await newPlan();
    const start = performance.now();
    const { fragmentsAdded } = await core.imports.import(planId, incoming);
    const seconds = (performance.now() - start) / 1000;
    if (fragmentsAdded !== FRAGMENTS) throw new Error(`imported ${fragmentsAdded}`);
    return FRAGMENTS / seconds;
  };
  const bySql = async (batch) => {
    const rows = fragments.map((fragment) => ({
      ...fragment,
      contentHash: createHash('sha256').update(fragment.content).digest('hex'),
    }));
    const planId = await newPlan();
    const start = performance.now();
    await insertArrays(client, planId, rows, batch);
    return FRAGMENTS / ((performance.now() - start) / 1000);
  };
  const contenders = [
    { name: 'given', run: () => imported(itemsOf(fragments, true)) },
    { name: 'counted', run: () => imported(itemsOf(fragments, false)) },
    ...BATCHES.map((batch) => ({ name: `unnest of ${batch}`, run: () => bySql(batch) })),
  ];
  const rates = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const { name, run } of inTurn(contenders, round + 1)) {
      // A table that grew in the rounds before would slow down whoever comes last.
      await empty(client);
      const rate = await run();
      if (round >= 0) rates.get(name).push(rate);
    }
  }
  await client.end();
  await core.close();

  const names = BATCHES.map((batch) => `unnest of ${batch}`);
  const best = names.toSorted((a, b) => median(rates.get(b)) - median(rates.get(a)))[0];
  const answer = (name, limit) => ({
    question: `fragments a second, token counts ${name}`,
    reference: `SQL, ${best} rows: ${short(median(rates.get(best)))}/s`,
    ours: `${short(median(rates.get(name)))}/s`,
    ratios: rates.get(name).map((rate, round) => rate / rates.get(best)[round]),
    must: 'atLeast',
    limit,
  });
  const holds = report(
    `Importing ${FRAGMENTS} fragments of ${CONTENT_CHARACTERS} characters in one transaction`,
    [answer('given', LEAST_OF_SQL), answer('counted')],
  );
  if (!holds) process.exitCode = 1;
});

/** Fragments cannot be removed; only a superuser's session may set the guard of the table aside. */
async function empty(client) {
  await client.query('set session_replication_role = replica');
  await client.query('truncate ossature.fragments');
  await client.query('set session_replication_role = origin');
  await client.query('checkpoint');
}

function makeFragments() {
  const next = random(11);
  const pool = textPool(2_000_000, next);
  return Array.from({ length: FRAGMENTS }, (_, at) => {
    const start = Math.floor(next() * (pool.length - CONTENT_CHARACTERS));
    return {
      fragmentId: ulidOf(at),
      content: pool.slice(start, start + CONTENT_CHARACTERS),
      tokenCount: 250,
      relevance: next(),
      decisionId: null,
      metadata: { kind: 'tool_result', tool: 'Read' },
      createdAt: new Date(1_760_000_000_000 + at),
    };
  });
}

function* itemsOf(fragments, withCounts) {
  for (const { tokenCount, ...fragment } of fragments) {
    yield { item: 'fragment', fragment: withCounts ? { ...fragment, tokenCount } : fragment };
  }
}

async function insertArrays(client, planId, rows, batch) {
  const text = `insert into ossature.fragments (${COLUMNS})
    select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::float8[],
      $7::text[], $8::jsonb[], $9::timestamptz[])`;
  await client.query('begin');
  for (let first = 0; first < rows.length; first += batch) {
    const given = rows.slice(first, first + batch);
    const column = (name) => given.map((row) => row[name]);
    await client.query({
      name: 'arrays',
      text,
      values: [
        planId,
        column('fragmentId'),
        column('content'),
        column('contentHash'),
        column('tokenCount'),
        column('relevance'),
        column('decisionId'),
        given.map(({ metadata }) => JSON.stringify(metadata)),
        column('createdAt'),
      ],
    });
  }
  await client.query('commit');
}
