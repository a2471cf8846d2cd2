/**
 * The way out of an overflow, one step at a time: previews, a pass without a model down to the drain
 * line, the tail halved at legal cuts, and at last a typed stop. Each step makes the session smaller
 * or is taken once, so the ladder ends for a session of any size.
 */
import { cutAt } from './choose-span.js';
import type { BudgetBreakdown } from './floor.js';
import { measurePass } from './measure.js';
import type { PassState } from './pass-state.js';
import { describeSpan, oversizedSeqs, type PassPlan } from './plan-pass.js';
import type { PassSettings } from './settings.js';

/** What was done since the provider reported the overflow. */
export interface OverflowProgress {
  /** The offline pass was taken. */
  readonly hasPassed: boolean;
  /**
   * The smallest request, in calibrated tokens, that the provider refused since the last entry; null
   * where only our own count says that it is too large.
   */
  readonly refusedTokens: number | null;
}

export type OverflowStep =
  | { readonly step: 'fits'; readonly usedTokens: number }
  | { readonly step: 'preview'; readonly seqs: readonly number[] }
  | ({ readonly step: 'offline-pass' | 'halve-tail' } & Omit<PassPlan, 'trigger'>)
  | {
      readonly step: 'stop';
      readonly reason: 'floor-over-budget';
      readonly usedTokens: number;
      readonly breakdown: BudgetBreakdown;
    };

/** A refused request is to become smaller by at least a tenth, whatever our count says of it. */
const AFTER_REFUSAL = 0.9;

export function nextOverflowStep(
  state: PassState,
  settings: PassSettings,
  { hasPassed, refusedTokens }: OverflowProgress,
): OverflowStep {
  const seqs = oversizedSeqs(state, settings);
  if (seqs.length > 0) return { step: 'preview', seqs };

  const sizes = measurePass(state, settings);
  const { usedTokens, breakdown, cuts, afterTokens, tailTokens } = sizes;
  const limit = Math.min(
    settings.usableTokens,
    refusedTokens === null ? Number.POSITIVE_INFINITY : Math.floor(refusedTokens * AFTER_REFUSAL),
  );
  if (usedTokens <= limit) return { step: 'fits', usedTokens };

  if (!hasPassed) {
    const toDrain = cuts.find(({ unitCount }) => afterTokens(unitCount) <= breakdown.targetTokens);
    const span = cutAt(state, sizes, toDrain);
    if (span.cutSeq > 0) return { step: 'offline-pass', ...describeSpan(state, sizes, span) };
  }
  const halved = cuts.find(
    ({ unitCount }) => unitCount > 0 && tailTokens(unitCount) <= tailTokens(0) / 2,
  );
  const span = cutAt(state, sizes, halved);
  if (span.cutSeq > 0) return { step: 'halve-tail', ...describeSpan(state, sizes, span) };
  return { step: 'stop', reason: 'floor-over-budget', usedTokens, breakdown };
}
