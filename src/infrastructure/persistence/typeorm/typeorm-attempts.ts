/** Attempts and their replays in Postgres. */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { CompressionAttempt, ReplayResult } from '../../../domain/lessons/attempt.js';
import type {
  AttemptRepository,
  FailedCandidate,
  StoredArm,
} from '../../../domain/lessons/repositories.js';
import { likePrefix, pageOf } from './lesson-search.js';
import { type Columns, fieldsIn, namesIn, rowIn, typesIn } from './recordset-columns.js';
import { type Sql, type Statement, statement } from './sql.js';

export const ATTEMPT_COLUMNS: Columns<CompressionAttempt> = {
  attempt_id: ['text', 'attemptId'],
  kind: ['text', 'kind'],
  lesson_id: ['text', 'lessonId'],
  source_ids: ['text[]', 'sourceIds'],
  source_version: ['integer', 'sourceVersion'],
  attempt_no: ['integer', 'attemptNo'],
  dry_run: ['boolean', 'dryRun'],
  ignored_cooldown: ['boolean', 'ignoredCooldown'],
  outcome: ['text', 'outcome'],
  reason: ['text', 'reason'],
  details: ['jsonb', 'details'],
  settings: ['jsonb', 'settings'],
  counter_name: ['text', 'counterName'],
  counter_version: ['text', 'counterVersion'],
  source_tokens: ['integer', 'sourceTokens'],
  target_tokens: ['integer', 'targetTokens'],
  sample: ['jsonb', 'sample'],
  told_spans: ['text', 'toldSpans'],
  request_digest: ['text', 'requestDigest'],
  models: ['jsonb', 'models'],
  candidate: ['jsonb', 'candidate'],
  calls: ['jsonb', 'calls'],
  usable: ['integer', 'usable'],
  passed: ['integer', 'passed'],
  pass_rate_lower_bound: ['double precision', 'passRateLowerBound'],
  provisional_because: ['text[]', 'provisionalBecause'],
  quarantined: ['text[]', 'quarantined'],
  comparison: ['jsonb', 'comparison'],
  accepted_id: ['text', 'acceptedId'],
  worker: ['text', 'worker'],
  lease_until: ['timestamptz', 'leaseUntil'],
  evidence_at_open: ['bigint', 'evidenceAtOpen'],
  started_at: ['timestamptz', 'startedAt'],
  finished_at: ['timestamptz', 'finishedAt'],
};

/** What becomes known while an attempt runs and when it ends, beside its candidate. */
const FOUND: readonly (keyof CompressionAttempt)[] = [
  'outcome',
  'reason',
  'details',
  'toldSpans',
  'requestDigest',
  'calls',
  'usable',
  'passed',
  'passRateLowerBound',
  'provisionalBecause',
  'quarantined',
  'comparison',
  'acceptedId',
  'leaseUntil',
  'finishedAt',
];

export const REPLAY_COLUMNS: Columns<ReplayResult> = {
  attempt_id: ['text', 'attemptId'],
  ordinal: ['integer', 'ordinal'],
  episode_id: ['text', 'episodeId'],
  arm: ['text', 'arm'],
  phase: ['text', 'phase'],
  outcome: ['text', 'outcome'],
  reason: ['text', 'reason'],
  missing: ['text[]', 'missing'],
  answer: ['text', 'answer'],
  fault: ['text', 'fault'],
  votes: ['jsonb', 'votes'],
  checked_mechanically: ['boolean', 'checkedMechanically'],
  reused: ['boolean', 'reused'],
  arm_key: ['text', 'armKey'],
  process_id: ['integer', 'processId'],
  started_at: ['timestamptz', 'startedAt'],
  duration_ms: ['integer', 'durationMs'],
};

function columnsOf(fields: readonly (keyof CompressionAttempt)[]): Columns<CompressionAttempt> {
  return Object.fromEntries(
    Object.entries(ATTEMPT_COLUMNS).filter(([, [, field]]) => fields.includes(field)),
  );
}

export function typeormAttempts(schema: string): (sql: Sql) => AttemptRepository {
  const attempts = `"${schema}".compression_attempts`;
  const replays = `"${schema}".replay_results`;
  const fields = fieldsIn(ATTEMPT_COLUMNS);
  const rowOf = `json_to_recordset($1::json) as r (${typesIn(ATTEMPT_COLUMNS)})`;

  const open = statement(`
    insert into ${attempts} (${namesIn(ATTEMPT_COLUMNS)})
    select ${namesIn(ATTEMPT_COLUMNS)} from ${rowOf}
    on conflict (lesson_id) where outcome = 'running' do nothing returning attempt_id`);
  const keyed = columnsOf(['attemptId', ...FOUND]);
  const saving = (columns: Columns<CompressionAttempt>, also = ''): Statement => {
    const set = Object.keys(columnsOf(FOUND)).map((column) => `${column} = r.${column}`);
    return statement(`
      update ${attempts} a set ${set.join(', ')}${also}
      from json_to_recordset($1::json) as r (${typesIn(columns)})
      where a.attempt_id = r.attempt_id and a.outcome = 'running' returning a.attempt_id`);
  };
  const save = saving(keyed);
  // A candidate may have hundreds of claims: it is sent once, and the text that is there is not written again.
  const withCandidate = { ...keyed, ...columnsOf(['candidate']) };
  const saveCandidate = saving(withCandidate, ', candidate = coalesce(a.candidate, r.candidate)');
  // Written at every replay, and no disk is waited for: a crash may shorten a lease, never lose a result.
  const prolong = statement(`
    with soon as (select set_config('synchronous_commit', 'off', true))
    update ${attempts} set lease_until = $2, calls = $3 from soon
    where attempt_id = $1 and outcome = 'running' returning attempt_id`);
  const addReplays = statement(`
    insert into ${replays} (${namesIn(REPLAY_COLUMNS)})
    select ${namesIn(REPLAY_COLUMNS)}
    from json_to_recordset($1::json) as r (${typesIn(REPLAY_COLUMNS)})`);
  const lock = statement(`
    select 1 as running from ${attempts} where attempt_id = $1 and outcome = 'running' for update`);
  const find = statement(`select ${fields} from ${attempts} where attempt_id = $1`);
  const prefixed = statement(`
    select attempt_id as "attemptId" from ${attempts} where attempt_id like $1
    order by attempt_id limit $2`);
  const running = statement(`
    select ${fields} from ${attempts} where lesson_id = $1 and outcome = 'running'`);
  const expired = statement(`
    select ${fields} from ${attempts} where outcome = 'running' and lease_until <= $1
    order by started_at, attempt_id limit $2`);
  const list = statement(`
    select ${fields} from ${attempts}
    where ($1::text is null or source_ids @> array[$1]) and ($2::text is null or outcome = $2)
      and ($3::text is null or attempt_id < $3)
    order by attempt_id desc limit $4`);
  const replaysOf = statement(`
    select ${fieldsIn(REPLAY_COLUMNS)} from ${replays} where attempt_id = $1 order by ordinal`);
  const lastNo = statement(`
    select coalesce(max(attempt_no), 0) as "attemptNo" from ${attempts}
    where lesson_id = $1 and not dry_run`);
  const failed = statement(`
    select a.candidate ->> 'digest' as digest,
      array_agg(r.episode_id order by r.ordinal) as "episodeIds"
    from ${attempts} a join ${replays} r on r.attempt_id = a.attempt_id
    where a.source_ids @> array[$1] and not a.dry_run and a.candidate is not null
      and r.arm = 'candidate' and r.outcome = 'failed'
    group by a.attempt_id order by a.attempt_id`);
  const arms = statement(`
    select distinct on (arm_key) arm_key as "armKey", outcome, reason, missing from ${replays}
    where arm_key = any($1::text[]) and outcome <> 'unreadable' and not reused
      and started_at >= $2
    order by arm_key, started_at desc`);

  return (sql) => {
    const requireRunning = (rows: readonly unknown[], attemptId: string): void => {
      if (rows.length > 0) return;
      throw new OssatureError('STALE', `Attempt ${attemptId} is closed already.`, {
        details: { attemptId },
      });
    };
    const saved = async (
      attempt: CompressionAttempt,
      update: Statement,
      columns: Columns<CompressionAttempt>,
    ): Promise<void> => {
      const rows = await sql(update, [JSON.stringify([rowIn(columns, attempt)])]);
      requireRunning(rows, attempt.attemptId);
    };
    const get = async (attemptId: string): Promise<CompressionAttempt> => {
      const [row] = await sql<CompressionAttempt>(find, [attemptId]);
      if (row !== undefined) return toAttempt(row);
      throw new OssatureError('NOT_FOUND', `There is no attempt ${attemptId}.`, {
        details: { attemptId },
      });
    };
    return {
      open: async (attempt) =>
        (await sql(open, [JSON.stringify([rowIn(ATTEMPT_COLUMNS, attempt)])])).length > 0,
      renew: (attempt) => saved(attempt, saveCandidate, withCandidate),
      prolong: async ({ attemptId, leaseUntil, calls }) =>
        requireRunning(
          await sql(prolong, [attemptId, leaseUntil, JSON.stringify(calls)]),
          attemptId,
        ),
      async close(attempt, results) {
        await saved(attempt, save, keyed);
        if (results.length === 0) return;
        await sql(addReplays, [
          JSON.stringify(results.map((result) => rowIn(REPLAY_COLUMNS, result))),
        ]);
      },
      lockRunning: async (attemptId) => (await sql(lock, [attemptId])).length > 0,
      get,
      findByPrefix: async (prefix, limit) =>
        (await sql<{ readonly attemptId: string }>(prefixed, [likePrefix(prefix), limit])).map(
          ({ attemptId }) => attemptId,
        ),
      async findRunning(lessonId) {
        const [row] = await sql<CompressionAttempt>(running, [lessonId]);
        return row === undefined ? null : toAttempt(row);
      },
      listExpired: async (now, limit) =>
        (await sql<CompressionAttempt>(expired, [now, limit])).map(toAttempt),
      async list({ lessonId, outcome }, { limit, after }) {
        const rows = await sql<CompressionAttempt>(list, [
          lessonId ?? null,
          outcome ?? null,
          after,
          limit + 1,
        ]);
        return pageOf(rows.map(toAttempt), limit, ({ attemptId }) => attemptId);
      },
      async listReplays(attemptId) {
        await get(attemptId);
        return (await sql<ReplayResult>(replaysOf, [attemptId])).map(toReplay);
      },
      lastAttemptNo: async (lessonId) =>
        (await sql<{ readonly attemptNo: number }>(lastNo, [lessonId]))[0]?.attemptNo ?? 0,
      listFailedCandidates: (lessonId) => sql<FailedCandidate>(failed, [lessonId]),
      findArms: async (armKeys, since) =>
        new Map((await sql<StoredArm>(arms, [armKeys, since])).map((arm) => [arm.armKey, arm])),
    };
  };
}

const texts = z.array(z.string());
const attemptShape = z.object({
  settings: z.strictObject({
    values: z.record(z.string(), z.unknown()),
    origins: z.record(z.string(), z.string()),
  }),
  sample: z.strictObject({ inSample: texts, heldOut: texts, split: z.boolean() }),
  models: z.strictObject({
    compressor: z.string().nullable(),
    agent: z.string().nullable(),
    judge: z.string().nullable(),
    auditor: z.string().nullable(),
    offline: z.boolean(),
  }),
  candidate: z
    .strictObject({
      proposal: z.looseObject({ body: z.string() }),
      tokens: z.int(),
      digest: z.string(),
    })
    .nullable(),
  calls: z.record(z.string(), z.int()),
});
const replayShape = z.object({
  votes: z.array(
    z.strictObject({
      outcome: z.enum(['passed', 'failed', 'unreadable']),
      reason: z.string().nullable(),
      missing: texts,
      raw: z.string().nullable(),
    }),
  ),
});

function toAttempt(row: CompressionAttempt): CompressionAttempt {
  return readable(row, attemptShape, `compression_attempts, attempt ${row.attemptId}`);
}

function toReplay(row: ReplayResult): ReplayResult {
  return readable(row, replayShape, `replay_results, attempt ${row.attemptId}, ${row.ordinal}`);
}

function readable<Value extends object>(row: Value, shape: z.ZodType, what: string): Value {
  const parsed = shape.safeParse(row);
  if (parsed.success) return row;
  throw new OssatureError(
    'STORE_FAILED',
    `A row of ${what} cannot be read: ${z.prettifyError(parsed.error)}`,
    { details: { row: what }, cause: parsed.error },
  );
}
