/** What every strategy contributed, and every fragment that is not in, with its reason. */
import type { FragmentReference } from '../context/accumulated-context.js';
import { ReferenceSet } from '../context/reference-set.js';
import {
  type AssembledFragment,
  type AssemblyFragment,
  type ExcludedFragment,
  excluded,
  keyOf,
  type LeftOutFragment,
  type OfferedFragment,
} from './assembly-fragment.js';
import type { StrategyReport } from './assembly-payload.js';
import type {
  BudgetShare,
  RankedStrategy,
  StrategyFailure,
  StrategyResult,
} from './assembly-stages.js';
import { sumTokens } from './text-tokens.js';

const NO_ROOM: StrategyFailure = {
  reason: 'no-room',
  message: 'No tokens fell to it, so it was not asked what it has. Raise the budget to see it.',
};

/** The offers of all strategies that gave something, in the order in which they are served. */
export function offersOf(
  results: readonly StrategyResult[],
  ranked: readonly RankedStrategy[],
): readonly OfferedFragment[] {
  const qualityOf = new Map(ranked.map(({ name, quality }) => [name, quality]));
  return results.flatMap((result) => {
    if (result.outcome === 'failed') return [];
    const { name: strategy, fragments } = result;
    const quality = qualityOf.get(strategy) ?? 0;
    return fragments.map((fragment) => ({ fragment, strategy, quality }));
  });
}

export function reportStrategies(
  ranked: readonly RankedStrategy[],
  shares: readonly BudgetShare[],
  results: readonly StrategyResult[],
  shown: readonly AssembledFragment[],
  roomTokens: number,
): readonly StrategyReport[] {
  const shareOf = new Map(shares.map(({ name, budgetTokens }) => [name, budgetTokens]));
  const resultOf = new Map(results.map((result) => [result.name, result]));
  return ranked.map(({ name, confidence, failure }) => {
    const result = resultOf.get(name);
    const budgetTokens = shareOf.get(name) ?? 0;
    const given = shown.filter(({ strategy }) => strategy === name);
    return {
      name,
      confidence,
      share: budgetTokens === 0 ? 0 : budgetTokens / roomTokens,
      budgetTokens,
      offered: result?.outcome === 'gave' ? result.fragments.length : 0,
      fragments: given.length,
      tokens: sumTokens(given),
      failure:
        result?.outcome === 'failed'
          ? result.failure
          : (failure ?? (confidence > 0 && budgetTokens === 0 ? NO_ROOM : null)),
    };
  });
}

/**
 * Tokens that were free for what nobody offered. Where every strategy failed or declined, size kept
 * nothing out.
 */
export function freeForOthers(
  ranked: readonly RankedStrategy[],
  results: readonly StrategyResult[],
  leftTokens: number,
): number {
  const isWithout =
    results.length === 0
      ? ranked.every(({ confidence }) => confidence === 0)
      : results.every(({ outcome }) => outcome === 'failed');
  return isWithout ? Infinity : leftTokens;
}

/** What the strategies whose results count hold back. */
export function heldBack(
  results: readonly StrategyResult[],
  leftOut: ReadonlyMap<string, readonly LeftOutFragment[]>,
): readonly ExcludedFragment[] {
  return results.flatMap(({ name, outcome }) =>
    outcome === 'failed'
      ? []
      : (leftOut.get(name) ?? []).map(({ reason = 'over-budget', ...one }): ExcludedFragment => ({
          ...one,
          reason,
          strategy: name,
        })),
  );
}

/**
 * Adds to what the stages excluded whatever is neither in nor named: offers that a stage of the
 * host's lost, what strategies held back, and fragments of the plan that no strategy offered.
 *
 * @param freeTokens what is left of the room: what would fit there is out for another reason.
 */
export function nameTheRest(
  named: readonly ExcludedFragment[],
  shown: readonly AssembledFragment[],
  from: {
    readonly offered: readonly OfferedFragment[];
    readonly held: readonly ExcludedFragment[];
    readonly context: readonly AssemblyFragment[];
  },
  freeTokens: number,
): readonly ExcludedFragment[] {
  const isShown = new ReferenceSet(shown);
  const held = from.held.filter((one) => !isShown.has(one));
  const isKnown = new ReferenceSet([...from.offered.map(({ fragment }) => fragment), ...held]);
  const unoffered = from.context.filter((fragment) => !isKnown.has(fragment));
  return [
    ...named,
    ...lostOffers(from.offered, [...shown, ...named]).map((one) => excluded(one, 'unexplained')),
    ...held,
    ...unoffered.map(({ planId, fragmentId, tokenCount }): ExcludedFragment => ({
      planId,
      fragmentId,
      tokenCount,
      reason: tokenCount <= freeTokens ? 'not-offered' : 'over-budget',
      strategy: null,
    })),
  ];
}

/** A fragment may be offered several times, and then is accounted for as often. */
function lostOffers(
  offered: readonly OfferedFragment[],
  accounted: readonly (AssembledFragment | ExcludedFragment)[],
): readonly OfferedFragment[] {
  const times = new Map<string, number>();
  for (const one of accounted) {
    const offer = offerKey(one, one.strategy);
    times.set(offer, (times.get(offer) ?? 0) + 1);
  }
  return offered.filter(({ fragment, strategy }) => {
    const offer = offerKey(fragment, strategy);
    const left = times.get(offer) ?? 0;
    times.set(offer, left - 1);
    return left <= 0;
  });
}

function offerKey(fragment: FragmentReference, strategy: string | null): string {
  return `${strategy} ${keyOf(fragment)}`;
}
