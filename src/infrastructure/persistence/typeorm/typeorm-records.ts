/** Compression records in Postgres: one row a pass, its two lists as parallel arrays. */
import type { CompressionRecordRepository } from '../../../domain/plan/repositories.js';
import type {
  CompressionRecord,
  RecordedFragment,
  SkippedFragment,
} from '../../../domain/skeleton/compression-record.js';
import { RECORD_COLUMNS, recordExpressions, recordValues } from './record-columns.js';
import { type Sql, statement } from './sql.js';

interface StoredRecord extends Omit<CompressionRecord, 'kept' | 'skipped'> {
  readonly keptPlanIds: readonly RecordedFragment['planId'][];
  readonly keptFragmentIds: readonly string[];
  readonly keptTokenCounts: readonly number[];
  readonly keptRelevances: readonly number[];
  readonly skippedPlanIds: readonly RecordedFragment['planId'][];
  readonly skippedFragmentIds: readonly string[];
  readonly skippedTokenCounts: readonly number[];
  readonly skippedRelevances: readonly number[];
  readonly skippedReasons: readonly SkippedFragment['reason'][];
}

export function typeormRecords(schema: string): (sql: Sql) => CompressionRecordRepository {
  const records = `"${schema}".compression_records`;
  const insert = statement(`
    insert into ${records} (${RECORD_COLUMNS}) select ${recordExpressions(1)}`);
  const byChild = statement(`
    select record_id as "recordId", pass, child_plan_id as "childPlanId",
      parent_plan_id as "parentPlanId", ratio, ratio_origin as "ratioOrigin",
      relevance_source as "relevanceSource", skeleton_budget as "skeletonBudget",
      original_tokens as "originalTokens", compressed_tokens as "compressedTokens",
      kept_plan_ids as "keptPlanIds", kept_fragment_ids as "keptFragmentIds",
      kept_token_counts as "keptTokenCounts", kept_relevances as "keptRelevances",
      skipped_plan_ids as "skippedPlanIds", skipped_fragment_ids as "skippedFragmentIds",
      skipped_token_counts as "skippedTokenCounts", skipped_relevances as "skippedRelevances",
      skipped_reasons as "skippedReasons", created_at as "createdAt"
    from ${records} where child_plan_id = $1 order by created_at, record_id`);

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
      tokenCount: row.keptTokenCounts[index] ?? 0,
      relevance: row.keptRelevances[index] ?? 0,
    })),
    skipped: row.skippedFragmentIds.map((fragmentId, index) => ({
      planId: row.skippedPlanIds[index] as RecordedFragment['planId'],
      fragmentId,
      tokenCount: row.skippedTokenCounts[index] ?? 0,
      relevance: row.skippedRelevances[index] ?? 0,
      reason: row.skippedReasons[index] ?? 'over-budget',
    })),
    createdAt: row.createdAt,
  };
}
