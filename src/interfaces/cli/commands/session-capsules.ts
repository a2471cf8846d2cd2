/** The capsules of a session in its status: what it works under, and what it gave. */
import { parsePlanId } from '../../../domain/kernel/ids.js';
import type { Session } from '../../../domain/session/session.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import type { Block, Message } from '../view.js';
import {
  capsulePanel,
  capsuleStateFacts,
  givenFacts,
  givenTable,
  type GivenCapsule,
  outdatedMessages,
} from './capsule-view.js';

export interface CapsulesTold {
  readonly facts: unknown;
  readonly view: readonly Block[];
  readonly messages: readonly Message[];
}

export async function capsulesOf(core: Ossature, session: Session): Promise<CapsulesTold> {
  const { received, given } = await core.sessions.capsules.ofSession(session);
  const told: GivenCapsule[] = [];
  for (const state of given) {
    const decisions = await core.plans.listDecisions(parsePlanId(state.capsule.childPlanId));
    told.push({
      ...state,
      decisions: decisions.filter(
        ({ type, supersededBy }) => type !== 'prompt_definition' && supersededBy === null,
      ),
    });
  }
  return {
    facts: {
      received: received === null ? null : capsuleStateFacts(received),
      given: told.map(givenFacts),
    },
    view: [
      ...(received === null ? [] : [capsulePanel(received)]),
      ...(told.length === 0 ? [] : [givenTable(told)]),
    ],
    messages: outdatedMessages(received === null ? given : [received, ...given]),
  };
}
