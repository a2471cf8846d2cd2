/**
 * The promises of an assembly, checked whoever wrote the stages: no budget is exceeded, and nothing
 * is shown that was not given. What a stage says of sizes is believed only where it kept the text.
 */
import { addTokens } from '../context/context-budget.js';
import { OssatureError } from '../kernel/errors.js';
import type { TokenCounter } from '../kernel/measures.js';
import {
  type AssembledFragment,
  type AssemblyFragment,
  keyOf,
  type PackedFragment,
  type ShownFragment,
  shownWhole,
} from './assembly-fragment.js';
import type { AssemblyStages, BudgetShare } from './assembly-stages.js';

type StageName = keyof AssemblyStages;

export function sumTokens(fragments: readonly { readonly tokenCount: number }[]): number {
  return fragments.reduce((sum, { tokenCount }) => addTokens(sum, tokenCount), 0);
}

/**
 * The tokens that a stage gave.
 *
 * @throws OssatureError STAGE_BREACH where they exceed its budget.
 */
export function requireWithin(stage: StageName, tokens: number, budgetTokens: number): number {
  if (tokens <= budgetTokens) return tokens;
  const broken = `gave ${tokens} tokens where ${budgetTokens} were allowed`;
  throw breach(stage, broken, { tokens, budgetTokens });
}

/** @throws OssatureError STAGE_BREACH unless the shares are tokens and sum to at most the room. */
export function requireShares(
  shares: readonly BudgetShare[],
  roomTokens: number,
): readonly BudgetShare[] {
  const tokens = shares.reduce((sum, { budgetTokens }) => addTokens(sum, budgetTokens), 0);
  requireWithin('budgetAllocator', tokens, roomTokens);
  return shares;
}

/** The skeleton as it is shown, checked against what the compressor was given. */
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
      const { fragmentId } = fragment;
      const broken = 'gave a fragment twice, or one that it was not given';
      throw breach('skeletonCompressor', broken, { fragmentId });
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

/** The packed fragments as they are shown. */
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

function breach(stage: StageName, broken: string, details: object): OssatureError {
  return new OssatureError('STAGE_BREACH', `The stage ${stage} ${broken}. Nothing was assembled.`, {
    details: { stage, ...details },
  });
}
