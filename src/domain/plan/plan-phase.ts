/**
 * Where a plan stands: a phase (what kind of work) and a state (how that work is going).
 *
 *   action → strategize → execute → apply        forward, only once the phase is complete
 *               ↑____________|________|          reversion, only ever to strategize, at most 3 times
 */
import { OssatureError } from '../kernel/errors.js';

export const PLAN_PHASES = ['action', 'strategize', 'execute', 'apply'] as const;
export type PlanPhase = (typeof PLAN_PHASES)[number];

export const PLAN_STATES = [
  'queued',
  'processing',
  'complete',
  'errored',
  'cancelled',
  'constrained',
  'applied',
] as const;
export type PlanState = (typeof PLAN_STATES)[number];

/** A plan that came back to strategize this often goes round in circles and needs a person. */
export const MAX_REVERSIONS = 3;

export interface PlanPosition {
  readonly phase: PlanPhase;
  readonly state: PlanState;
  /** How often the plan came back to strategize, 0 to MAX_REVERSIONS. */
  readonly reversions: number;
}

export type PlanMove =
  | { readonly to: 'next-phase' }
  | { readonly to: 'strategize-again' }
  | { readonly to: 'state'; readonly state: PlanState };

/** From each state, the states that may follow within a phase. `applied` and `cancelled` are ends. */
const NEXT_STATES: Readonly<Record<PlanState, readonly PlanState[]>> = {
  queued: ['processing', 'cancelled'],
  processing: ['complete', 'errored', 'constrained', 'cancelled'],
  complete: ['applied', 'cancelled'],
  errored: ['queued', 'cancelled'],
  constrained: ['queued', 'processing', 'cancelled'],
  cancelled: [],
  applied: [],
};

const NEXT_PHASE: Readonly<Record<PlanPhase, PlanPhase | null>> = {
  action: 'strategize',
  strategize: 'execute',
  execute: 'apply',
  apply: null,
};

export const FIRST_POSITION: PlanPosition = { phase: 'action', state: 'queued', reversions: 0 };

/** The position after the move. ILLEGAL_MOVE says what is allowed instead. */
export function movePosition(from: PlanPosition, move: PlanMove): PlanPosition {
  switch (move.to) {
    case 'next-phase':
      return advance(from);
    case 'strategize-again':
      return revert(from);
    case 'state':
      return changeState(from, move.state);
  }
}

function advance(from: PlanPosition): PlanPosition {
  const phase = NEXT_PHASE[from.phase];
  if (phase === null) throw illegal(from, 'apply is the last phase; set its state to applied');
  if (from.state !== 'complete')
    throw illegal(from, 'only a complete phase is followed by the next');
  return { ...from, phase, state: 'queued' };
}

function revert(from: PlanPosition): PlanPosition {
  if (from.phase !== 'execute' && from.phase !== 'apply') {
    throw illegal(from, 'only execute and apply may go back, and only to strategize');
  }
  if (NEXT_STATES[from.state].length === 0) throw illegal(from, `${from.state} is final`);
  if (from.reversions >= MAX_REVERSIONS) {
    throw illegal(from, `the plan was already reverted ${MAX_REVERSIONS} times`);
  }
  return { phase: 'strategize', state: 'queued', reversions: from.reversions + 1 };
}

function changeState(from: PlanPosition, state: PlanState): PlanPosition {
  const allowed = NEXT_STATES[from.state].filter(
    (next) => next !== 'applied' || from.phase === 'apply',
  );
  if (!allowed.includes(state)) {
    throw illegal(
      from,
      `to ${state}; allowed: ${allowed.length > 0 ? allowed.join(', ') : 'nothing, it is final'}`,
    );
  }
  return { ...from, state };
}

function illegal(from: PlanPosition, reason: string): OssatureError {
  return new OssatureError(
    'ILLEGAL_MOVE',
    `A plan in ${from.phase}/${from.state} cannot move: ${reason}.`,
    {
      details: { ...from },
    },
  );
}
