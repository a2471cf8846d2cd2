/** Evaluations in Postgres. */
import type { Probe } from '../../../domain/evaluation/probe.js';
import {
  type EvaluationRepository,
  NO_PROBE_SET,
  NO_RUN,
  type StoredAnswer,
  type StoredJudgement,
  type StoredMark,
} from '../../../domain/evaluation/repositories.js';
import { type ErrorCode, OssatureError } from '../../../domain/kernel/errors.js';
import {
  ANSWER_COLUMNS,
  JUDGEMENT_COLUMNS,
  MARK_COLUMNS,
  PROBE_COLUMNS,
  type RunRow,
  type SetRow,
  toAnswer,
  toJudgement,
  toMark,
  toProbe,
  toRun,
  toSet,
} from './evaluation-columns.js';
import { type Sql, statement } from './sql.js';
import { fieldsIn, namesIn, rowIn, typesIn } from './recordset-columns.js';

const SET_FIELDS = `tenant_id as "tenantId", probe_set_id as "probeSetId", session_id as "sessionId",
  cycle, last_seq as "lastSeq", span_hash as "spanHash", seed, origin, missing, refused,
  created_at as "createdAt"`;

/** Rows of one insert. */
const BATCH_ROWS = 500;

export function typeormEvaluations(schema: string): (sql: Sql) => EvaluationRepository {
  const table = (name: string): string => `"${schema}".${name}`;
  const runs = table('evaluation_runs');

  const addSet = statement(`
    insert into ${table('probe_sets')} (tenant_id, probe_set_id, session_id, cycle, last_seq,
      span_hash, seed, origin, missing, refused, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict do nothing returning probe_set_id`);
  const addProbes = statement(`
    insert into ${table('probes')} (tenant_id, probe_set_id, place, ${namesIn(PROBE_COLUMNS)})
    select $1, $2, place, ${namesIn(PROBE_COLUMNS)}
    from json_to_recordset($3::json) as r (place integer, ${typesIn(PROBE_COLUMNS)})`);
  const getSet = statement(`
    select ${SET_FIELDS} from ${table('probe_sets')} where tenant_id = $1 and probe_set_id = $2`);
  const ofSet = statement(`
    select ${fieldsIn(PROBE_COLUMNS)} from ${table('probes')}
    where tenant_id = $1 and probe_set_id = $2 order by place`);
  const sets = statement(`
    select ${SET_FIELDS} from ${table('probe_sets')} where tenant_id = $1
    order by created_at desc, probe_set_id desc`);
  const start = statement(`
    insert into ${runs} (tenant_id, run_id, state, kind, settings, settings_hash, recorded_at)
    values ($1, $2, 'started', $3, $4, $5, $6) on conflict do nothing returning run_id`);
  const finish = statement(`
    insert into ${runs} (tenant_id, run_id, state, kind, settings, settings_hash, report, timing, recorded_at)
    select tenant_id, run_id, 'finished', kind, settings, settings_hash, $3, $4, $5
    from ${runs} where tenant_id = $1 and run_id = $2 and state = 'started'
    on conflict do nothing returning run_id`);
  const told = `
    select s.run_id as "runId", s.tenant_id as "tenantId", s.kind, s.settings,
      s.settings_hash as "settingsHash", s.recorded_at as "startedAt", f.report::text as report, f.timing,
      f.recorded_at as "finishedAt"
    from ${runs} s left join ${runs} f
      on f.tenant_id = s.tenant_id and f.run_id = s.run_id and f.state = 'finished'
    where s.state = 'started' and s.tenant_id = $1`;
  const get = statement(`${told} and s.run_id = $2`);
  const unfinished = statement(`
    ${told} and s.settings_hash = $2 and f.run_id is null
    order by s.recorded_at desc, s.run_id desc limit 1`);
  const newestFinished = statement(`
    ${told} and s.settings_hash = $2 and f.run_id is not null
    order by s.recorded_at desc, s.run_id desc limit 1`);
  const list = statement(`${told} order by s.recorded_at desc, s.run_id desc`);
  const addAnswers = statement(`
    insert into ${table('answers')} (tenant_id, run_id, ${namesIn(ANSWER_COLUMNS)})
    select $1, $2, ${namesIn(ANSWER_COLUMNS)}
    from json_to_recordset($3::json) as r (${typesIn(ANSWER_COLUMNS)})
    on conflict do nothing returning probe_id`);
  const addMarks = statement(`
    insert into ${table('marks')} (tenant_id, run_id, ${namesIn(MARK_COLUMNS)})
    select $1, $2, ${namesIn(MARK_COLUMNS)}
    from json_to_recordset($3::json) as r (${typesIn(MARK_COLUMNS)})`);
  const addJudgement = statement(`
    insert into ${table('judgements')} (tenant_id, run_id, ${namesIn(JUDGEMENT_COLUMNS)})
    select $1, $2, ${namesIn(JUDGEMENT_COLUMNS)}
    from json_to_recordset($3::json) as r (${typesIn(JUDGEMENT_COLUMNS)})
    on conflict do nothing returning probe_id`);
  const place = 'arm collate "C", session_id collate "C", cycle, probe_id collate "C"';
  const answers = statement(`
    select ${fieldsIn(ANSWER_COLUMNS)} from ${table('answers')}
    where tenant_id = $1 and run_id = $2 order by ${place}`);
  const marks = statement(`
    select ${fieldsIn(MARK_COLUMNS)} from ${table('marks')}
    where tenant_id = $1 and run_id = $2 order by ${place}, judge_run, criterion_id collate "C"`);
  const judgements = statement(`
    select ${fieldsIn(JUDGEMENT_COLUMNS)} from ${table('judgements')}
    where tenant_id = $1 and run_id = $2 order by ${place}, judge_run`);
  const addSummary = statement(`
    insert into ${table('run_summaries')} (tenant_id, run_id, request_hash, answer, answered_at)
    values ($1, $2, $3, $4, $5) on conflict do nothing returning request_hash`);
  const findSummary = statement(`
    select answer::text as answer from ${table('run_summaries')}
    where tenant_id = $1 and run_id = $2 and request_hash = $3`);

  return (sql) => ({
    async addProbeSet(set) {
      const { tenantId, probeSetId, point, probes } = set;
      const added = await sql(addSet, [
        tenantId,
        probeSetId,
        set.sessionId,
        point.cycle,
        point.lastSeq,
        set.spanHash,
        set.seed,
        set.origin,
        set.missing,
        JSON.stringify(set.refused),
        set.createdAt,
      ]);
      if (added.length === 0)
        throw refused('ALREADY_EXISTS', 'A set of this id is stored already.');
      const rows = probes.map((probe, at) => ({ place: at, ...rowIn(PROBE_COLUMNS, probe) }));
      await sql(addProbes, [tenantId, probeSetId, JSON.stringify(rows)]);
    },
    async getProbeSet(tenantId, probeSetId) {
      const [row] = await sql<SetRow>(getSet, [tenantId, probeSetId]);
      if (row === undefined) throw refused('NOT_FOUND', NO_PROBE_SET);
      const probes = await sql<Probe>(ofSet, [tenantId, probeSetId]);
      return toSet(
        row,
        probes.map((probe) => toProbe(probe, row)),
      );
    },
    listProbeSets: async (tenantId) =>
      (await sql<SetRow>(sets, [tenantId])).map((row) => toSet(row, [])),
    async startRun({ tenantId, runId, kind, settings, settingsHash, startedAt }) {
      const values = [tenantId, runId, kind, JSON.stringify(settings), settingsHash, startedAt];
      const started = await sql(start, values);
      if (started.length === 0)
        throw refused('ALREADY_EXISTS', 'A run of this id is stored already.');
    },
    async finishRun(tenantId, runId, { report, timing, finishedAt }) {
      const finished = await sql(finish, [
        tenantId,
        runId,
        JSON.stringify(report),
        JSON.stringify(timing),
        finishedAt,
      ]);
      if (finished.length === 0) throw refused('STALE', `The run ${runId} is finished already.`);
    },
    async getRun(tenantId, runId) {
      const [row] = await sql<RunRow>(get, [tenantId, runId]);
      if (row === undefined) throw refused('NOT_FOUND', NO_RUN);
      return toRun(row);
    },
    async findUnfinished(tenantId, settingsHash) {
      const [row] = await sql<RunRow>(unfinished, [tenantId, settingsHash]);
      return row === undefined ? null : toRun(row);
    },
    async findFinished(tenantId, settingsHash) {
      const [row] = await sql<RunRow>(newestFinished, [tenantId, settingsHash]);
      return row === undefined ? null : toRun(row);
    },
    listRuns: async (tenantId) => (await sql<RunRow>(list, [tenantId])).map(toRun),
    async addAnswers(tenantId, runId, given, marked) {
      const added: unknown[] = [];
      for (const batch of batches(given.map((one) => rowIn(ANSWER_COLUMNS, one)))) {
        added.push(...(await sql(addAnswers, [tenantId, runId, JSON.stringify(batch)])));
      }
      if (added.length < given.length) throw refused('STALE', 'An answer is stored already.');
      for (const batch of batches(marked.map((one) => rowIn(MARK_COLUMNS, one)))) {
        await sql(addMarks, [tenantId, runId, JSON.stringify(batch)]);
      }
    },
    async addJudgement(tenantId, runId, judgement, marked) {
      const rows = JSON.stringify([rowIn(JUDGEMENT_COLUMNS, judgement)]);
      const added = await sql(addJudgement, [tenantId, runId, rows]);
      if (added.length === 0) throw refused('STALE', 'A judgement is stored already.');
      const marks = JSON.stringify(marked.map((one) => rowIn(MARK_COLUMNS, one)));
      await sql(addMarks, [tenantId, runId, marks]);
    },
    listAnswers: async (tenantId, runId) =>
      (await sql<StoredAnswer>(answers, [tenantId, runId])).map(toAnswer),
    listMarks: async (tenantId, runId) =>
      (await sql<StoredMark>(marks, [tenantId, runId])).map(toMark),
    listJudgements: async (tenantId, runId) =>
      (await sql<StoredJudgement>(judgements, [tenantId, runId])).map(toJudgement),
    async addSummary(tenantId, runId, { requestHash, answer, answeredAt }) {
      const added = await sql(addSummary, [tenantId, runId, requestHash, answer, answeredAt]);
      if (added.length === 0) throw refused('STALE', 'The request is answered already.');
    },
    async findSummary(tenantId, runId, requestHash) {
      const [row] = await sql<{ answer: string }>(findSummary, [tenantId, runId, requestHash]);
      return row?.answer ?? null;
    },
  });
}

function* batches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS);
}

function refused(code: ErrorCode, message: string): OssatureError {
  return new OssatureError(code, message);
}
