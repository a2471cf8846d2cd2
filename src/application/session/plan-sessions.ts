/** The sessions of a plan and its ancestors, as strategies look at them. */
import type { PlanId } from '../../domain/kernel/ids.js';
import type { SessionRepository } from '../../domain/session/repositories.js';
import type { Session } from '../../domain/session/session.js';

export interface PlanSession {
  readonly session: Session;
  /** The plan of the lineage that it serves. */
  readonly planId: PlanId;
  /** 1 for the plan itself, less for each generation above. */
  readonly hierarchy: number;
  /** 1 the nearest and newest, falling. */
  readonly recency: number;
}

/** The nearest plan first, and its newest session first. */
export async function sessionsOf(
  sessions: Pick<SessionRepository, 'listByPlans'>,
  lineage: readonly PlanId[],
): Promise<readonly PlanSession[]> {
  const found = (await sessions.listByPlans(lineage)).flatMap((session) => {
    const generation = lineage.findIndex((planId) => planId === session.planId);
    const planId = lineage[generation];
    return planId === undefined ? [] : [{ session, planId, generation }];
  });
  return found
    .sort((a, b) => a.generation - b.generation)
    .map(({ session, planId, generation }, at) => ({
      session,
      planId,
      hierarchy: 1 / (1 + generation),
      recency: 1 - at / found.length,
    }));
}
