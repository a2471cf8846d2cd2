/** Spawns in Postgres: one statement reads what a spawn decides on, one writes all that it makes. */
import type { CompressionRatio } from '../../../domain/context/compression-ratio.js';
import type { PolicyView } from '../../../domain/context/context-policy.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { SpawnRepository } from '../../../domain/plan/repositories.js';
import { type EntryColumns, entryColumns, toEntries } from './context-entries.js';
import {
  DECISION_COLUMNS,
  decisionKnown,
  decisionRows,
  decisionValues,
} from './decision-columns.js';
import {
  noPlan,
  PLAN_COLUMNS,
  planExpressions,
  planFields,
  planValues,
  type StoredPlan,
  toPlan,
} from './plan-columns.js';
import { RECORD_COLUMNS, recordExpressions, recordValues } from './record-columns.js';
import { type Sql, statement } from './sql.js';
import { violates } from './store-errors.js';

type SourceRow = StoredPlan &
  EntryColumns & { readonly ratios: Readonly<Partial<Record<PolicyView, CompressionRatio>>> };

export function typeormSpawns(schema: string): (sql: Sql) => SpawnRepository {
  const table = (name: string): string => `"${schema}".${name}`;
  const read = statement(`
    select ${planFields('p')}, e.*, coalesce((
      select jsonb_object_agg(view, skeleton_ratio) from ${table('context_policies')} c
      where c.project_id = p.project_id), '{}') as ratios
    from ${table('plans')} p cross join lateral (${entryColumns(schema)}) e
    where p.plan_id = $1`);
  const planParameters = planExpressions(1);
  const version = planParameters.length + 1;
  const firstOfDecisions = version + 1;
  const decided = decisionRows(firstOfDecisions);
  const firstOfRecord = firstOfDecisions + decided.parameters;
  // FOR SHARE keeps the parent as it is until the child is committed; sharers do not wait for each other.
  const insert = statement(`
    with parent as materialized (
      select plan_id from ${table('plans')}
      where plan_id = $3::text and version = $${version}::integer for share
    ), child as (
      insert into ${table('plans')} (${PLAN_COLUMNS})
      select ${planParameters.join(', ')} from parent returning plan_id
    ), decided as (
      insert into ${table('decisions')} (${DECISION_COLUMNS})
      select d.* from ${decided.rows} as d cross join child
    )
    insert into ${table('compression_records')} (${RECORD_COLUMNS})
    select ${recordExpressions(firstOfRecord)} from child returning record_id`);

  return (sql) => ({
    async read(planId) {
      const [row] = await sql<SourceRow>(read, [planId]);
      if (row === undefined) throw noPlan(planId);
      const { ratios, fragmentIds, holders, tokenCounts, relevances, ...others } = row;
      const { decisionIds, superseded, recalls, ...plan } = others;
      const sizes = { fragmentIds, holders, tokenCounts, relevances };
      return {
        parent: toPlan(plan),
        policy: { projectId: plan.projectId, skeletonRatios: ratios },
        entries: toEntries(planId, { ...sizes, decisionIds, superseded, recalls }),
      };
    },
    async insert({ child, decisions, record }, parentVersion) {
      const rows = await sql(insert, [
        ...planValues(child),
        parentVersion,
        ...decisionValues(decisions),
        ...recordValues(record),
      ]).catch((error: unknown) => {
        if (violates(error, 'decisions_pkey')) throw decisionKnown(decisions, error);
        if (!violates(error, 'plans_idempotency_key')) throw error;
        throw new OssatureError(
          'ALREADY_EXISTS',
          `Plan ${child.parentPlanId} already has a child with this idempotency key.`,
          { details: { parentPlanId: child.parentPlanId }, cause: error },
        );
      });
      if (rows.length > 0) return;
      throw new OssatureError(
        'STALE',
        `Plan ${child.parentPlanId} changed while a child was being spawned from it. Nothing was written; try again.`,
        { details: { planId: child.parentPlanId, version: parentVersion } },
      );
    },
  });
}
