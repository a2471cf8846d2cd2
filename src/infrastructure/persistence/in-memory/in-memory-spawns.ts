/** Spawns over maps. A transaction works on a copy, so a refusal in the middle leaves nothing behind. */
import type { Repositories } from '../../../application/ports/unit-of-work.js';
import type { Plan } from '../../../domain/plan/plan.js';
import type { SpawnRepository } from '../../../domain/plan/repositories.js';
import { refusal, requireNew } from './in-memory-rules.js';
import type { State } from './in-memory-state.js';

type Others = Pick<Repositories, 'plans' | 'policies' | 'fragments' | 'decisions' | 'records'>;

export function inMemorySpawns(current: () => State, others: Others): SpawnRepository {
  return {
    async read(planId) {
      const parent = await others.plans.get(planId);
      const policy = await others.policies.get(parent.projectId);
      return { parent, policy, entries: await others.fragments.listEntries(planId) };
    },
    async insert({ child, decisions, record }, parentVersion) {
      const { plans } = current();
      const parent = child.parentPlanId && plans.get(child.parentPlanId);
      if (!parent || parent.version !== parentVersion) {
        throw refusal(
          'STALE',
          `Plan ${child.parentPlanId} changed while a child was being spawned.`,
        );
      }
      requireNew(plans, child.planId);
      const isTwin = (other: Plan): boolean =>
        other.parentPlanId === child.parentPlanId && other.idempotencyKey === child.idempotencyKey;
      if (child.idempotencyKey !== null && [...plans.values()].some(isTwin)) {
        throw refusal('ALREADY_EXISTS', 'The parent has a child with this idempotency key.');
      }
      plans.set(child.planId, child);
      await others.decisions.insert(decisions);
      await others.records.insert(record);
    },
  };
}
