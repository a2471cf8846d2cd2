/** Capsules over a map. */
import type { CapsuleRepository } from '../../../domain/session/stored-capsule.js';
import { byAge, refusal, requireNew, requirePlan } from './in-memory-rules.js';
import { sessionPlace, type State } from './in-memory-state.js';

export function inMemoryCapsules(current: () => State): CapsuleRepository {
  return {
    async insert(capsule) {
      const state = current();
      const session = state.sessions.get(sessionPlace(capsule));
      if (session?.revision !== capsule.sessionRevision) {
        throw refusal('STALE', `Session ${capsule.sessionId} changed while it made a capsule.`);
      }
      requirePlan(state, capsule.childPlanId);
      requirePlan(state, capsule.parentPlanId);
      requireNew(state.capsules, capsule.childPlanId);
      state.capsules.set(capsule.childPlanId, capsule);
    },
    findByPlan: async (childPlanId) => current().capsules.get(childPlanId) ?? null,
    listBySession: async ({ tenantId, sessionId }) =>
      [...current().capsules.values()]
        .filter((capsule) => capsule.tenantId === tenantId && capsule.sessionId === sessionId)
        .sort(byAge(({ childPlanId }) => childPlanId)),
  };
}
