/** Decisions in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Decision } from '../../../domain/plan/decision.js';
import type { DecisionRepository } from '../../../domain/plan/repositories.js';
import {
  DECISION_COLUMNS,
  decisionKnown,
  decisionRows,
  decisionValues,
} from './decision-columns.js';
import { type Sql, statement } from './sql.js';
import { namesUnknown, violates } from './store-errors.js';

export function typeormDecisions(schema: string): (sql: Sql) => DecisionRepository {
  const decisions = `"${schema}".decisions`;
  const select = `select decision_id as "decisionId", plan_id as "planId",
    parent_decision_id as "parentDecisionId", type, question, choice, rationale,
    superseded_by as "supersededBy", created_at as "createdAt" from ${decisions}`;
  const insert = statement(`
    insert into ${decisions} (${DECISION_COLUMNS}) select * from ${decisionRows(1).rows}`);
  const byIds = statement(`${select} where decision_id = any($1::text[])`);
  const byPlan = statement(`${select} where plan_id = $1 order by created_at, decision_id`);
  const mark = statement(
    `update ${decisions} set superseded_by = $2 where decision_id = $1 returning decision_id`,
  );

  return (sql) => ({
    async insert(given) {
      try {
        await sql(insert, decisionValues(given));
      } catch (error) {
        if (!violates(error, 'decisions_pkey')) throw error;
        throw decisionKnown(given, error);
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
