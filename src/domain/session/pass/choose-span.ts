/** Which units leave in a pass, by the trigger that chose. Every cut is a legal one. */
import type { UnitCut } from './legal-cuts.js';
import type { PassSizes } from './measure.js';
import type { PassState } from './pass-state.js';
import type { PassSettings } from './settings.js';
import { STUB_TOKENS } from './stub-text.js';
import type { TriggerName } from './trigger-names.js';
import { scoreUnits, type UnitScore } from './unit-score.js';

export interface ChosenSpan {
  /** Last `seq` that leaves at the cut; 0: the cut stays where it is. */
  readonly cutSeq: number;
  /** Positions of the units that leave and are summarized, ascending. */
  readonly leaving: readonly number[];
  /** Positions of units that leave out of the middle, each for a stub. */
  readonly stubbed: readonly number[];
  /** Largest request afterwards. */
  readonly afterTokens: number;
  /** Tokens that leave, less the stubs that stay and a prompt that is placed again. */
  readonly freedTokens: number;
  /** Of each unit, where scores decided. */
  readonly scores: readonly UnitScore[];
  /** The trigger could not reach the target by its own means; the oldest units leave instead. */
  readonly fellBack: boolean;
}

export function chooseSpan(
  trigger: TriggerName,
  state: PassState,
  sizes: PassSizes,
  settings: PassSettings,
): ChosenSpan {
  const { targetTokens } = sizes.breakdown;
  const fits = ({ unitCount }: UnitCut): boolean => sizes.afterTokens(unitCount) <= targetTokens;
  switch (trigger) {
    case 'fixed_threshold':
      return cutAt(state, sizes, sizes.cuts.find(fits));
    case 'sliding_window': {
      const { keepTurns, keepTokens } = settings;
      const isWithin = ({ unitCount }: UnitCut): boolean =>
        sizes.turnsBehind(unitCount) <= keepTurns && sizes.tailTokens(unitCount) <= keepTokens;
      return cutAt(
        state,
        sizes,
        sizes.cuts.find((cut) => fits(cut) && isWithin(cut)),
      );
    }
    case 'task_boundary': {
      const boundary = sizes.cuts.findLast(({ seq }) => seq <= (state.taskEndSeq ?? 0));
      const atLeast = boundary?.unitCount ?? 0;
      return cutAt(
        state,
        sizes,
        sizes.cuts.find((cut) => cut.unitCount >= atLeast && fits(cut)),
      );
    }
    case 'importance':
      return (
        byImportance(state, sizes) ?? {
          ...cutAt(state, sizes, sizes.cuts.find(fits)),
          fellBack: true,
        }
      );
  }
}

/** Without a cut that holds all limits, the last legal one: the last unit alone may be over a limit. */
export function cutAt(
  { units }: PassState,
  sizes: PassSizes,
  wanted: UnitCut | undefined,
): ChosenSpan {
  const cut = wanted ?? sizes.cuts.at(-1) ?? { unitCount: 0, seq: 0 };
  const leaving: number[] = [];
  for (let position = 0; position < cut.unitCount; position += 1) {
    if (units[position]?.isStub === false) leaving.push(position);
  }
  return {
    cutSeq: cut.seq,
    leaving,
    stubbed: [],
    afterTokens: sizes.afterTokens(cut.unitCount),
    freedTokens: sizes.afterTokens(0) - sizes.afterTokens(cut.unitCount),
    scores: [],
    fellBack: false,
  };
}

/**
 * Lowest score first until the target is reached; of equal scores the oldest. The latest turn, the
 * last unit and units of open errors are never chosen. Null: what may leave does not suffice.
 */
function byImportance({ units }: PassState, sizes: PassSizes): ChosenSpan | null {
  const scores = scoreUnits(units);
  const latestTurn = units.reduce((latest, { turn }) => Math.max(latest, turn), 0);
  const candidates = units.flatMap((unit, position) => {
    const isKept =
      unit.turn === latestTurn ||
      unit.hasOpenError ||
      unit.isStub ||
      position === units.length - 1 ||
      (sizes.unitTokens[position] ?? 0) <= STUB_TOKENS;
    return isKept ? [] : [position];
  });
  const scoreOf = (position: number): number => scores[position]?.score ?? 0;
  candidates.sort((a, b) => scoreOf(a) - scoreOf(b) || a - b);

  const stubbed: number[] = [];
  let freedTokens = 0;
  const excess = sizes.afterTokens(0) - sizes.breakdown.targetTokens;
  for (const position of candidates) {
    if (freedTokens >= excess) break;
    stubbed.push(position);
    freedTokens += (sizes.unitTokens[position] ?? 0) - STUB_TOKENS;
  }
  if (freedTokens < excess) return null;
  stubbed.sort((a, b) => a - b);
  const afterTokens = sizes.afterTokens(0) - freedTokens;
  return {
    cutSeq: 0,
    leaving: stubbed,
    stubbed,
    afterTokens,
    freedTokens,
    scores,
    fellBack: false,
  };
}
