/**
 * `npm run build && node bench/lessons.mjs`: lessons on a seeded store of 10,000 lessons (2,500 lineages, up
 * to level 6), 100,000 episodes and 300,000 uses. The 95th percentile of each call, warm, against the
 * milliseconds that the specification allows, and its median against a round trip of the database. Exits 1
 * when a limit is broken.
 */
import { load, median, numberArgument, random, short, ulidOf } from './measure.mjs';
import { connect, withPostgres } from './postgres.mjs';

const LINEAGES = numberArgument('--lineages', 2_500);
const EPISODES = numberArgument('--episodes', 100_000);
const ROUNDS = numberArgument('--rounds', 60);
const LEVELS = 7;
const USES_OF_EPISODE = 3;
/** Calls before the measured ones: the limits are those of a warm process. */
const WARMING = 5;
const WORDS = 2_000;
/** Megabytes that listing, recalling and compressing may add to the process. */
const MOST_MEMORY = 64;

const LIMITS_MS = {
  'due list, first page': 50,
  'recall without a model': 50,
  recordUse: 20,
  'show with manifest': 30,
  tree: 30,
  repair: 30,
  'attempt without models and processes': 100,
  'redaction of 100,000 characters': 50,
  'splitting of 100,000 characters': 50,
  'audit of 100,000 characters': 50,
};

const NOW = new Date('2026-01-01T00:00:00Z');
const next = random(7);
const below = (count) => Math.floor(next() * count);
const word = (at) => `word${at}`;
const some = (count) => Array.from({ length: count }, () => word(below(WORDS)));

await withPostgres(async (url) => {
  const { createOssature } = await load('src/index.js');
  const world = await load('src/infrastructure/models/knowledge-world.js');
  const core = await createOssature({
    store: { kind: 'url', url },
    checkSchema: false,
    lessons: {
      settings: { 'compression.audit': true, 'replay.allow_in_process': true },
      models: {
        propose: shorter(),
        replay: world.knowledgeAgent([], 'process'),
        judge: world.knowledgeJudge,
        rank: world.knowledgeRanker,
      },
    },
  });
  await core.migrate();
  const client = await connect(url);
  const apexes = await seed(client);
  await client.query('vacuum analyze');

  const { ledger, compression, recall, repair } = core.lessons;
  const apex = () => apexes[below(apexes.length)].lessonId;
  const deep = apexes.filter(({ level }) => level >= 2);
  let count = 0;
  const calls = {
    'one round trip': () => client.query({ name: 'nothing', text: 'select 1' }),
    'due list, first page': () => compression.listDue({ limit: 50 }),
    'recall without a model': () => recall.recall({ prompt: some(12).join(' '), projectId: null }),
    recordUse: () =>
      ledger.recordUse({
        useKey: `bench ${(count += 1)}`,
        prompt: some(40).join(' '),
        outcome: 'success',
        acceptedSummary: some(40).join(' '),
        used: [apex()],
      }),
    'show with manifest': () => ledger.getLesson(apex()),
    tree: () => ledger.tree(apex()),
  };
  const figures = {};
  for (const [name, call] of Object.entries(calls)) figures[name] = await timed(call, ROUNDS);
  figures.repair = await repairs(deep, recall, repair, client);
  figures['attempt without models and processes'] = await attempts(client, ledger, compression);
  Object.assign(figures, await ofLongTexts());

  global.gc?.();
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 20; round += 1) {
    for (const name of ['due list, first page', 'recall without a model', 'tree'])
      await calls[name]();
    await attempt(client, ledger, compression, `memory-${round}`);
  }
  const grown = (process.memoryUsage().rss - before) / 1e6;

  const trip = median(figures['one round trip']);
  console.log('\n| call | median ms | 95 % ms | limit ms | of a round trip | rounds | |');
  console.log('|---|---:|---:|---:|---:|---:|---|');
  let holds = grown < MOST_MEMORY;
  for (const [name, values] of Object.entries(figures)) {
    const high = percentile(values, 0.95);
    const limit = LIMITS_MS[name];
    const kept = limit === undefined || high < limit;
    holds &&= kept;
    const verdict = limit === undefined ? '' : kept ? 'holds' : 'BROKEN';
    console.log(
      `| ${name} | ${short(median(values))} | ${short(high)} | ${limit ?? ''} | ${short(median(values) / trip)} | ${values.length} | ${verdict} |`,
    );
  }
  console.log(`\nmemory grown by ${short(grown)} MB (limit ${MOST_MEMORY})`);
  await core.close();
  await client.end();
  process.exitCode = holds ? 0 : 1;
});

async function timed(call, rounds) {
  for (let warm = 0; warm < WARMING; warm += 1) await call();
  const values = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await call();
    values.push(performance.now() - started);
  }
  return values;
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Two rescues of the first claim on the manifest; the second folds it back, which is timed. */
async function repairs(deep, recall, repair, client) {
  const values = [];
  for (const { lessonId } of deep.slice(0, WARMING + 40)) {
    const { rows } = await client.query(
      `insert into ossature.rescues (rescue_id, lesson_id, fingerprint, claim, holder_id, source, created_at)
       select $2 || n, lesson_id, fingerprint, claim, holder_id, 'person', now()
       from ossature.dropped_claims, generate_series(1, 2) n
       where lesson_id = $1 and ordinal = 1 returning fingerprint`,
      [lessonId, `${lessonId.slice(0, 25)}`],
    );
    if (rows.length !== 2) throw new Error(`rescues ${rows.length}`);
    const started = performance.now();
    await repair.repair(lessonId);
    values.push(performance.now() - started);
  }
  return values.slice(WARMING);
}

async function attempts(client, ledger, compression) {
  const values = [];
  for (let round = 0; round < WARMING + 40; round += 1) {
    values.push(await attempt(client, ledger, compression, `attempt-${round}`));
  }
  return values.slice(WARMING);
}

/** Milliseconds of one on a source of about 4,000 tokens whose regression set is 1,000 episodes. */
async function attempt(client, ledger, compression, family) {
  const claims = Array.from(
    { length: 400 },
    (_, at) => `Mind @fact${at} and ${some(3).join(' ')}.`,
  );
  const { lesson } = await ledger.addLesson({
    projectId: null,
    family,
    title: 'A long one',
    gist: 'Applies when much must be minded',
    body: claims.join('\n\n'),
  });
  await client.query(
    `insert into ossature.lesson_coverage select $1, episode_id from ossature.episodes limit 1000`,
    [lesson.lessonId],
  );
  await client.query(
    `update ossature.lessons set shown = 2, attempts = 2, successes = 2 where lesson_id = $1`,
    [lesson.lessonId],
  );
  const started = performance.now();
  const made = await compression.compress(lesson.lessonId, {
    settings: {
      'compression.holdout_fraction': 0,
      'compression.control': false,
      'compression.baseline': 'off',
      'compression.judge_votes': 1,
    },
  });
  const tookMs = performance.now() - started;
  if (made.attempt.outcome === 'failed') throw new Error(`attempt ${made.attempt.reason}`);
  return tookMs;
}

/** What is linear in a text: redaction, splitting into claims, the audit of a candidate of half of them. */
async function ofLongTexts() {
  const { createHash } = await import('node:crypto');
  const { redactWith } = await load('src/domain/redaction/redact.js');
  const { redactLesson } = await load('src/domain/lessons/lesson-shapes.js');
  const { ledgerOf } = await load('src/domain/lessons/split-claims.js');
  const { auditCandidate } = await load('src/domain/lessons/audit-candidate.js');
  const { KnownValues } = await load('src/domain/lessons/exact-values.js');
  const sha256 = (text) => createHash('sha256').update(text).digest('hex');
  const body = Array.from(
    { length: 2_000 },
    (_, at) => `Mind \`fact ${at}\` and ${some(3).join(' ')}.`,
  )
    .join('\n\n')
    .padEnd(100_000, ' and so on')
    .slice(0, 100_000);
  const redact = redactLesson(redactWith(sha256));
  const source = ledgerOf(body, sha256).map((claim, at) => ({
    claim,
    lessonId: 'long',
    number: String(at + 1),
  }));
  const kept = body.slice(0, 50_000);
  const ledger = ledgerOf(kept, sha256);
  const subtree = new KnownValues([body]);
  const fates = source.map(({ number }, at) => ({
    claimId: number,
    fate: at < ledger.length ? 'kept' : 'dropped',
    mergedWith: [],
  }));
  return {
    'redaction of 100,000 characters': await timed(async () => redact(body), ROUNDS),
    'splitting of 100,000 characters': await timed(async () => ledgerOf(body, sha256), ROUNDS),
    'audit of 100,000 characters': await timed(
      async () => auditCandidate({ source, fates, losses: [], body: kept, ledger, subtree }),
      ROUNDS,
    ),
  };
}

/** Drops the last 150 claims and says so. */
function shorter() {
  return {
    identity: 'bench',
    offline: true,
    async propose({ sources: [{ body }], claims }) {
      const kept = claims.slice(0, -150);
      const dropped = claims.slice(-150);
      return {
        proposal: {
          body: body.split('\n\n').slice(0, kept.length).join('\n\n'),
          dropped: dropped.map(({ number, text }) => ({
            claim: text,
            kind: 'edge-case',
            claimIds: [number],
          })),
          fates: claims.map(({ number }, at) => ({
            claimId: number,
            fate: at < kept.length ? 'kept' : 'dropped',
            mergedWith: [],
          })),
          lossless: false,
          title: null,
          gist: null,
          rationale: null,
        },
      };
    },
  };
}

async function seed(client) {
  const { createHash } = await import('node:crypto');
  const digest = (text) => createHash('sha256').update(text).digest('hex');
  const lessons = [];
  const edges = [];
  const claims = [];
  const dropped = [];
  const terms = [];
  const apexes = [];
  let made = 0;
  for (let lineage = 0; lineage < LINEAGES; lineage += 1) {
    const levels = 1 + (lineage % LEVELS);
    const ids = Array.from({ length: levels }, () => ulidOf((made += 1)));
    const texts = Array.from(
      { length: 12 },
      (_, at) => `Claim ${lineage}.${at} ${some(8).join(' ')}.`,
    );
    for (const [level, lessonId] of ids.entries()) {
      const own = texts.slice(0, texts.length - level);
      const body = own.join('\n\n');
      const isApex = level === levels - 1;
      const uses = 2 + below(30);
      if (isApex) apexes.push({ lessonId, level });
      lessons.push([
        lessonId,
        `family-${lineage % 500}`,
        `Lesson ${lineage}`,
        some(8).join(' '),
        body,
        own.length * 12,
        digest(body),
        digest(`${lessonId} ${body}`),
        level,
        texts.length * 12,
        isApex ? 'active' : 'superseded',
        isApex,
        level === 0 ? 'manual' : 'compression',
        uses,
      ]);
      own.forEach((text, at) => claims.push([lessonId, `c${at + 1}`, at + 1, text, digest(text)]));
      texts
        .slice(own.length)
        .forEach((text, at) =>
          dropped.push([lessonId, at + 1, text, ids[0], `c${own.length + at + 1}`, digest(text)]),
        );
      new Set(some(10)).forEach((term) => terms.push([lessonId, term]));
      if (level > 0) edges.push([ids[level - 1], lessonId, level - 1, level, digest(body)]);
    }
  }
  await client.query('begin');
  await insert(
    client,
    `lessons (lesson_id, family, title, gist, body, tokens, body_digest, body_fingerprint, level,
       level0_tokens, status, is_apex, origin, shown, attempts, successes, failures, counter_name,
       counter_version, provisional_because, version, tags, expansions, rescues, saved_tokens,
       added_tokens, rejections, saturated, evidence, term_count, created_at, updated_at)`,
    `a, b, c, d, e, f::int, g, h, i::int, j::int, k, l::boolean, m, n::int, n::int, n::int, 0, 'o200k_base', '1',
       '{}', 1, '{}', 0, 0, 0, 0, 0, false, 0, 10, now(), now()`,
    lessons,
  );
  await insert(
    client,
    'lesson_edges (child_id, parent_id, kind, child_level, parent_level, made_digest)',
    `a, b, 'compression', c::int, d::int, e`,
    edges,
  );
  await insert(
    client,
    'lesson_claims (lesson_id, claim_id, ordinal, text, fingerprint, claim_values)',
    `a, b, c::int, d, e, '{}'`,
    claims,
  );
  await insert(
    client,
    'dropped_claims (lesson_id, ordinal, claim, kind, holder_id, claim_ids, fingerprint, tokens)',
    `a, b::int, c, 'edge-case', d, array[e], f, 12`,
    dropped,
  );
  await insert(client, 'lesson_terms (lesson_id, term, count)', 'a, b, 1', terms);
  await client.query('commit');

  const ids = lessons.map(([lessonId]) => lessonId);
  for (let from = 0; from < EPISODES; from += 10_000) {
    const episodes = [];
    const uses = [];
    const ofLessons = [];
    for (let at = from; at < Math.min(from + 10_000, EPISODES); at += 1) {
      const episodeId = ulidOf(5_000_000 + at);
      const useId = ulidOf(9_000_000 + at);
      episodes.push([episodeId, some(30).join(' '), `Minded @fact1 ${some(30).join(' ')}`]);
      uses.push([useId, episodeId]);
      const used = new Set(Array.from({ length: USES_OF_EPISODE }, () => ids[below(ids.length)]));
      [...used].forEach((lessonId, place) =>
        ofLessons.push([useId, lessonId, place + 1, episodeId]),
      );
    }
    await insert(
      client,
      `episodes (episode_id, prompt, accepted_summary, prompt_cut_characters, outcome, confidence, created_at)`,
      `a, b, c, 0, 'success', 0.8, '${NOW.toISOString()}'`,
      episodes,
    );
    await insert(
      client,
      'episode_uses (use_id, episode_id, content_digest, kind, receipt, created_at)',
      `a, b, a, 'per-use', '{}', now()`,
      uses,
    );
    await insert(
      client,
      'lesson_uses (use_id, lesson_id, place, episode_id, used, corrected, succeeded, credited)',
      `a, b, c::int, d, true, false, true, true`,
      ofLessons,
    );
    await client.query(
      `insert into ossature.lesson_coverage select lesson_id, episode_id from ossature.lesson_uses
       where episode_id = any($1::text[]) on conflict do nothing`,
      [episodes.map(([episodeId]) => episodeId)],
    );
  }
  console.log(
    `${lessons.length} lessons, ${EPISODES} episodes, ${dropped.length} entries of manifests`,
  );
  return apexes;
}

async function insert(client, target, expressions, rows) {
  const columns = 'abcdefghijklmnopqrstuvwxyz'.slice(0, rows[0].length).split('');
  for (let from = 0; from < rows.length; from += 5_000) {
    const part = rows.slice(from, from + 5_000);
    const values = columns.map((_, at) => part.map((row) => String(row[at])));
    const arrays = columns.map((_, at) => `$${at + 1}::text[]`).join(', ');
    await client.query(
      `insert into ossature.${target} select ${expressions} from unnest(${arrays}) as r (${columns.join(', ')})`,
      values,
    );
  }
}
