/** Fragments in Postgres. */
import type { ContextItem, StoredFragment } from '../../../domain/context/accumulated-context.js';
import type { FragmentRepository } from '../../../domain/context/repositories.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import {
  type EntryColumns,
  entryColumns,
  inheritedReferences,
  toEntries,
} from './context-entries.js';
import { type Sql, type Statement, statement } from './sql.js';

const COLUMNS = [
  'fragment_id',
  'content',
  'content_hash',
  'token_count',
  'token_counter',
  'relevance',
  'decision_id',
  'metadata',
  'created_at',
] as const;

/** Rows of one insert. Larger statements are slower: building their parameters outweighs the round trips. */
const ROWS_PER_INSERT = 100;

const whole = (alias: string): string => `${alias}.plan_id as "planId",
  ${alias}.fragment_id as "fragmentId", ${alias}.content, ${alias}.content_hash as "contentHash",
  ${alias}.token_count as "tokenCount", ${alias}.token_counter as "tokenCounter",
  ${alias}.relevance, ${alias}.decision_id as "decisionId", ${alias}.metadata,
  ${alias}.created_at as "createdAt"`;

export function typeormFragments(schema: string): (sql: Sql) => FragmentRepository {
  const fragments = `"${schema}".fragments`;
  const decisions = `"${schema}".decisions`;

  const insertOf = (rows: number): Statement => {
    const tuple = (row: number): string => {
      const first = 2 + row * COLUMNS.length;
      return `($1,${COLUMNS.map((_, column) => `$${first + column}`).join(',')})`;
    };
    return statement(`
      insert into ${fragments} (plan_id, ${COLUMNS.join(', ')})
      values ${Array.from({ length: rows }, (_, row) => tuple(row)).join(',')}
      on conflict (plan_id, fragment_id) do nothing returning fragment_id as "fragmentId"`);
  };
  const insertFull = insertOf(ROWS_PER_INSERT);
  const hashes = statement(`
    select fragment_id as "fragmentId", content_hash as "contentHash" from ${fragments}
    where plan_id = $1 and fragment_id = any($2::text[])`);
  const inherited = inheritedReferences(schema);
  const entries = statement(entryColumns(schema));
  const sum = statement(`
    select coalesce(sum(f.token_count), 0)::bigint as tokens from (
      select plan_id, fragment_id from ${fragments} where plan_id = $1
      union all select plan_id, fragment_id from (${inherited}) i
    ) e join ${fragments} f using (plan_id, fragment_id)`);
  const many = statement(`
    select ${whole('f')} from unnest($1::text[], $2::text[]) as r (plan_id, fragment_id)
    join ${fragments} f on f.plan_id = r.plan_id and f.fragment_id = r.fragment_id
    order by f.position`);
  const items = statement(`
    select ${whole('f')}, o.origin, d.superseded_by is not null as superseded
    from (
      select plan_id, fragment_id, 'own' as origin, null::timestamptz as created_at,
        null as record_id, position as place
      from ${fragments} where plan_id = $1
      union all
      select plan_id, fragment_id, 'inherited', created_at, record_id, place from (${inherited}) i
      order by origin desc, created_at, record_id, place offset $2 limit $3
    ) o
    join ${fragments} f on f.plan_id = o.plan_id and f.fragment_id = o.fragment_id
    left join ${decisions} d on d.decision_id = f.decision_id
    order by o.origin desc, o.created_at, o.record_id, o.place`);

  return (sql) => ({
    async add(planId, given) {
      const added: string[] = [];
      for (let first = 0; first < given.length; first += ROWS_PER_INSERT) {
        const batch = given.slice(first, first + ROWS_PER_INSERT);
        const insert = batch.length === ROWS_PER_INSERT ? insertFull : insertOf(batch.length);
        const rows = await sql<{ readonly fragmentId: string }>(insert, [
          planId,
          ...batch.flatMap(rowOf),
        ]);
        for (const { fragmentId } of rows) added.push(fragmentId);
      }
      return added;
    },
    async findHashes(planId, fragmentIds) {
      const rows = await sql<{ readonly fragmentId: string; readonly contentHash: string }>(
        hashes,
        [planId, fragmentIds],
      );
      return new Map(rows.map(({ fragmentId, contentHash }) => [fragmentId, contentHash]));
    },
    async listEntries(planId) {
      const [columns] = await sql<EntryColumns>(entries, [planId]);
      return columns === undefined ? [] : toEntries(planId, columns);
    },
    async sumTokens(planId) {
      const [row] = await sql<{ readonly tokens: number }>(sum, [planId]);
      return row?.tokens ?? 0;
    },
    async getMany(references) {
      const rows = await sql<StoredFragment>(many, [
        references.map(({ planId }) => planId),
        references.map(({ fragmentId }) => fragmentId),
      ]);
      if (rows.length === references.length) return rows;
      const found = new Set(rows.map(({ planId, fragmentId }) => `${planId}/${fragmentId}`));
      const lost = references.find((one) => !found.has(`${one.planId}/${one.fragmentId}`));
      throw new OssatureError(
        'NOT_FOUND',
        `Plan ${lost?.planId} holds no fragment ${JSON.stringify(lost?.fragmentId)}.`,
        { details: { planId: lost?.planId, fragmentId: lost?.fragmentId } },
      );
    },
    listItems: (planId, { offset, limit }) => sql<ContextItem>(items, [planId, offset, limit]),
  });
}

function rowOf(fragment: StoredFragment): readonly unknown[] {
  return [
    fragment.fragmentId,
    fragment.content,
    fragment.contentHash,
    fragment.tokenCount,
    fragment.tokenCounter,
    fragment.relevance,
    fragment.decisionId,
    fragment.metadata === null ? null : JSON.stringify(fragment.metadata),
    fragment.createdAt,
  ];
}
