import { describe, expect, it } from '@jest/globals';
import { assert, constantFrom, array, property } from 'fast-check';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import {
  FIRST_POSITION,
  MAX_REVERSIONS,
  movePosition,
  PLAN_PHASES,
  PLAN_STATES,
  type PlanMove,
  type PlanPhase,
  type PlanPosition,
  type PlanState,
} from '../../../src/domain/plan/plan-phase.js';

const SEED = 20_260_101;

/** From each state, the states that may follow; `applied` only in the phase apply. */
const FOLLOWS: Readonly<Record<PlanState, readonly PlanState[]>> = {
  queued: ['processing', 'cancelled'],
  processing: ['complete', 'errored', 'cancelled', 'constrained'],
  complete: ['cancelled', 'applied'],
  errored: ['queued', 'cancelled'],
  cancelled: [],
  constrained: ['queued', 'processing', 'cancelled'],
  applied: [],
};

const POSITIONS = PLAN_PHASES.flatMap((phase) =>
  PLAN_STATES.filter((state) => state !== 'applied' || phase === 'apply').map((state) => ({
    phase,
    state,
  })),
);

function outcomeOf(from: PlanPosition, move: PlanMove): PlanPosition | 'ILLEGAL_MOVE' {
  try {
    return movePosition(from, move);
  } catch (error) {
    if (OssatureError.is(error, 'ILLEGAL_MOVE')) return 'ILLEGAL_MOVE';
    throw error;
  }
}

describe('movePosition', () => {
  it('starts every plan in action, queued', () => {
    expect(FIRST_POSITION).toEqual({ phase: 'action', state: 'queued', reversions: 0 });
  });

  it.each(
    POSITIONS.flatMap(({ phase, state }) =>
      PLAN_STATES.map((next) => ({
        phase,
        state,
        next,
        allowed: FOLLOWS[state].includes(next) && (next !== 'applied' || phase === 'apply'),
      })),
    ),
  )('from $phase/$state to $next: allowed $allowed', ({ phase, state, next, allowed }) => {
    const from = { phase, state, reversions: 2 };
    expect(outcomeOf(from, { to: 'state', state: next })).toEqual(
      allowed ? { ...from, state: next } : 'ILLEGAL_MOVE',
    );
  });

  it.each(POSITIONS)(
    '$phase/$state goes to the next phase only when complete',
    ({ phase, state }) => {
      const next: PlanPhase | undefined = PLAN_PHASES[PLAN_PHASES.indexOf(phase) + 1];
      expect(outcomeOf({ phase, state, reversions: 1 }, { to: 'next-phase' })).toEqual(
        state === 'complete' && next !== undefined
          ? { phase: next, state: 'queued', reversions: 1 }
          : 'ILLEGAL_MOVE',
      );
    },
  );

  it.each(
    POSITIONS.flatMap((position) =>
      [0, 1, 2, 3].map((reversions) => ({ ...position, reversions })),
    ),
  )('$phase/$state after $reversions reversions goes back only from execute and apply', (from) => {
    const mayRevert =
      ['execute', 'apply'].includes(from.phase) &&
      !['cancelled', 'applied'].includes(from.state) &&
      from.reversions < MAX_REVERSIONS;
    expect(outcomeOf(from, { to: 'strategize-again' })).toEqual(
      mayRevert
        ? { phase: 'strategize', state: 'queued', reversions: from.reversions + 1 }
        : 'ILLEGAL_MOVE',
    );
  });

  it('says what is allowed instead', () => {
    expect(() => movePosition(FIRST_POSITION, { to: 'state', state: 'complete' })).toThrow(
      'A plan in action/queued cannot move: to complete; allowed: processing, cancelled.',
    );
    const end = { phase: 'apply', state: 'applied', reversions: 0 } as const;
    expect(() => movePosition(end, { to: 'state', state: 'queued' })).toThrow('it is final');
  });

  it('never leaves the table of positions, nor reverts more than three times', () => {
    const move = constantFrom<PlanMove>(
      { to: 'next-phase' },
      { to: 'strategize-again' },
      ...PLAN_STATES.map((state) => ({ to: 'state' as const, state })),
    );
    assert(
      property(array(move, { maxLength: 60 }), (moves) => {
        let position: PlanPosition = FIRST_POSITION;
        for (const each of moves) {
          const outcome = outcomeOf(position, each);
          if (outcome !== 'ILLEGAL_MOVE') position = outcome;
          expect(POSITIONS).toContainEqual({ phase: position.phase, state: position.state });
          expect(position.reversions).toBeLessThanOrEqual(MAX_REVERSIONS);
        }
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});
