/** Plans over a map. Transactions take turns, so `lockContext` has nobody to hold off. */
import type { Plan } from '../../../domain/plan/plan.js';
import type { PlanRepository } from '../../../domain/plan/repositories.js';
import { byAge, found, refusal, requireNew } from './in-memory-rules.js';
import type { State } from './in-memory-state.js';

export function inMemoryPlans(current: () => State): PlanRepository {
  const get = async (planId: string): Promise<Plan> =>
    found(current().plans.get(planId), `There is no plan ${planId}.`);
  const list = (wanted: (plan: Plan) => boolean): Plan[] =>
    [...current().plans.values()].filter(wanted).sort(byAge(({ planId }) => planId));
  const touchOne = async (planId: string, now: Date): Promise<void> => {
    const plan = await get(planId);
    current().plans.set(planId, { ...plan, version: plan.version + 1, updatedAt: now });
  };
  const touchSubtree = async (planId: string, now: Date): Promise<void> => {
    await touchOne(planId, now);
    for (const child of list(({ parentPlanId }) => parentPlanId === planId)) {
      await touchSubtree(child.planId, now);
    }
  };

  return {
    async insert(plan) {
      const { plans, projects } = current();
      if (!projects.has(plan.projectId)) {
        throw refusal('STORE_FAILED', `There is no project ${plan.projectId}.`);
      }
      requireNew(plans, plan.planId);
      const isTaken = (other: Plan): boolean =>
        other.projectId === plan.projectId && other.name === plan.name;
      if (plan.name !== null && list(isTaken).length > 0) {
        throw refusal(
          'ALREADY_EXISTS',
          `The project already has a plan named ${JSON.stringify(plan.name)}.`,
        );
      }
      plans.set(plan.planId, plan);
    },
    async update(plan) {
      const stored = await get(plan.planId);
      if (stored.version !== plan.version - 1) {
        throw refusal('STALE', `Plan ${plan.planId} was changed by somebody else.`);
      }
      const { phase, state, reversions, skeletonRatio, version, updatedAt } = plan;
      current().plans.set(plan.planId, {
        ...stored,
        phase,
        state,
        reversions,
        skeletonRatio,
        version,
        updatedAt,
      });
    },
    lockContext: get,
    touch: touchOne,
    touchSubtree,
    get,
    findByName: async (name) => list((plan) => plan.name === name),
    findByIdempotencyKey: async (parentPlanId, key) =>
      list((plan) => plan.parentPlanId === parentPlanId && plan.idempotencyKey === key)[0] ?? null,
    async listAncestors(planId) {
      const ancestors: Plan[] = [];
      let above = current().plans.get(planId)?.parentPlanId ?? null;
      while (above !== null) {
        const plan = await get(above);
        ancestors.push(plan);
        above = plan.parentPlanId;
      }
      return ancestors;
    },
    listChildren: async (planId) => list((plan) => plan.parentPlanId === planId),
    listTree: async (rootPlanId) =>
      list((plan) => plan.rootPlanId === rootPlanId).sort((a, b) => a.depth - b.depth),
    listRoots: async (projectId) =>
      list(
        (plan) =>
          plan.parentPlanId === null && (projectId === null || plan.projectId === projectId),
      ).reverse(),
  };
}
