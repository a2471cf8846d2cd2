/**
 * `npm run build && node bench/spawn-large.mjs`: a spawn from a parent with very many fragments. The
 * whole spawn against the bare read of what it decides on, and its memory against the size of the
 * contents, which it must not load. Exits 1 when a limit below is broken.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  inTurn,
  load,
  median,
  numberArgument,
  random,
  report,
  short,
  textPool,
} from './measure.mjs';
import { connect, withPostgres } from './postgres.mjs';

/** Times of reading ids, sizes, relevances and decisions with plain SQL. */
const MOST_TIMES_READ = 3;
/** Memory that a spawn adds with long contents, of what it adds with short ones; GC is not exact. */
const MOST_OF_SHORT = 1.3;

const FRAGMENTS = numberArgument('--fragments', 100_000);
const ROUNDS = numberArgument('--rounds', 7);
const RATIOS = [0.15, 0.8];
const CONTENT_CHARACTERS = [1000, 100, 4000];

const READ = `select plan_id, fragment_id, token_count, relevance, decision_id
  from ossature.fragments where plan_id = $1`;

const worker = process.argv.indexOf('--memory-of');
if (worker < 0) await withPostgres(compare);
else await printMemory(...process.argv.slice(worker + 1));

async function compare(url) {
  const { createOssature } = await load('src/index.js');
  const core = await createOssature({ store: { kind: 'url', url }, checkSchema: false });
  await core.migrate();
  await core.projects.create('bench');
  const client = await connect(url);
  const parents = {};
  for (const characters of CONTENT_CHARACTERS) {
    const { planId } = await core.plans.create({ project: 'bench', goal: 'hold fragments' });
    await fill(client, planId, characters);
    parents[characters] = planId;
  }
  await client.query('vacuum analyze');

  const parent = parents[CONTENT_CHARACTERS[0]];
  const read = async () => {
    const { rows } = await client.query({ name: 'read', text: READ, values: [parent] });
    if (rows.length !== FRAGMENTS) throw new Error(`read ${rows.length}`);
  };
  const contenders = [
    { name: 'read', run: read },
    ...RATIOS.map((skeletonRatio) => ({
      name: `ratio ${skeletonRatio}`,
      run: () => core.coordinator.spawnChild(parent, { goal: 'the next step', skeletonRatio }),
    })),
  ];
  const taken = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const { name, run } of inTurn(contenders, round + 1)) {
      const start = performance.now();
      await run();
      if (round >= 0) taken.get(name).push(performance.now() - start);
    }
  }
  await client.end();
  await core.close();

  const answers = RATIOS.map((ratio) => {
    const own = taken.get(`ratio ${ratio}`);
    return {
      question: `time of a spawn at ratio ${ratio}`,
      reference: `plain read: ${short(median(taken.get('read')))} ms`,
      ours: `${short(median(own))} ms`,
      ratios: own.map((spent, round) => spent / taken.get('read')[round]),
      must: 'atMost',
      limit: MOST_TIMES_READ,
    };
  });
  const [, few, many] = CONTENT_CHARACTERS;
  const memory = Array.from({ length: 3 }, () => ({
    few: memoryOf(url, parents[few]),
    many: memoryOf(url, parents[many]),
  }));
  answers.push({
    question: `memory of a spawn, contents of ${many} characters`,
    reference: `of ${few}: ${short(median(memory.map((one) => one.few)))} MB`,
    ours: `${short(median(memory.map((one) => one.many)))} MB`,
    ratios: memory.map((one) => one.many / one.few),
    must: 'atMost',
    limit: MOST_OF_SHORT,
  });
  const holds = report(`Spawning a child from ${FRAGMENTS} fragments`, answers);
  if (!holds) process.exitCode = 1;
}

/** The contents are cut from one short text by the server: importing them is another bench's question. */
async function fill(client, planId, characters) {
  const pool = textPool(8_000, random(3));
  await client.query(
    `insert into ossature.fragments (plan_id, fragment_id, content, content_hash, token_count, relevance)
     select $1, 'fragment-' || lpad(((at * 7919) % $2::bigint)::text, 12, '0'),
       substr($3::text, 1 + (at * 31) % 4000, $4::int), repeat('0', 64), 20 + (at * 37) % 1000,
       ((at * 7121) % 1000003) / 1000003.0
     from generate_series(0, $2::int - 1) as at`,
    [planId, FRAGMENTS, pool, characters],
  );
}

function memoryOf(url, planId) {
  const self = fileURLToPath(import.meta.url);
  return Number(execFileSync(process.execPath, [self, '--memory-of', url, planId]));
}

/** Prints the megabytes by which one spawn raises the peak of a new process. */
async function printMemory(url, planId) {
  const { createOssature } = await load('src/index.js');
  const core = await createOssature({ store: { kind: 'url', url } });
  await core.status.report(planId);
  const before = process.resourceUsage().maxRSS;
  await core.coordinator.spawnChild(planId, { goal: 'the next step', skeletonRatio: 0.5 });
  const added = process.resourceUsage().maxRSS - before;
  await core.close();
  console.log(added / 1024);
}
