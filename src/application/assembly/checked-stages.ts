/**
 * The ten stages as the pipeline calls them: each is called, guarded, and its answer taken for what it
 * was given, with the tokens that were measured. Whoever wrote a stage, what comes out of here holds.
 */
import type { AssemblyStages, StrategyResult } from '../../domain/assembly/assembly-stages.js';
import {
  type KeptInherited,
  requireRanked,
  requireResults,
  requireShares,
  requireSkeleton,
  requireWithin,
} from '../../domain/assembly/check-stages.js';
import { requireText } from '../../domain/assembly/stage-breach.js';
import {
  takeMerge,
  takeOrdered,
  takePacking,
  takeScored,
} from '../../domain/assembly/take-back.js';
import { sumTokens } from '../../domain/assembly/text-tokens.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { answeringNow, guardStages } from './guard-stages.js';
import type { StrategyRuns } from './strategy-runs.js';

type SkeletonArguments = Parameters<AssemblyStages['skeletonCompressor']>;

/** As `AssemblyStages`, but for what the executor's and the compressor's answers are compared with. */
export interface CheckedStages extends Omit<
  AssemblyStages,
  'strategyExecutor' | 'skeletonCompressor'
> {
  strategyExecutor(runs: StrategyRuns, timeoutMs: number): Promise<readonly StrategyResult[]>;
  skeletonCompressor(...given: SkeletonArguments): readonly KeptInherited[];
}

/** Each call throws an OssatureError STAGE_BREACH naming the stage where it breaks its contract. */
export function checkedStages(stages: AssemblyStages, count: TokenCounter['count']): CheckedStages {
  const call = answeringNow(stages);
  return guardStages<CheckedStages>({
    strategySelector: (strategies, request, preferred) => {
      const names = new Set([...namesOf(strategies), ...preferred]);
      return requireRanked(call.strategySelector([...strategies], request, preferred), names);
    },
    budgetAllocator: (ranked, roomTokens, strategyCap) => {
      const shares = call.budgetAllocator(ranked, roomTokens, strategyCap);
      return requireShares(shares, namesOf(ranked), roomTokens);
    },
    strategyExecutor: async (runs, timeoutMs) => {
      const results = await call.strategyExecutor(runs.all, timeoutMs);
      return requireResults(results, namesOf(runs.all), runs.given);
    },
    fragmentDeduplicator: (offered, alreadyIn) =>
      takeMerge('fragmentDeduplicator', offered, call.fragmentDeduplicator(offered, alreadyIn)),
    detailDepthResolver: (offered) =>
      takeMerge('detailDepthResolver', offered, call.detailDepthResolver(offered)),
    fragmentScorer: (offered, by) => takeScored(offered, call.fragmentScorer(offered, by)),
    budgetPacker: (ranked, room) => {
      const packing = takePacking(ranked, call.budgetPacker(ranked, room, count), count);
      const tokens = sumTokens(packing.packed.map(({ shown }) => shown));
      requireWithin('budgetPacker', tokens, room.roomTokens);
      return packing;
    },
    fragmentOrderer: (packed) => takeOrdered(packed, call.fragmentOrderer(packed)),
    preambleGenerator: (provenance, limit) => {
      const preamble = call.preambleGenerator(provenance, limit);
      const text = requireText('preambleGenerator', preamble);
      requireWithin('preambleGenerator', count(text), limit.maxTokens);
      return text;
    },
    skeletonCompressor: (inherited, budgetTokens, compressor) => {
      const compressed = call.skeletonCompressor(inherited, budgetTokens, compressor);
      const kept = requireSkeleton(compressed, inherited, count);
      const tokens = sumTokens(kept.map(({ shown }) => shown));
      requireWithin('skeletonCompressor', tokens, budgetTokens);
      return kept;
    },
  });
}

function namesOf(named: readonly { readonly name: string }[]): readonly string[] {
  return named.map(({ name }) => name);
}
