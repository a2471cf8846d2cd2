/**
 * The end of an assembly: what the stages gave becomes the payload, after a check that the promises
 * hold whoever wrote the stages: no budget is exceeded, and whatever is not in is named.
 */
import type { FragmentReference } from '../context/accumulated-context.js';
import { addTokens } from '../context/context-budget.js';
import { OssatureError } from '../kernel/errors.js';
import type { TokenCounter } from '../kernel/measures.js';
import {
  type AssembledFragment,
  type AssemblyFragment,
  type ExcludedFragment,
  excluded,
  keyOf,
  type OfferedFragment,
  type PackedFragment,
  type ShownFragment,
  shownWhole,
} from './assembly-fragment.js';
import type { StrategyReport } from './assembly-payload.js';
import type { BudgetShare, RankedStrategy, StrategyResult } from './assembly-stages.js';

/** A stage of the host's that broke its contract. */
export function stageBreach(stage: string, broken: string, details: object = {}): OssatureError {
  return new OssatureError('STAGE_BREACH', `The stage ${stage} ${broken}. Nothing was assembled.`, {
    details: { stage, ...details },
  });
}

/** @throws OssatureError STAGE_BREACH where the tokens exceed the budget. */
export function requireWithin(stage: string, tokens: number, budgetTokens: number): number {
  if (tokens <= budgetTokens) return tokens;
  throw stageBreach(stage, `gave ${tokens} tokens where ${budgetTokens} were allowed`, {
    tokens,
    budgetTokens,
  });
}

/** The skeleton as it is shown. A text that the compressor changed is counted again. */
export function showSkeleton(
  kept: readonly AssemblyFragment[],
  inherited: readonly AssemblyFragment[],
  count: TokenCounter['count'],
): readonly ShownFragment[] {
  const given = new Map(inherited.map((fragment) => [keyOf(fragment), fragment]));
  return kept.map((fragment) => {
    const whole = given.get(keyOf(fragment));
    given.delete(keyOf(fragment));
    if (whole === undefined) {
      throw stageBreach(
        'skeletonCompressor',
        'gave a fragment twice, or one that it was not given',
        {
          fragmentId: fragment.fragmentId,
        },
      );
    }
    if (fragment.content === whole.content) return shownWhole(whole);
    return {
      ...shownWhole(whole),
      content: fragment.content,
      tokenCount: count(fragment.content),
      reduced: { depth: null, fullTokenCount: whole.tokenCount },
    };
  });
}

/** The packed fragments as they are shown, with sizes that no stage can understate. */
export function showFragments(
  packed: readonly PackedFragment[],
  count: TokenCounter['count'],
): readonly AssembledFragment[] {
  return packed.map(({ fragment, shown, strategy, score }) => ({
    ...shown,
    tokenCount: shown.content === fragment.content ? fragment.tokenCount : count(shown.content),
    strategy,
    score,
  }));
}

export function sumTokens(fragments: readonly { readonly tokenCount: number }[]): number {
  return fragments.reduce((sum, { tokenCount }) => addTokens(sum, tokenCount), 0);
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
      failure: result?.outcome === 'failed' ? result.failure : failure,
    };
  });
}

/**
 * Adds to what the stages excluded whatever is neither in nor named: offers that a stage of the
 * host's lost, and fragments of the plan that no strategy had room for.
 */
export function nameTheRest(
  named: readonly ExcludedFragment[],
  shown: readonly AssembledFragment[],
  offered: readonly OfferedFragment[],
  context: readonly AssemblyFragment[],
): readonly ExcludedFragment[] {
  const accounted = new Map<string, number>();
  for (const one of [...shown, ...named]) {
    const offer = offerKey(one, one.strategy);
    accounted.set(offer, (accounted.get(offer) ?? 0) + 1);
  }
  const lost = offered.filter(({ fragment, strategy }) => {
    const offer = offerKey(fragment, strategy);
    const left = accounted.get(offer) ?? 0;
    accounted.set(offer, left - 1);
    return left <= 0;
  });
  const offeredKeys = new Set(offered.map(({ fragment }) => keyOf(fragment)));
  const unoffered = context.filter((fragment) => !offeredKeys.has(keyOf(fragment)));
  return [
    ...named,
    ...lost.map((offer) => excluded(offer, 'unexplained')),
    ...unoffered.map(({ planId, fragmentId, tokenCount }): ExcludedFragment => ({
      planId,
      fragmentId,
      tokenCount,
      reason: 'over-budget',
      strategy: null,
    })),
  ];
}

function offerKey(fragment: FragmentReference, strategy: string | null): string {
  return `${strategy} ${keyOf(fragment)}`;
}
