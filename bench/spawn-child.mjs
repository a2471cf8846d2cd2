/**
 * `npm run build && node bench/spawn-child.mjs`: spawns a second against the same work by hand-written
 * SQL and by TypeORM's entity manager, on a server with its default settings.
 *
 * The plain way copies what a child inherits: begin, parent, its fragments with their contents, the
 * child with what was kept and skipped, the copies, a mark on the parent, commit. Each round runs
 * every contender for some seconds, in turn; a ratio is the median of the ratios of the rounds.
 * Exits 1 when a limit below is broken.
 */
import 'reflect-metadata';
import { DataSource, EntitySchema } from 'typeorm';
import {
  inTurn,
  load,
  median,
  numberArgument,
  random,
  report,
  short,
  textPool,
  times,
  ulidOf,
} from './measure.mjs';
import { connect, withPostgres } from './postgres.mjs';

/** Spawns a second, of those of the plain way in SQL; of those of a plain TypeORM transaction. */
const LEAST_OF_SQL = 1;
const LEAST_OF_TYPEORM = 2.5;

const CONNECTIONS = process.argv.includes('--connections')
  ? [numberArgument('--connections')]
  : [1, 4, 16];
const PARENTS = 64;
const FRAGMENTS = 100;
const INHERITED = 20;
const CONTENT_CHARACTERS = 1000;
const TOKENS = 250;
const RATIO = 1 - INHERITED / FRAGMENTS;
const ROUNDS = numberArgument('--rounds', 9);
const SECONDS = numberArgument('--seconds', 1.5);

const PLAIN = `
  create schema plain;
  create table plain.plan (
    plan_id text primary key,
    parent_plan_id text references plain.plan,
    goal text not null,
    skeleton_metadata jsonb,
    children integer not null default 0,
    created_at timestamptz not null
  );
  create table plain.fragment (
    plan_id text not null references plain.plan,
    fragment_id text not null,
    content text not null,
    content_hash text not null,
    token_count integer not null,
    relevance double precision not null,
    decision_id text,
    metadata jsonb,
    created_at timestamptz,
    primary key (plan_id, fragment_id)
  )`;

const FRAGMENT_COLUMNS =
  'plan_id, fragment_id, content, content_hash, token_count, relevance, decision_id, metadata, created_at';

let made = 0;
const newPlanId = () => ulidOf((made += 1));

await withPostgres(async (url) => {
  const { createOssature } = await load('src/index.js');
  const core = await createOssature({ store: { kind: 'url', url }, checkSchema: false });
  await core.migrate();
  await core.projects.create('bench');
  const next = random(7);
  const pool = textPool(400_000, next);
  const parents = [];
  for (let at = 0; at < PARENTS; at += 1) {
    const { planId } = await core.plans.create({ project: 'bench', goal: `Goal ${at}` });
    await core.imports.import(planId, fragmentsOf(at, pool, next));
    parents.push(planId);
  }
  await core.close();
  const owner = await connect(url);
  await owner.query(PLAIN);
  await owner.query(`
    insert into plain.plan (plan_id, goal, created_at) select plan_id, goal, created_at from ossature.plans`);
  await owner.query(
    `insert into plain.fragment (${FRAGMENT_COLUMNS}) select ${FRAGMENT_COLUMNS} from ossature.fragments`,
  );
  await owner.query('vacuum analyze');

  const answers = [];
  for (const connections of CONNECTIONS) {
    const contenders = [
      await ours(createOssature, url, connections),
      await plainSql(url, connections),
      await plainTypeorm(url, connections),
    ];
    for (const contender of contenders) await spawnFor(contender, connections, parents, 0.5);
    const rates = new Map(contenders.map(({ name }) => [name, []]));
    const latencies = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const contender of inTurn(contenders, round)) {
        const { rate, p99 } = await spawnFor(contender, connections, parents, SECONDS);
        rates.get(contender.name).push(rate);
        if (contender.name === 'ours') latencies.push(p99);
      }
    }
    for (const contender of contenders) await contender.close();
    const own = rates.get('ours');
    const against = (name, limit) => {
      const theirs = rates.get(name);
      answers.push({
        question: `spawns a second, ${connections} connection(s)`,
        reference: `${name}: ${short(median(theirs))}/s`,
        ours: `${short(median(own))}/s, p99 ${short(median(latencies))} ms`,
        ratios: own.map((rate, round) => rate / theirs[round]),
        must: 'atLeast',
        limit,
      });
    };
    against('plain SQL', LEAST_OF_SQL);
    against('TypeORM', LEAST_OF_TYPEORM);
  }
  await owner.end();
  const holds = report(
    `Spawning a child from ${FRAGMENTS} fragments of ${CONTENT_CHARACTERS} characters, ${INHERITED} inherited`,
    answers,
  );
  if (!holds) process.exitCode = 1;
});

function* fragmentsOf(parent, pool, next) {
  for (let at = 0; at < FRAGMENTS; at += 1) {
    const start = Math.floor(next() * (pool.length - CONTENT_CHARACTERS));
    yield {
      item: 'fragment',
      fragment: {
        fragmentId: ulidOf(parent * FRAGMENTS + at),
        content: pool.slice(start, start + CONTENT_CHARACTERS),
        tokenCount: TOKENS,
        relevance: next(),
        decisionId: ulidOf(parent * FRAGMENTS + Math.floor(at / 20)),
        metadata: { kind: 'tool_result', tool: 'Read' },
        createdAt: new Date(1_760_000_000_000 + at),
      },
    };
  }
}

/** Each worker spawns one child after another until the time is over. */
async function spawnFor(contender, workers, parents, seconds) {
  const end = performance.now() + seconds * 1000;
  const start = performance.now();
  const latencies = [];
  await Promise.all(
    times(workers, async (worker) => {
      while (performance.now() < end) {
        const begun = performance.now();
        await contender.spawn(worker, parents[Math.floor(Math.random() * parents.length)]);
        latencies.push(performance.now() - begun);
      }
    }),
  );
  const rate = (latencies.length / (performance.now() - start)) * 1000;
  latencies.sort((a, b) => a - b);
  return { rate, p99: latencies[Math.floor(latencies.length * 0.99)] };
}

async function ours(createOssature, url, connections) {
  const core = await createOssature({
    store: { kind: 'url', url },
    config: { poolSize: connections },
  });
  return {
    name: 'ours',
    spawn: async (worker, parentId) => {
      const { inherited } = await core.coordinator.spawnChild(parentId, {
        goal: 'the next step',
        skeletonRatio: RATIO,
      });
      if (inherited.length !== INHERITED) throw new Error(`inherited ${inherited.length}`);
    },
    close: () => core.close(),
  };
}

/** Most relevant first, of the same size: the cut is the skeleton. */
function choose(fragments) {
  return fragments.toSorted(
    (a, b) => b.relevance - a.relevance || (a.fragment_id < b.fragment_id ? -1 : 1),
  );
}

/** What our record says, in the child's row: the audit, and what was left behind. */
function audit(ranked) {
  const kept = ranked.slice(0, INHERITED);
  return {
    ratio: RATIO,
    original_tokens: ranked.reduce((sum, one) => sum + one.token_count, 0),
    compressed_tokens: kept.reduce((sum, one) => sum + one.token_count, 0),
    source_decision_ids: [...new Set(kept.map((one) => one.decision_id))],
    skipped: ranked
      .slice(INHERITED)
      .map((one) => [one.fragment_id, one.token_count, one.relevance, 'over-budget']),
  };
}

async function plainSql(url, connections) {
  const clients = await Promise.all(times(connections, () => connect(url)));
  const statements = {
    parent: 'select * from plain.plan where plan_id = $1',
    fragments: 'select * from plain.fragment where plan_id = $1',
    child: `insert into plain.plan (plan_id, parent_plan_id, goal, skeleton_metadata, created_at)
      values ($1, $2, $3, $4, $5)`,
    copies: `insert into plain.fragment (${FRAGMENT_COLUMNS})
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[],
        $6::float8[], $7::text[], $8::jsonb[], $9::timestamptz[])`,
    mark: 'update plain.plan set children = children + 1 where plan_id = $1',
  };
  const run = (client, name, values) => client.query({ name, text: statements[name], values });
  return {
    name: 'plain SQL',
    spawn: async (worker, parentId) => {
      const client = clients[worker];
      await client.query('begin');
      const parent = (await run(client, 'parent', [parentId])).rows[0];
      const ranked = choose((await run(client, 'fragments', [parentId])).rows);
      const childId = newPlanId();
      const now = new Date();
      await run(client, 'child', [
        childId,
        parent.plan_id,
        'the next step',
        JSON.stringify(audit(ranked)),
        now,
      ]);
      const kept = ranked.slice(0, INHERITED);
      const column = (name) => kept.map((one) => one[name]);
      await run(client, 'copies', [
        kept.map(() => childId),
        column('fragment_id'),
        column('content'),
        column('content_hash'),
        column('token_count'),
        column('relevance'),
        column('decision_id'),
        kept.map(({ metadata }) => JSON.stringify(metadata)),
        column('created_at'),
      ]);
      await run(client, 'mark', [parent.plan_id]);
      await client.query('commit');
    },
    close: async () => {
      for (const client of clients) await client.end();
    },
  };
}

async function plainTypeorm(url, connections) {
  const text = { type: 'text' };
  const Plan = new EntitySchema({
    name: 'Plan',
    schema: 'plain',
    tableName: 'plan',
    columns: {
      plan_id: { type: 'text', primary: true },
      parent_plan_id: { type: 'text', nullable: true },
      goal: text,
      skeleton_metadata: { type: 'jsonb', nullable: true },
      children: { type: 'integer', default: 0 },
      created_at: { type: 'timestamptz' },
    },
  });
  const Fragment = new EntitySchema({
    name: 'Fragment',
    schema: 'plain',
    tableName: 'fragment',
    columns: {
      plan_id: { type: 'text', primary: true },
      fragment_id: { type: 'text', primary: true },
      content: text,
      content_hash: text,
      token_count: { type: 'integer' },
      relevance: { type: 'double precision' },
      decision_id: { type: 'text', nullable: true },
      metadata: { type: 'jsonb', nullable: true },
      created_at: { type: 'timestamptz', nullable: true },
    },
  });
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities: [Plan, Fragment],
    poolSize: connections,
  });
  await dataSource.initialize();
  return {
    name: 'TypeORM',
    spawn: (worker, parentId) =>
      dataSource.transaction(async (manager) => {
        const parent = await manager.findOneOrFail('Plan', { where: { plan_id: parentId } });
        const ranked = choose(await manager.find('Fragment', { where: { plan_id: parentId } }));
        const child = {
          plan_id: newPlanId(),
          parent_plan_id: parent.plan_id,
          goal: 'the next step',
          skeleton_metadata: audit(ranked),
          created_at: new Date(),
        };
        await manager.insert('Plan', child);
        const copies = ranked
          .slice(0, INHERITED)
          .map((one) => ({ ...one, plan_id: child.plan_id }));
        await manager.insert('Fragment', copies);
        await manager.increment('Plan', { plan_id: parent.plan_id }, 'children', 1);
      }),
    close: () => dataSource.destroy(),
  };
}
