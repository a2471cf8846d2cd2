/** Capsules in Postgres. JSON is checked on the way out. */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { CapsuleItem } from '../../../domain/session/capsule.js';
import type { CapsuleRepository, StoredCapsule } from '../../../domain/session/stored-capsule.js';
import { type Sql, statement } from './sql.js';

const items = z.array(
  z.strictObject({
    section: z.enum(['mission', 'constraints', 'decisions', 'errors', 'artifacts']),
    text: z.string(),
    tokens: z.int(),
    origin: z.strictObject({ session_id: z.string(), source_id: z.string().nullable() }),
  }),
);

type StoredRow = Omit<StoredCapsule, 'items'> & { readonly items: unknown };

export function typeormCapsules(schema: string): (sql: Sql) => CapsuleRepository {
  const capsules = `"${schema}".capsules`;
  // FOR SHARE keeps the session's pins as they are until the child is committed; sharers do not wait.
  const insert = statement(`
    with source as materialized (
      select tenant_id from "${schema}".sessions
      where tenant_id = $1::text and session_id = $2::text and revision = $3::integer for share
    )
    insert into ${capsules} (tenant_id, session_id, session_revision, child_plan_id,
      parent_plan_id, capsule_tokens, tokens, items, created_at)
    select $1::text, $2::text, $3::integer, $4::text, $5::text, $6::bigint, $7::bigint,
      $8::jsonb, $9::timestamptz
    from source returning child_plan_id`);
  const select = `
    select tenant_id as "tenantId", session_id as "sessionId",
      session_revision as "sessionRevision", child_plan_id as "childPlanId",
      parent_plan_id as "parentPlanId", capsule_tokens as "capsuleTokens", tokens, items,
      created_at as "createdAt"
    from ${capsules}`;
  const ofPlan = statement(`${select} where child_plan_id = $1`);
  const ofSession = statement(
    `${select} where tenant_id = $1 and session_id = $2 order by created_at, child_plan_id`,
  );

  return (sql) => ({
    async insert(capsule) {
      const rows = await sql(insert, [
        capsule.tenantId,
        capsule.sessionId,
        capsule.sessionRevision,
        capsule.childPlanId,
        capsule.parentPlanId,
        capsule.capsuleTokens,
        capsule.tokens,
        JSON.stringify(capsule.items.map(itemRow)),
        capsule.createdAt,
      ]);
      if (rows.length > 0) return;
      throw new OssatureError(
        'STALE',
        `Session ${capsule.sessionId} changed while it made a capsule. Nothing was written; try again.`,
        { details: { sessionId: capsule.sessionId } },
      );
    },
    async findByPlan(childPlanId) {
      const [row] = await sql<StoredRow>(ofPlan, [childPlanId]);
      return row === undefined ? null : toCapsule(row);
    },
    listBySession: async ({ tenantId, sessionId }) =>
      (await sql<StoredRow>(ofSession, [tenantId, sessionId])).map(toCapsule),
  });
}

function itemRow({ section, text, tokens, origin }: CapsuleItem) {
  const { sessionId, sourceId } = origin;
  return { section, text, tokens, origin: { session_id: sessionId, source_id: sourceId } };
}

function toCapsule(row: StoredRow): StoredCapsule {
  const parsed = items.safeParse(row.items);
  if (!parsed.success) {
    throw new OssatureError(
      'STORE_FAILED',
      `The capsule of plan ${row.childPlanId} cannot be read: ${z.prettifyError(parsed.error)}`,
      { details: { planId: row.childPlanId }, cause: parsed.error },
    );
  }
  return {
    ...row,
    items: parsed.data.map(({ origin, ...item }) => ({
      ...item,
      origin: { sessionId: origin.session_id, sourceId: origin.source_id },
    })),
  };
}
