/** Sizes of a session before a pass, all in the provider's tokens. */
import { calibrated } from './calibration.js';
import { type BudgetBreakdown, floorParts, floorTokens } from './floor.js';
import { type UnitCut, unitCuts } from './legal-cuts.js';
import type { PassState } from './pass-state.js';
import type { PassSettings } from './settings.js';
import type { TriggerSizes } from './triggers.js';
import { type EntryMark, shownTokens, type UnitMark } from './unit-mark.js';

export interface PassSizes extends TriggerSizes {
  readonly breakdown: BudgetBreakdown;
  /** Tokens of each unit of the tail, as requests show it. */
  readonly unitTokens: readonly number[];
  readonly cuts: readonly UnitCut[];
  /** The tail behind so many units. */
  readonly tailTokens: (unitCount: number) => number;
  /** Turns that the tail has behind so many units. */
  readonly turnsBehind: (unitCount: number) => number;
  /** Largest request after a cut: floor, the summary at its ceiling, and the tail. */
  readonly afterTokens: (unitCount: number) => number;
}

/** Least that a pass must free where the setting says nothing: 500 tokens, or a tenth of what is used. */
const MIN_FREED_TOKENS = 500;
const MIN_FREED_SHARE = 0.1;

/** Tokens of the request as it is. */
export function usedTokens(state: Omit<PassState, 'guard'>, settings: PassSettings): number {
  const { parts, factor, promptAgainTokens, units } = state;
  const { systemTokens, toolTokens, pinTokens, summaryTokens } = parts;
  let used = 0;
  for (const tokens of [systemTokens, toolTokens, pinTokens, summaryTokens, promptAgainTokens]) {
    used += calibrated(tokens, factor);
  }
  for (const unit of units) used += calibrated(shownAtMost(unit, state, settings), factor);
  return used;
}

export function measurePass(state: Omit<PassState, 'guard'>, settings: PassSettings): PassSizes {
  const { units, parts, factor, latestPrompt } = state;
  const unitTokens = units.map((unit) => calibrated(shownAtMost(unit, state, settings), factor));
  const tails = suffixSums(unitTokens);
  const turns = turnsFrom(units);
  const tailTokens = (unitCount: number): number => tails[unitCount] ?? 0;
  const turnsBehind = (unitCount: number): number => turns[unitCount] ?? 0;

  const floor = floorParts(parts, latestPrompt?.tokens ?? 0, factor);
  const promptUnit = units.findLastIndex(
    ({ firstSeq, lastSeq }) =>
      latestPrompt !== null && latestPrompt.seq >= firstSeq && latestPrompt.seq <= lastSeq,
  );
  // A prompt that is in the tail is not sent a second time.
  const promptInTail = (unitCount: number): number =>
    promptUnit >= unitCount && promptUnit !== -1 ? floor.latestPromptTokens : 0;
  const summaryTokens = calibrated(settings.summaryTokens, factor);
  const fixed = floorTokens(floor) + summaryTokens;
  const afterTokens = (unitCount: number): number =>
    fixed + tailTokens(unitCount) - promptInTail(unitCount);

  const used = usedTokens({ ...state, units: [] }, settings) + tailTokens(0);
  const cuts = unitCuts(units);
  const lastCut = cuts.at(-1)?.unitCount ?? 0;
  const minFreedTokens =
    settings.minFreedTokens ?? Math.max(MIN_FREED_TOKENS, Math.ceil(used * MIN_FREED_SHARE));
  return {
    usedTokens: used,
    tailTurns: turnsBehind(0),
    slidingTokens: slidingTokens(cuts, tailTokens, turnsBehind, settings),
    minFreedTokens,
    hasEndedTask: state.taskEndSeq !== null,
    breakdown: {
      ...floor,
      floorTokens: floorTokens(floor),
      summaryTokens,
      lastUnitTokens: tailTokens(lastCut),
      targetTokens: Math.max(settings.drainTokens, afterTokens(lastCut)),
      fillTokens: settings.fillTokens,
      usableTokens: settings.usableTokens,
    },
    unitTokens,
    cuts,
    tailTokens,
    turnsBehind,
    afterTokens,
  };
}

/** Texts above the limit will be previewed before anything else, so they count as their previews. */
function shownAtMost(
  unit: UnitMark,
  state: Pick<PassState, 'latestPrompt'>,
  settings: PassSettings,
): number {
  let tokens = shownTokens(unit);
  for (const entry of unit.entries) {
    const { tokenCount } = entry;
    if (tokenCount <= settings.oversizeTokens || !isOversized(entry, state, settings)) continue;
    tokens += Math.min(tokenCount, settings.previewCharacters) - tokenCount;
  }
  return tokens;
}

/** The latest human prompt is never previewed: it has to go out word for word. Media are priced, not shown. */
export function isOversized(
  { seq, tokenCount, previewTokens, kind }: EntryMark,
  { latestPrompt }: Pick<PassState, 'latestPrompt'>,
  { oversizeTokens }: PassSettings,
): boolean {
  if (kind === 'attachment' || previewTokens !== undefined) return false;
  return tokenCount > oversizeTokens && seq !== latestPrompt?.seq;
}

function slidingTokens(
  cuts: readonly UnitCut[],
  tailTokens: (unitCount: number) => number,
  turnsBehind: (unitCount: number) => number,
  { keepTurns }: PassSettings,
): number {
  const cut = cuts.find(({ unitCount }) => turnsBehind(unitCount) <= keepTurns);
  return tailTokens(0) - tailTokens((cut ?? cuts.at(-1))?.unitCount ?? 0);
}

/** Element n is the sum of all values from n on. */
function suffixSums(values: readonly number[]): ArrayLike<number> {
  const sums = new Float64Array(values.length);
  let sum = 0;
  for (let index = values.length - 1; index >= 0; index -= 1) {
    sum += values[index] ?? 0;
    sums[index] = sum;
  }
  return sums;
}

function turnsFrom(units: readonly UnitMark[]): ArrayLike<number> {
  const seen = new Set<number>();
  const counts = new Uint32Array(units.length);
  let turn: number | undefined;
  for (let index = units.length - 1; index >= 0; index -= 1) {
    const unit = units[index];
    if (unit !== undefined && unit.turn !== turn) {
      turn = unit.turn;
      seen.add(turn);
    }
    counts[index] = seen.size;
  }
  return counts;
}
