/**
 * What a pass would do, before any model is asked: due or not, possible or not, and which span
 * leaves. Pure: the same state and settings give the same plan.
 */
import { type ChosenSpan, chooseSpan } from './choose-span.js';
import type { BudgetBreakdown } from './floor.js';
import { isOversized, measurePass, type PassSizes } from './measure.js';
import { MAX_FAILURES, type PassState } from './pass-state.js';
import type { PassSettings } from './settings.js';
import type { TriggerName } from './trigger-names.js';
import { firingTrigger, type TriggerAnswer } from './triggers.js';

interface Planned {
  /** Entries to be shown as previews from now on, whatever the outcome is. */
  readonly oversized: readonly number[];
  readonly usedTokens: number;
  readonly breakdown: BudgetBreakdown;
  readonly triggers: readonly TriggerAnswer[];
}

export type PassVerdict = Planned &
  (
    | {
        readonly outcome: 'not_due';
        readonly reason: 'no-trigger' | 'suspended' | 'no-new-entry' | 'hysteresis';
      }
    | { readonly outcome: 'stopped'; readonly reason: 'floor-over-budget' }
    | {
        readonly outcome: 'unchanged';
        readonly reason: 'empty-span' | 'frees-too-little' | 'known-fingerprint';
      }
    | ({ readonly outcome: 'pass' } & PassPlan)
  );

export interface PassPlan {
  readonly trigger: TriggerName | 'manual';
  readonly span: PlannedSpan;
  /** The prompt that must be placed again before the tail, or null. */
  readonly promptAgainSeq: number | null;
  /** What the request may have afterwards, and what the summary may make it at most. */
  readonly targetTokens: number;
  readonly afterTokens: number;
  readonly minFreedTokens: number;
  /** Cached tokens that the pass makes worthless: all behind the frame, for the summary comes first. */
  readonly invalidatedTokens: number;
}

export interface PlannedSpan {
  /** Last `seq` that leaves at the cut; 0: the cut stays. */
  readonly cutSeq: number;
  /** Units that leave and are summarized, oldest first. */
  readonly unitIds: readonly string[];
  /** Entries of these units as ranges of `seq`, both ends included. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  /** Units that leave a stub in their place, with the `seq` of its handle. */
  readonly stubs: readonly { readonly unitId: string; readonly seq: number }[];
  readonly tokens: number;
  readonly fellBack: boolean;
}

/** @param sizes of the state, where they are known already. */
export function planPass(
  state: PassState,
  settings: PassSettings,
  sizes: PassSizes = measurePass(state, settings),
): PassVerdict {
  const { usedTokens, breakdown, minFreedTokens } = sizes;
  const { fired, answers } = firingTrigger(settings.triggers, sizes, settings);
  const planned: Planned = {
    oversized: oversizedSeqs(state, settings),
    usedTokens,
    breakdown,
    triggers: answers,
  };
  const isManual = state.guard.start === 'manual';
  if (!isManual) {
    const reason = fired === null ? 'no-trigger' : heldBack(state, settings);
    if (reason !== null) return { ...planned, outcome: 'not_due', reason };
    if (state.guard.isKnownFingerprint) {
      return { ...planned, outcome: 'unchanged', reason: 'known-fingerprint' };
    }
  }
  if (breakdown.targetTokens >= breakdown.fillTokens) {
    return { ...planned, outcome: 'stopped', reason: 'floor-over-budget' };
  }

  const trigger = fired ?? settings.triggers[0]?.[0] ?? 'sliding_window';
  const span = chooseSpan(trigger, state, sizes, settings);
  if (span.leaving.length === 0) {
    return { ...planned, outcome: 'unchanged', reason: 'empty-span' };
  }
  if (span.freedTokens < minFreedTokens) {
    return { ...planned, outcome: 'unchanged', reason: 'frees-too-little' };
  }
  return {
    ...planned,
    outcome: 'pass',
    trigger: isManual ? 'manual' : trigger,
    ...describeSpan(state, sizes, span),
  };
}

/** The span of a pass, in the words of its record. */
export function describeSpan(
  { units, latestPrompt }: PassState,
  sizes: PassSizes,
  span: ChosenSpan,
): Omit<PassPlan, 'trigger'> {
  const [unitIds, seqs]: [string[], number[]] = [[], []];
  for (const position of span.leaving) {
    const unit = units[position];
    if (unit === undefined) continue;
    unitIds.push(unit.unitId);
    for (const { seq } of unit.entries) seqs.push(seq);
  }
  const isPromptLeaving =
    latestPrompt !== null && span.stubbed.length === 0 && latestPrompt.seq <= span.cutSeq;
  const isPromptGone =
    latestPrompt !== null &&
    !units.some(
      ({ firstSeq, lastSeq, entries }) =>
        firstSeq <= latestPrompt.seq &&
        latestPrompt.seq <= lastSeq &&
        entries.some(({ seq }) => seq === latestPrompt.seq),
    );
  return {
    span: {
      cutSeq: span.cutSeq,
      unitIds,
      ranges: toRanges(seqs),
      stubs: span.stubbed.flatMap((position) => {
        const unit = units[position];
        return unit === undefined ? [] : [{ unitId: unit.unitId, seq: unit.firstSeq }];
      }),
      tokens: span.leaving.reduce((sum, position) => sum + (sizes.unitTokens[position] ?? 0), 0),
      fellBack: span.fellBack,
    },
    promptAgainSeq: isPromptLeaving || isPromptGone ? latestPrompt.seq : null,
    targetTokens: sizes.breakdown.targetTokens,
    afterTokens: span.afterTokens,
    minFreedTokens: sizes.minFreedTokens,
    invalidatedTokens: sizes.usedTokens - sizes.breakdown.systemTokens - sizes.breakdown.toolTokens,
  };
}

/** Why an automatic pass waits though a trigger fired, or null. */
function heldBack(
  { guard: { failures, sinceLastPass } }: PassState,
  { hysteresisTokens }: PassSettings,
): 'suspended' | 'no-new-entry' | 'hysteresis' | null {
  if (failures >= MAX_FAILURES) return 'suspended';
  if (sinceLastPass === null) return null;
  if (sinceLastPass.entries === 0) return 'no-new-entry';
  return sinceLastPass.growthTokens < hysteresisTokens ? 'hysteresis' : null;
}

/** Texts that are to be previewed and are not yet. */
export function oversizedSeqs(
  state: Omit<PassState, 'guard'>,
  settings: PassSettings,
): readonly number[] {
  const seqs: number[] = [];
  for (const { entries } of state.units) {
    for (const entry of entries) {
      if (entry.tokenCount > settings.oversizeTokens && isOversized(entry, state, settings)) {
        seqs.push(entry.seq);
      }
    }
  }
  return seqs;
}

function toRanges(
  seqs: readonly number[],
): readonly { readonly from: number; readonly to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const seq of [...seqs].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && seq === last.to + 1) last.to = seq;
    else ranges.push({ from: seq, to: seq });
  }
  return ranges;
}
