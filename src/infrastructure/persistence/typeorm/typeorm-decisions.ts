/** Decisions in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Decision } from '../../../domain/plan/decision.js';
import type { DecisionRepository } from '../../../domain/plan/repositories.js';
import { type Sql, statement } from './sql.js';
import { namesUnknown, violates } from './store-errors.js';

export function typeormDecisions(schema: string): (sql: Sql) => DecisionRepository {
  const decisions = `"${schema}".decisions`;
  const select = `select decision_id as "decisionId", plan_id as "planId",
    parent_decision_id as "parentDecisionId", type, question, choice, rationale,
    superseded_by as "supersededBy", created_at as "createdAt" from ${decisions}`;
  const insert = statement(`
    insert into ${decisions} (decision_id, plan_id, parent_decision_id, type, question, choice,
      rationale, superseded_by, created_at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
      $7::text[], $8::text[], $9::timestamptz[])`);
  const byIds = statement(`${select} where decision_id = any($1::text[])`);
  const byPlan = statement(`${select} where plan_id = $1 order by created_at, decision_id`);
  const mark = statement(
    `update ${decisions} set superseded_by = $2 where decision_id = $1 returning decision_id`,
  );

  return (sql) => ({
    async insert(given) {
      const column = (field: keyof Decision): readonly unknown[] =>
        given.map((decision) => decision[field]);
      try {
        await sql(insert, [
          column('decisionId'),
          column('planId'),
          column('parentDecisionId'),
          column('type'),
          column('question'),
          column('choice'),
          column('rationale'),
          column('supersededBy'),
          column('createdAt'),
        ]);
      } catch (error) {
        if (!violates(error, 'decisions_pkey')) throw error;
        throw new OssatureError(
          'ALREADY_EXISTS',
          'A decision of this id is already stored. Decision ids are unique in the store.',
          { details: { decisionIds: column('decisionId') }, cause: error },
        );
      }
    },
    async get(decisionId) {
      const [decision] = await sql<Decision>(byIds, [[decisionId]]);
      if (decision !== undefined) return decision;
      throw noDecision(decisionId);
    },
    findMany: (decisionIds) => sql<Decision>(byIds, [decisionIds]),
    listByPlan: (planId) => sql<Decision>(byPlan, [planId]),
    async markSuperseded(decisionId, by) {
      const marked = await sql(mark, [decisionId, by]).catch((error: unknown) => {
        throw namesUnknown(error) ? noDecision(by) : error;
      });
      if (marked.length === 0) throw noDecision(decisionId);
    },
  });
}

function noDecision(decisionId: string): OssatureError {
  return new OssatureError('NOT_FOUND', `There is no decision ${decisionId}.`, {
    details: { decisionId },
  });
}
