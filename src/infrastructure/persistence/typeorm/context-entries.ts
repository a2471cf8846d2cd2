/**
 * The accumulated context by size, as SQL that several statements share. The entries leave the server
 * as a few arrays in one row: a spawn from 100,000 fragments would spend most of its time on taking
 * 100,000 rows apart.
 */
import type { ContextEntry } from '../../../domain/context/accumulated-context.js';

export interface EntryColumns {
  readonly fragmentIds: readonly string[] | null;
  /** Null for a fragment of the plan itself. */
  readonly holders: readonly (string | null)[];
  readonly tokenCounts: readonly number[];
  readonly relevances: readonly number[];
  readonly decisionIds: readonly (string | null)[];
  readonly superseded: readonly boolean[];
  readonly recalls: readonly number[];
}

/** The references that the passes of plan $1 kept, in the order in which it came by them. */
export function inheritedReferences(schema: string): string {
  return `
    select k.plan_id, k.fragment_id, r.created_at, r.record_id, k.place
    from "${schema}".compression_records r
    cross join lateral unnest(r.kept_plan_ids, r.kept_fragment_ids)
      with ordinality as k (plan_id, fragment_id, place)
    where r.child_plan_id = $1`;
}

/** One row of {@link EntryColumns} for the plan $1. */
export function entryColumns(schema: string): string {
  const fields = `f.fragment_id, f.plan_id, f.token_count, f.relevance, f.decision_id,
    d.superseded_by is not null as superseded, coalesce(c.recalls, 0) as recalls`;
  const joins = `
    left join "${schema}".decisions d on d.decision_id = f.decision_id
    left join (
      select kept_plan_ids[1] as plan_id, kept_fragment_ids[1] as fragment_id,
        count(*)::int as recalls
      from "${schema}".compression_records where parent_plan_id = $1 and pass = 'recall'
      group by 1, 2
    ) c on c.plan_id = f.plan_id and c.fragment_id = f.fragment_id`;
  return `
    select array_agg(fragment_id) as "fragmentIds", array_agg(nullif(plan_id, $1)) as holders,
      array_agg(token_count) as "tokenCounts", array_agg(relevance) as relevances,
      array_agg(decision_id) as "decisionIds", array_agg(superseded) as superseded,
      array_agg(recalls) as recalls
    from (
      select ${fields} from "${schema}".fragments f ${joins} where f.plan_id = $1
      union all
      select ${fields} from (${inheritedReferences(schema)}) i
      join "${schema}".fragments f on f.plan_id = i.plan_id and f.fragment_id = i.fragment_id
      ${joins}
    ) e`;
}

export function toEntries(planId: string, columns: EntryColumns): readonly ContextEntry[] {
  const { holders, tokenCounts, relevances, decisionIds, superseded, recalls } = columns;
  return (columns.fragmentIds ?? []).map((fragmentId, row) => ({
    planId: (holders[row] ?? planId) as ContextEntry['planId'],
    fragmentId,
    tokenCount: tokenCounts[row] ?? 0,
    relevance: relevances[row] ?? 0,
    decisionId: (decisionIds[row] ?? null) as ContextEntry['decisionId'],
    superseded: superseded[row] ?? false,
    recalls: recalls[row] ?? 0,
  }));
}
