/** Summaries of sessions in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type {
  SessionAttempt,
  SessionCycle,
  StoredPreview,
} from '../../../domain/session/summary/session-cycle.js';
import type { SummaryItem } from '../../../domain/session/summary/summary-item.js';
import type {
  Calibration,
  ExpansionRecord,
  SummaryRepository,
} from '../../../domain/session/summary/summary-repository.js';
import { fieldsIn, namesIn, rowIn, typesIn } from './recordset-columns.js';
import { type Sql, type Statement, statement } from './sql.js';
import {
  ATTEMPT_COLUMNS,
  CYCLE_COLUMNS,
  EXPANSION_COLUMNS,
  ITEM_COLUMNS,
  toAttempt,
  toCycle,
  toItem,
} from './summary-columns.js';

const OF_SESSION = 'tenant_id = $1 and session_id = $2';

export function typeormSummaries(schema: string): (sql: Sql) => SummaryRepository {
  const items = `"${schema}".session_items`;
  const cycles = `"${schema}".session_cycles`;
  const attempts = `"${schema}".session_attempts`;

  const selectInForce = (which: string): Statement =>
    statement(`
      select distinct on (item_no) ${fieldsIn(ITEM_COLUMNS)} from ${items}
      where ${OF_SESSION} ${which} and revision not in (
        select revision from ${cycles} where ${OF_SESSION} and state = 'rolled-back')
      order by item_no, revision desc`);
  const inForce = selectInForce('');
  const inForceAt = selectInForce('and item_no = any($3::integer[])');
  const versions = statement(`
    select ${fieldsIn(ITEM_COLUMNS)} from ${items} where ${OF_SESSION} and item_no = $3
    order by revision`);
  const lastNo = statement(`
    select coalesce(max(item_no), 0) as "itemNo" from ${items} where ${OF_SESSION}`);
  const seqs = statement(`
    select seq from "${schema}".session_entries
    where ${OF_SESSION} and entry_id = any($3::text[]) order by seq`);
  const entryIds = statement(`
    select seq, entry_id as "entryId" from "${schema}".session_entries
    where ${OF_SESSION} and seq = any($3::integer[])`);
  const ofCycles = statement(`
    select ${fieldsIn(CYCLE_COLUMNS)} from ${cycles} where ${OF_SESSION} order by cycle`);
  const ofAttempts = statement(`
    select ${fieldsIn(ATTEMPT_COLUMNS)} from ${attempts} where ${OF_SESSION}
    order by started_at desc, attempt_id desc limit $3`);
  const move = statement(`
    update "${schema}".sessions set revision = revision + 1, cycle = $4, updated_at = $5,
      settings = coalesce($6::jsonb, settings)
    where ${OF_SESSION} and revision = $3 returning session_id`);
  const addItems = statement(`
    insert into ${items} (tenant_id, session_id, revision, ${namesIn(ITEM_COLUMNS)})
    select $1, $2, $3, ${namesIn(ITEM_COLUMNS)}
    from json_to_recordset($4::json) as r (${typesIn(ITEM_COLUMNS)})`);
  const addCycle = statement(`
    insert into ${cycles} (tenant_id, session_id, ${namesIn(CYCLE_COLUMNS)})
    select $1, $2, ${namesIn(CYCLE_COLUMNS)}
    from json_to_recordset($3::json) as r (${typesIn(CYCLE_COLUMNS)})`);
  const turn = statement(`
    update ${cycles} set state = $4 where ${OF_SESSION} and cycle = any($3::integer[])`);
  const start = statement(`
    insert into ${attempts} (tenant_id, session_id, ${namesIn(ATTEMPT_COLUMNS)})
    select $1, $2, ${namesIn(ATTEMPT_COLUMNS)}
    from json_to_recordset($3::json) as r (${typesIn(ATTEMPT_COLUMNS)})
    on conflict (tenant_id, session_id) where outcome = 'started' do nothing
    returning attempt_id`);
  const settle: Statement = statement(`
    update ${attempts} set tokens_after = $4, outcome = $5, reasons = $6, checks = $7,
      finished_at = $8, model_calls = $9
    where ${OF_SESSION} and attempt_id = $3 and outcome = 'started' returning attempt_id`);

  const renew = statement(`
    update ${attempts} set lease_until = $4
    where ${OF_SESSION} and attempt_id = $3 and outcome = 'started' returning attempt_id`);
  const previews = statement(`
    select seq, characters from "${schema}".session_previews where ${OF_SESSION} order by seq`);
  const addPreviews = statement(`
    insert into "${schema}".session_previews (tenant_id, session_id, seq, characters)
    select $1, $2, seq, characters from json_to_recordset($3::json) as r (seq integer, characters integer)
    on conflict do nothing`);
  const expansions = `"${schema}".session_expansions`;
  const addExpansions = statement(`
    insert into ${expansions} (tenant_id, session_id, ${namesIn(EXPANSION_COLUMNS)})
    select $1, $2, ${namesIn(EXPANSION_COLUMNS)}
    from json_to_recordset($3::json) as r (${typesIn(EXPANSION_COLUMNS)})`);
  const ofExpansions = statement(`
    select ${fieldsIn(EXPANSION_COLUMNS)} from ${expansions} where ${OF_SESSION}
    order by expanded_at, expansion_id`);
  const calibrations = `"${schema}".counter_calibrations`;
  const calibration = statement(`
    select factor, reports, updated_at as "updatedAt" from ${calibrations}
    where tenant_id = $1 and model = $2 and counter_name = $3 and counter_version = $4`);
  const calibrate = statement(`
    insert into ${calibrations} values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (tenant_id, model, counter_name, counter_version)
    do update set factor = $5, reports = $6, updated_at = $7`);

  return (sql) => ({
    async listItems({ tenantId, sessionId }, itemNos) {
      const own = [tenantId, sessionId];
      const rows =
        itemNos === undefined
          ? await sql<SummaryItem>(inForce, own)
          : await sql<SummaryItem>(inForceAt, [...own, itemNos]);
      return rows.map(toItem);
    },
    listVersions: async ({ tenantId, sessionId }, itemNo) =>
      (await sql<SummaryItem>(versions, [tenantId, sessionId, itemNo])).map(toItem),
    lastItemNo: async ({ tenantId, sessionId }) =>
      (await sql<{ readonly itemNo: number }>(lastNo, [tenantId, sessionId]))[0]?.itemNo ?? 0,
    findEntrySeqs: async ({ tenantId, sessionId }, entryIds) =>
      (await sql<{ readonly seq: number }>(seqs, [tenantId, sessionId, entryIds])).map(
        ({ seq }) => seq,
      ),
    async findEntryIds({ tenantId, sessionId }, wanted) {
      const rows = await sql<{ readonly seq: number; readonly entryId: string }>(entryIds, [
        tenantId,
        sessionId,
        wanted,
      ]);
      return new Map(rows.map(({ seq, entryId }) => [seq, entryId]));
    },
    listCycles: async ({ tenantId, sessionId }) =>
      (await sql<SessionCycle>(ofCycles, [tenantId, sessionId])).map(toCycle),
    listAttempts: async ({ tenantId, sessionId }, limit) =>
      (await sql<SessionAttempt>(ofAttempts, [tenantId, sessionId, limit])).map(toAttempt),
    async apply({ tenantId, sessionId }, step, now) {
      const own = [tenantId, sessionId];
      const moved = await sql(move, [
        ...own,
        step.fromRevision,
        step.sessionCycle,
        now,
        step.settings === undefined ? null : JSON.stringify(step.settings),
      ]);
      if (moved.length === 0) throw changedMeanwhile(sessionId);
      const { rolledBack, replaced = [], restored = [] } = step;
      if (rolledBack.length > 0) await sql(turn, [...own, rolledBack, 'rolled-back']);
      if (replaced.length > 0) await sql(turn, [...own, replaced, 'replaced']);
      if (restored.length > 0) await sql(turn, [...own, restored, 'live']);
      if (step.adopted !== null) {
        await sql(addCycle, [...own, JSON.stringify([rowIn(CYCLE_COLUMNS, step.adopted)])]);
      }
      const rows = step.items.map((item) => rowIn(ITEM_COLUMNS, item));
      await sql(addItems, [...own, step.fromRevision + 1, JSON.stringify(rows)]);
    },
    async startAttempt({ tenantId, sessionId }, attempt) {
      const row = JSON.stringify([rowIn(ATTEMPT_COLUMNS, attempt)]);
      return (await sql(start, [tenantId, sessionId, row])).length > 0;
    },
    async settleAttempt({ tenantId, sessionId }, attempt) {
      const settled = await sql(settle, [
        tenantId,
        sessionId,
        attempt.attemptId,
        attempt.tokensAfter,
        attempt.outcome,
        JSON.stringify(attempt.reasons),
        attempt.checks === null ? null : JSON.stringify(attempt.checks),
        attempt.finishedAt,
        JSON.stringify(attempt.modelCalls),
      ]);
      if (settled.length === 0) throw changedMeanwhile(sessionId);
    },
    renewLease: async ({ tenantId, sessionId }, attemptId, until) =>
      (await sql(renew, [tenantId, sessionId, attemptId, until])).length > 0,
    listPreviews: ({ tenantId, sessionId }) => sql<StoredPreview>(previews, [tenantId, sessionId]),
    async addPreviews({ tenantId, sessionId }, given) {
      if (given.length > 0) await sql(addPreviews, [tenantId, sessionId, JSON.stringify(given)]);
    },
    async addExpansion({ tenantId, sessionId }, expansion) {
      const row = JSON.stringify([rowIn(EXPANSION_COLUMNS, expansion)]);
      await sql(addExpansions, [tenantId, sessionId, row]);
    },
    listExpansions: ({ tenantId, sessionId }) =>
      sql<ExpansionRecord>(ofExpansions, [tenantId, sessionId]),
    async findCalibration({ tenantId, model, counterName, counterVersion }) {
      const own = [tenantId, model, counterName, counterVersion];
      return (await sql<Calibration>(calibration, own))[0] ?? null;
    },
    async saveCalibration({ tenantId, model, counterName, counterVersion }, given) {
      const own = [tenantId, model, counterName, counterVersion];
      await sql(calibrate, [...own, given.factor, given.reports, given.updatedAt]);
    },
  });
}

function changedMeanwhile(sessionId: string): OssatureError {
  return new OssatureError(
    'STALE',
    `The summary of session ${sessionId} was changed meanwhile. Read it again and repeat.`,
    { details: { sessionId } },
  );
}
