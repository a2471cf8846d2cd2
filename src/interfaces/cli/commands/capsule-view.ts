/** Capsules as a person reads them: what a session gave to a child, and what of it no longer holds. */
import type {
  CapsuleOverBudget,
  CapsuleState,
} from '../../../application/session/capsule-service.js';
import type { SpawnPreview } from '../../../application/plan/strategy-coordinator.js';
import type { Decision } from '../../../domain/plan/decision.js';
import type { MadeCapsule } from '../../../domain/session/stored-capsule.js';
import { type Block, type CommandResult, countOf, formatCount, type Message } from '../view.js';

/** What a spawn says of the capsule. */
export function capsuleFacts({
  capsule,
  capsuleLeftOut,
}: Pick<SpawnPreview, 'capsule' | 'capsuleLeftOut'>) {
  if (capsule === null) return null;
  const { sessionId, capsuleTokens, tokens, items } = capsule;
  return { sessionId, capsuleTokens, tokens, items, leftOut: capsuleLeftOut ?? [] };
}

export function capsuleTable(capsule: Pick<MadeCapsule, 'items'>): Block {
  return {
    block: 'table',
    title: 'capsule',
    isPart: true,
    columns: [
      { title: 'section' },
      { title: 'text', isElastic: true },
      { title: 'tokens', align: 'right' },
      { title: 'origin' },
    ],
    rows: capsule.items.map(({ section, text, tokens, origin }) => [
      section,
      text,
      formatCount(tokens),
      [origin.sessionId, origin.sourceId].filter((part) => part !== null).join(' '),
    ]),
    none: '',
  };
}

export function capsuleMessages({
  capsule,
  capsuleLeftOut,
}: Pick<SpawnPreview, 'capsule' | 'capsuleLeftOut'>): readonly Message[] {
  if (capsule === null || capsuleLeftOut === null || capsuleLeftOut.length === 0) return [];
  const unfit = capsuleLeftOut.filter(({ reason }) => reason === 'does-not-fit').length;
  const text =
    `${countOf(capsuleLeftOut.length, 'piece')} of the session not in the capsule` +
    (unfit === 0 ? '' : `, ${formatCount(unfit)} for want of room: raise --capsule-tokens`);
  return [{ level: 'info', text: `${text}. --format json names them.` }];
}

/** The spawn that came to nothing, with the sizes that tell why. */
export function tooLarge(verdict: CapsuleOverBudget): CommandResult {
  const { missionTokens, constraintTokens, capsuleTokens } = verdict;
  const needed = missionTokens + constraintTokens;
  return {
    data: verdict,
    view: [
      {
        block: 'fields',
        title: 'No child: the capsule is over its budget',
        fields: [
          ['outcome', verdict.outcome],
          ['mission', countOf(missionTokens, 'token')],
          ['constraints', countOf(constraintTokens, 'token')],
          ['capsule_tokens', countOf(capsuleTokens, 'token')],
        ],
      },
    ],
    messages: [
      {
        level: 'error',
        text: `Mission and constraints are never cut, and take ${countOf(needed, 'token')}. Spawn with --capsule-tokens ${needed} or more, or unpin what the child need not keep. Nothing was written.`,
      },
    ],
    exitCode: 1,
  };
}

/** A capsule in a status. */
export function capsuleStateFacts({ capsule, state, withdrawn }: CapsuleState) {
  const { childPlanId, parentPlanId, sessionId, capsuleTokens, tokens, items } = capsule;
  return {
    state,
    sessionId,
    parentPlanId,
    childPlanId,
    capsuleTokens,
    tokens,
    items,
    withdrawn,
    createdAt: capsule.createdAt,
  };
}

export function capsulePanel({ capsule, state }: CapsuleState): Block {
  const { sessionId, tokens, capsuleTokens } = capsule;
  return {
    block: 'fields',
    title: 'capsule received',
    isPart: true,
    fields: [
      ['capsule_state', state],
      ['from session', sessionId],
      ['tokens', `${formatCount(tokens)} of ${formatCount(capsuleTokens)}`],
    ],
  };
}

/** A capsule that a session gave, with what its child has decided since. */
export interface GivenCapsule extends CapsuleState {
  readonly decisions: readonly Decision[];
}

export function givenFacts({ decisions, ...state }: GivenCapsule) {
  return { ...capsuleStateFacts(state), decisions };
}

export function givenTable(given: readonly GivenCapsule[]): Block {
  return {
    block: 'table',
    title: 'capsules given',
    isPart: true,
    columns: [
      { title: 'child_plan_id' },
      { title: 'state' },
      { title: 'tokens', align: 'right' },
      { title: 'decided there', isElastic: true },
    ],
    rows: given.map(({ capsule, state, decisions }) => [
      capsule.childPlanId,
      state,
      formatCount(capsule.tokens),
      decisions.map(({ choice }) => firstLine(choice)).join('; '),
    ]),
    none: '',
  };
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.slice(0, 100) ?? '';
}

export function outdatedMessages(states: readonly CapsuleState[]): readonly Message[] {
  return states
    .filter(({ state }) => state === 'outdated')
    .map(({ capsule, withdrawn }): Message => ({
      level: 'warning',
      text: `The capsule of plan ${capsule.childPlanId} is outdated: ${countOf(withdrawn.length, 'constraint')} withdrawn above (${withdrawn.map(({ text }) => JSON.stringify(text)).join(', ')}). The child keeps them until they are unpinned there.`,
    }));
}
