/** Plans in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Plan } from '../../../domain/plan/plan.js';
import type { PlanRepository } from '../../../domain/plan/repositories.js';
import {
  noPlan,
  PLAN_COLUMNS,
  planExpressions,
  planFields,
  planValues,
  type StoredPlan,
  toPlan,
} from './plan-columns.js';
import { type Sql, statement } from './sql.js';
import { violates } from './store-errors.js';

export function typeormPlans(schema: string): (sql: Sql) => PlanRepository {
  const plans = `"${schema}".plans`;
  const select = `select ${planFields('p')} from ${plans} p`;
  const insert = statement(
    `insert into ${plans} (${PLAN_COLUMNS}) values (${planExpressions(1).join(', ')})`,
  );
  const update = statement(`
    update ${plans} set phase = $3, state = $4, reversions = $5, skeleton_ratio = $6,
      version = version + 1, updated_at = $7
    where plan_id = $1 and version = $2 returning plan_id`);
  const lock = statement(
    `select pg_advisory_xact_lock(hashtextextended('${schema}.context:' || $1, 0))`,
  );
  const touch = statement(
    `update ${plans} set version = version + 1, updated_at = $2 where plan_id = $1 returning plan_id`,
  );
  // Locked in one order, so that two of these wait for each other and do not block each other for good.
  const touchSubtree = statement(`
    with recursive below as (
      select plan_id from ${plans} where plan_id = $1
      union all select p.plan_id from ${plans} p join below b on p.parent_plan_id = b.plan_id
    ), untouched as materialized (
      select plan_id from ${plans}
      where plan_id in (select plan_id from below) and plan_id <> all($3::text[])
      order by plan_id for no key update
    )
    update ${plans} set version = version + 1, updated_at = $2
    where plan_id in (select plan_id from untouched) returning plan_id as "planId"`);
  const byId = statement(`${select} where p.plan_id = $1`);
  const byName = statement(`${select} where p.name = $1 order by p.created_at, p.plan_id`);
  const byKey = statement(`${select} where p.parent_plan_id = $1 and p.idempotency_key = $2`);
  const ancestors = statement(`
    with recursive above as (
      select parent_plan_id from ${plans} where plan_id = $1
      union all
      select p.parent_plan_id from ${plans} p join above a on p.plan_id = a.parent_plan_id
    )
    ${select} join above a on p.plan_id = a.parent_plan_id order by p.depth desc`);
  const children = statement(
    `${select} where p.parent_plan_id = $1 order by p.created_at, p.plan_id`,
  );
  const tree = statement(
    `${select} where p.root_plan_id = $1 order by p.depth, p.created_at, p.plan_id`,
  );
  const roots = statement(`
    ${select} where p.parent_plan_id is null and ($1::text is null or p.project_id = $1)
    order by p.created_at desc, p.plan_id desc`);

  return (sql) => {
    const list = async (...given: Parameters<Sql>): Promise<readonly Plan[]> =>
      (await sql<StoredPlan>(...given)).map(toPlan);
    const find = async (...given: Parameters<Sql>): Promise<Plan | null> =>
      (await list(...given))[0] ?? null;
    const get = async (planId: string): Promise<Plan> => {
      const plan = await find(byId, [planId]);
      if (plan !== null) return plan;
      throw noPlan(planId);
    };
    const changed = async (planId: string, ...given: Parameters<Sql>): Promise<void> => {
      if ((await sql(...given)).length === 0) throw noPlan(planId);
    };

    return {
      async insert(plan) {
        try {
          await sql(insert, planValues(plan));
        } catch (error) {
          if (!violates(error, 'plans_name_key')) throw error;
          throw new OssatureError(
            'ALREADY_EXISTS',
            `The project already has a plan named ${JSON.stringify(plan.name)}. Choose another name.`,
            { details: { name: plan.name }, cause: error },
          );
        }
      },
      async update(plan) {
        const rows = await sql(update, [
          plan.planId,
          plan.version - 1,
          plan.phase,
          plan.state,
          plan.reversions,
          plan.skeletonRatio,
          plan.updatedAt,
        ]);
        if (rows.length > 0) return;
        await get(plan.planId);
        throw new OssatureError(
          'STALE',
          `Plan ${plan.planId} was changed by somebody else. Read it again and repeat the change.`,
          { details: { planId: plan.planId, version: plan.version - 1 } },
        );
      },
      async lockContext(planId) {
        await sql(lock, [planId]);
        return get(planId);
      },
      touch: (planId, now) => changed(planId, touch, [planId, now]),
      async touchSubtree(planId, now) {
        const touched: string[] = [];
        // While it waited for a spawn under way, that one's child has come in below.
        for (let found = true; found;) {
          const rows = await sql<{ readonly planId: string }>(touchSubtree, [planId, now, touched]);
          found = rows.length > 0;
          touched.push(...rows.map((row) => row.planId));
        }
        if (touched.length === 0) throw noPlan(planId);
      },
      get,
      findByName: (name) => list(byName, [name]),
      findByIdempotencyKey: (parentPlanId, key) => find(byKey, [parentPlanId, key]),
      listAncestors: (planId) => list(ancestors, [planId]),
      listChildren: (planId) => list(children, [planId]),
      listTree: (rootPlanId) => list(tree, [rootPlanId]),
      listRoots: (projectId) => list(roots, [projectId]),
    };
  };
}
