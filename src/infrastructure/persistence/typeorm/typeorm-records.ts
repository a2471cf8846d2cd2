/** Compression records in Postgres: one row a pass, its two lists as parallel arrays. */
import type { CompressionRecordRepository } from '../../../domain/plan/repositories.js';
import type {
  CompressionRecord,
  RecordedFragment,
  SkippedFragment,
} from '../../../domain/skeleton/compression-record.js';
import { RECORD_COLUMNS, recordExpressions, recordValues, toLeftOut } from './record-columns.js';
import { type Sql, statement } from './sql.js';

interface StoredRecord extends Omit<CompressionRecord, 'kept' | 'skipped' | 'capsuleLeftOut'> {
  readonly keptPlanIds: readonly RecordedFragment['planId'][];
  readonly keptFragmentIds: readonly string[];
  readonly keptTokenCounts: readonly number[] | null;
  readonly keptStoredRelevances: readonly number[] | null;
  /** Null where the pass took the stored ones. */
  readonly keptRelevances: readonly number[] | null;
  readonly skippedPlanIds: readonly RecordedFragment['planId'][];
  readonly skippedFragmentIds: readonly string[];
  readonly skippedTokenCounts: readonly number[] | null;
  readonly skippedStoredRelevances: readonly number[] | null;
  readonly skippedRelevances: readonly number[] | null;
  readonly skippedReasons: readonly SkippedFragment['reason'][];
  readonly capsuleLeftOut: unknown;
}

export function typeormRecords(schema: string): (sql: Sql) => CompressionRecordRepository {
  const records = `"${schema}".compression_records`;
  const insert = statement(`
    insert into ${records} (${RECORD_COLUMNS}) select ${recordExpressions(1)}`);
  const sizes = (list: 'kept' | 'skipped'): string => `
    select array_agg(f.token_count order by u.place) as "${list}TokenCounts",
      array_agg(f.relevance order by u.place) as "${list}StoredRelevances"
    from unnest(r.${list}_plan_ids, r.${list}_fragment_ids)
      with ordinality as u (plan_id, fragment_id, place)
    join "${schema}".fragments f on f.plan_id = u.plan_id and f.fragment_id = u.fragment_id`;
  const byChild = statement(`
    select record_id as "recordId", pass, child_plan_id as "childPlanId",
      parent_plan_id as "parentPlanId", ratio, ratio_origin as "ratioOrigin",
      relevance_source as "relevanceSource", skeleton_budget as "skeletonBudget",
      original_tokens as "originalTokens", compressed_tokens as "compressedTokens",
      kept_plan_ids as "keptPlanIds", kept_fragment_ids as "keptFragmentIds",
      kept_relevances as "keptRelevances", skipped_plan_ids as "skippedPlanIds",
      skipped_fragment_ids as "skippedFragmentIds", skipped_relevances as "skippedRelevances",
      skipped_reasons as "skippedReasons", capsule_left_out as "capsuleLeftOut", created_at as "createdAt", kept.*, skipped.*
    from ${records} r
    cross join lateral (${sizes('kept')}) kept
    cross join lateral (${sizes('skipped')}) skipped
    where child_plan_id = $1 order by created_at, record_id`);

  return (sql) => ({
    async insert(record) {
      await sql(insert, recordValues(record));
    },
    listByChild: async (childPlanId) =>
      (await sql<StoredRecord>(byChild, [childPlanId])).map(toRecord),
  });
}

function toRecord(row: StoredRecord): CompressionRecord {
  return {
    recordId: row.recordId,
    pass: row.pass,
    childPlanId: row.childPlanId,
    parentPlanId: row.parentPlanId,
    ratio: row.ratio,
    ratioOrigin: row.ratioOrigin,
    relevanceSource: row.relevanceSource,
    skeletonBudget: row.skeletonBudget,
    originalTokens: row.originalTokens,
    compressedTokens: row.compressedTokens,
    kept: row.keptFragmentIds.map((fragmentId, index) => ({
      planId: row.keptPlanIds[index] as RecordedFragment['planId'],
      fragmentId,
      tokenCount: row.keptTokenCounts?.[index] ?? 0,
      relevance: (row.keptRelevances ?? row.keptStoredRelevances)?.[index] ?? 0,
    })),
    skipped: row.skippedFragmentIds.map((fragmentId, index) => ({
      planId: row.skippedPlanIds[index] as RecordedFragment['planId'],
      fragmentId,
      tokenCount: row.skippedTokenCounts?.[index] ?? 0,
      relevance: (row.skippedRelevances ?? row.skippedStoredRelevances)?.[index] ?? 0,
      reason: row.skippedReasons[index] ?? 'over-budget',
    })),
    capsuleLeftOut: toLeftOut(row.capsuleLeftOut, row.recordId),
    createdAt: row.createdAt,
  };
}
