/** Sessions as a pass sees them, written short, and a pass carried out on them. */
import type { PassState } from '../../../../src/domain/session/pass/pass-state.js';
import type { PassPlan } from '../../../../src/domain/session/pass/plan-pass.js';
import {
  type PassSettings,
  type PassSettingsInput,
  resolveSettings,
} from '../../../../src/domain/session/pass/settings.js';
import type { UnitMark } from '../../../../src/domain/session/pass/unit-mark.js';

/** Settings of a window of 10,000 tokens without a reserve: fill line 7,500, drain line 4,000. */
export function someSettings(given: PassSettingsInput = {}): PassSettings {
  return resolveSettings(
    { windowTokens: 10_000, outputReserveTokens: 0, summaryTokens: 500, ...given },
    null,
  ).settings;
}

export function aUnit(
  seq: number,
  turn: number,
  tokens: number,
  more: Partial<UnitMark> = {},
): UnitMark {
  return {
    unitId: `u${seq}`,
    firstSeq: seq,
    lastSeq: seq,
    turn,
    entries: [{ seq, tokenCount: tokens, kind: 'user' }],
    overheadTokens: 0,
    kind: 'call',
    isHumanPrompt: false,
    isStub: false,
    references: [],
    contents: [],
    hasOpenError: false,
    ...more,
  };
}

/** A unit per size, each a turn of its own. */
export function aState(sizes: readonly number[], more: Partial<PassState> = {}): PassState {
  return {
    parts: {
      systemTokens: 100,
      toolTokens: 100,
      pinTokens: 0,
      summaryTokens: 0,
      openAskTokens: 0,
      emptySchemaTokens: 50,
    },
    units: sizes.map((tokens, index) => aUnit(index + 1, index + 1, tokens)),
    latestPrompt: null,
    promptAgainTokens: 0,
    factor: 1,
    taskEndSeq: null,
    guard: { start: 'automatic', sinceLastPass: null, failures: 0, isKnownFingerprint: false },
    ...more,
  };
}

/** The state after a pass whose summary takes `summaryTokens`. */
export function adopted(
  state: PassState,
  { span, promptAgainSeq }: Pick<PassPlan, 'span' | 'promptAgainSeq'>,
  summaryTokens: number,
): PassState {
  const stubs = new Map(span.stubs.map(({ unitId }) => [unitId, true]));
  const gone = new Set(span.unitIds);
  const units = state.units.flatMap((unit) => {
    if (unit.firstSeq <= span.cutSeq) return [];
    if (!gone.has(unit.unitId)) return [unit];
    const entries = [{ seq: unit.firstSeq, tokenCount: 30, kind: 'system' as const }];
    return stubs.has(unit.unitId) ? [{ ...unit, isStub: true, entries }] : [];
  });
  return {
    ...state,
    units,
    promptAgainTokens: promptAgainSeq === null ? 0 : (state.latestPrompt?.tokens ?? 0),
    parts: { ...state.parts, summaryTokens },
    guard: { ...state.guard, sinceLastPass: { entries: 0, growthTokens: 0 } },
  };
}

/** The state with these texts shown as previews of so many tokens. */
export function previewed(state: PassState, seqs: readonly number[], tokens: number): PassState {
  const units = state.units.map((unit) => ({
    ...unit,
    entries: unit.entries.map((entry) =>
      seqs.includes(entry.seq)
        ? { ...entry, previewTokens: Math.min(tokens, entry.tokenCount) }
        : entry,
    ),
  }));
  return { ...state, units };
}
