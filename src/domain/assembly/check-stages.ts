/**
 * The promises of an assembly, checked whoever wrote the stages: no budget is exceeded, and nothing
 * is shown that was not given.
 */
import { addTokens } from '../context/context-budget.js';
import type { TokenCounter } from '../kernel/measures.js';
import { type AssemblyFragment, keyOf, type ShownFragment } from './assembly-fragment.js';
import type {
  BudgetShare,
  FailureReason,
  RankedStrategy,
  StrategyFailure,
  StrategyResult,
} from './assembly-stages.js';
import { frozen } from './frozen.js';
import {
  requireList,
  requireRecord,
  requireShare,
  requireText,
  type StageName,
  stageBreach,
} from './stage-breach.js';
import { takeBack, takeShown } from './take-back.js';

/** @throws OssatureError STAGE_BREACH where the tokens that a stage gave exceed its budget. */
export function requireWithin(stage: StageName, tokens: number, budgetTokens: number): void {
  if (tokens <= budgetTokens) return;
  const broken = `gave ${tokens} tokens where ${budgetTokens} were allowed`;
  throw stageBreach(stage, broken, { tokens, budgetTokens });
}

/**
 * The strategies that a selector ranked.
 *
 * @param names of the strategies that there are or that were preferred.
 * @throws OssatureError STAGE_BREACH where one is unsound, unknown or ranked twice.
 */
export function requireRanked(answer: unknown, names: Iterable<string>): readonly RankedStrategy[] {
  const stage = 'strategySelector';
  const take = takingNames(stage, names);
  const ranked = requireList(stage, answer).map((entry): RankedStrategy => {
    const one = requireRecord(stage, entry);
    return {
      name: take(one['name']),
      quality: requireShare(stage, one['quality']),
      confidence: requireShare(stage, one['confidence']),
      isPreferred: one['isPreferred'] === true,
      failure: (one['failure'] ?? null) === null ? null : requireFailure(stage, one['failure']),
    };
  });
  return frozen(ranked);
}

/** @throws OssatureError STAGE_BREACH unless the shares are tokens and sum to at most the room. */
export function requireShares(
  answer: unknown,
  names: readonly string[],
  roomTokens: number,
): readonly BudgetShare[] {
  const stage = 'budgetAllocator';
  const take = takingNames(stage, names);
  const shares = requireList(stage, answer).map((entry): BudgetShare => {
    const { name, budgetTokens } = requireRecord(stage, entry);
    if (Number.isSafeInteger(budgetTokens) && Number(budgetTokens) >= 0) {
      return { name: take(name), budgetTokens: Number(budgetTokens) };
    }
    throw stageBreach(stage, 'gave a share that is no number of tokens');
  });
  const tokens = shares.reduce((sum, { budgetTokens }) => addTokens(sum, budgetTokens), 0);
  requireWithin(stage, tokens, roomTokens);
  return frozen(shares);
}

/**
 * One result of every run, with the fragments that the run gave.
 *
 * @param given by name, what the last run of each strategy gave; none where it gave nothing.
 * @throws OssatureError STAGE_BREACH where a result is unsound, missing, or of another run.
 */
export function requireResults(
  answer: unknown,
  names: readonly string[],
  given: ReadonlyMap<string, readonly AssemblyFragment[]>,
): readonly StrategyResult[] {
  const stage = 'strategyExecutor';
  const take = takingNames(stage, names);
  const results = requireList(stage, answer).map((entry): StrategyResult => {
    const result = requireRecord(stage, entry);
    const name = take(result['name']);
    if (result['outcome'] === 'failed') {
      return { name, outcome: 'failed', failure: requireFailure(stage, result['failure']) };
    }
    if (result['outcome'] !== 'gave') throw stageBreach(stage, 'gave a result without an outcome');
    const offers = (given.get(name) ?? []).map((fragment) => ({
      fragment,
      strategy: name,
      quality: 0,
    }));
    const fragments = requireList(stage, result['fragments']);
    const answered = fragments.map((fragment) => ({ fragment, strategy: name }));
    const taken = takeBack(stage, offers, answered);
    return { name, outcome: 'gave', fragments: taken.map((one) => one.given.fragment) };
  });
  if (results.length === names.length) return frozen(results);
  throw stageBreach(stage, `gave ${results.length} results of ${names.length} runs`);
}

/** The inherited fragments that the skeleton keeps, each with what is shown of it. */
export interface KeptInherited {
  readonly fragment: AssemblyFragment;
  readonly shown: ShownFragment;
}

/** @throws OssatureError STAGE_BREACH where one was not given, is there twice, or reads otherwise. */
export function requireSkeleton(
  answer: unknown,
  inherited: readonly AssemblyFragment[],
  count: TokenCounter['count'],
): readonly KeptInherited[] {
  const stage = 'skeletonCompressor';
  const given = new Map(inherited.map((fragment) => [keyOf(fragment), fragment]));
  const kept = requireList(stage, answer).map((entry): KeptInherited => {
    const { planId, fragmentId } = requireRecord(stage, entry);
    const key = keyOf({
      planId: requireText(stage, planId) as AssemblyFragment['planId'],
      fragmentId: requireText(stage, fragmentId),
    });
    const fragment = given.get(key);
    given.delete(key);
    if (fragment !== undefined) {
      return { fragment, shown: takeShown(stage, fragment, entry, count) };
    }
    const broken = 'gave a fragment twice, or one that it was not given';
    throw stageBreach(stage, broken, { fragmentId });
  });
  return frozen(kept);
}

function requireFailure(stage: StageName, value: unknown): StrategyFailure {
  const { reason, message } = requireRecord(stage, value);
  return {
    reason: requireText(stage, reason) as FailureReason,
    message: requireText(stage, message),
  };
}

/** Takes each of the names once. */
function takingNames(stage: StageName, names: Iterable<string>): (name: unknown) => string {
  const left = new Set(names);
  return (value) => {
    const name = requireText(stage, value);
    if (left.delete(name)) return name;
    throw stageBreach(stage, `named a strategy twice, or one that it was not given`, { name });
  };
}
