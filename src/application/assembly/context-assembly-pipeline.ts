/**
 * The pipeline: what is known becomes what a model is shown, in ten stages.
 *
 * The skeleton, stage 10 by its place in the payload, is compressed before the room is shared, since
 * it needs nothing of the other stages and what it leaves of its reserve is theirs.
 */
import type { AssemblyPayload } from '../../domain/assembly/assembly-payload.js';
import {
  type AssemblyRequestInput,
  type AssemblySettings,
  checkRequest,
} from '../../domain/assembly/assembly-request.js';
import type { OfferedFragment } from '../../domain/assembly/assembly-fragment.js';
import { keyOf } from '../../domain/assembly/assembly-fragment.js';
import type {
  AssemblyStages,
  BudgetCompressor,
  BudgetShare,
  RankedStrategy,
  StrategyResult,
  StrategyRun,
} from '../../domain/assembly/assembly-stages.js';
import {
  nameTheRest,
  reportStrategies,
  requireWithin,
  showFragments,
  showSkeleton,
  sumTokens,
} from '../../domain/assembly/compose-payload.js';
import { tokensReserved } from '../../domain/context/compression-ratio.js';
import { addTokens, shareOfTokens, subtractTokens } from '../../domain/context/context-budget.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { Logger } from '../ports/logger.js';
import type { ContextStrategy, StrategyRequest } from './context-strategy.js';
import { measured, requireOffers } from './measure-fragments.js';
import type { PlanContextReader } from './plan-context-reader.js';
import type { StageOverrides } from './stage-overrides.js';

/** Tokens of the longest preamble, and the largest part of the available tokens that it may take. */
const LONGEST_PREAMBLE = 160;
const PREAMBLE_PART = 16;

export class ContextAssemblyPipeline {
  constructor(
    private readonly contexts: PlanContextReader,
    private readonly strategies: readonly ContextStrategy[],
    private readonly globalStages: AssemblyStages,
    private readonly overrides: StageOverrides,
    private readonly compressorFor: (name: string | symbol) => BudgetCompressor,
    private readonly settings: AssemblySettings,
    private readonly scoreRelevance: FragmentScorer,
    private readonly tokenCounter: TokenCounter,
    private readonly log: Logger,
  ) {
    checkRequest({ planId: '00000000000000000000000000' }, settings);
    requireDistinctNames(strategies);
  }

  /**
   * The payload for one plan and query. Nothing is written. The same plan, query and settings give
   * the same payload.
   *
   * @throws OssatureError INVALID_ID, INVALID_BUDGET, INVALID_RATIO, INVALID_INPUT, INVALID_CONFIG,
   * NOT_FOUND, before any stage runs; STAGE_BREACH where a part of the host's breaks its budget.
   */
  async assemble(input: AssemblyRequestInput): Promise<AssemblyPayload> {
    const checked = checkRequest(input, this.settings);
    const { budget, hasPreamble, weights } = checked;
    const compressor = this.compressorFor(checked.compressor);
    const plan = await this.contexts.read(checked.planId);
    const query = checked.query ?? plan.goal;
    const stages = this.overrides.over(this.globalStages, plan);
    const { scoreRelevance } = this;
    const count = (text: string): number => this.tokenCounter.count(text);

    const inherited = plan.fragments
      .filter(({ planId }) => planId !== plan.planId)
      .map((fragment) => measured(fragment, this.tokenCounter));
    const skeletonBudget = tokensReserved(budget.availableTokens, checked.skeletonRatio);
    const kept = stages.skeletonCompressor(inherited, skeletonBudget, compressor);
    const skeleton = showSkeleton(kept, inherited, count);
    const skeletonTokens = requireWithin('skeletonCompressor', sumTokens(skeleton), skeletonBudget);

    const afterSkeleton = subtractTokens(budget.availableTokens, skeletonTokens);
    const preambleBudget = hasPreamble ? preambleRoom(budget.availableTokens, afterSkeleton) : 0;
    const roomTokens = subtractTokens(afterSkeleton, preambleBudget);
    const inSkeleton = new Set(skeleton.map(keyOf));
    const rated = this.contexts.rate(plan.fragments, query);
    const context = rated.filter((fragment) => !inSkeleton.has(keyOf(fragment)));
    const { projectId, lineage } = plan;
    const request: StrategyRequest = { ...checked, query, projectId, lineage, context };

    const ranked = stages.strategySelector(this.strategies, request, checked.preferredStrategies);
    const shares = stages.budgetAllocator(ranked, roomTokens, checked.strategyCap);
    requireWithin('budgetAllocator', sumOf(shares), roomTokens);
    const runs = this.runsOf(shares, roomTokens, request);
    const results = await stages.strategyExecutor(runs, checked.strategyTimeoutMs);
    const offered = offersOf(results, ranked);
    const distinct = stages.fragmentDeduplicator(offered, kept);
    const deepest = stages.detailDepthResolver(distinct.kept);
    const scored = stages.fragmentScorer(deepest.kept, { query, weights, scoreRelevance });
    const packing = stages.budgetPacker(scored, { roomTokens, shares }, count);
    const fragments = showFragments(stages.fragmentOrderer(packing.packed), count);
    const fragmentTokens = requireWithin('budgetPacker', sumTokens(fragments), roomTokens);

    const strategies = reportStrategies(ranked, shares, results, fragments, roomTokens);
    const named = [...distinct.excluded, ...deepest.excluded, ...packing.excluded];
    const excluded = [...nameTheRest(named, fragments, offered, context), ...plan.superseded];
    const provenance = { query, strategies, shown: fragments, skeleton, excluded };
    const preamble = hasPreamble
      ? stages.preambleGenerator(provenance, { maxTokens: preambleBudget, count })
      : '';
    const preambleTokens = requireWithin('preambleGenerator', count(preamble), preambleBudget);
    const totalTokens = addTokens(fragmentTokens, skeletonTokens, preambleTokens);
    const payload: AssemblyPayload = {
      planId: plan.planId,
      query,
      fragments,
      skeletonFragments: skeleton,
      preamble,
      totalTokens,
      budgetUsed: totalTokens / budget.availableTokens,
      budget: {
        ...budget,
        skeletonBudget,
        skeletonTokens,
        preambleTokens,
        roomTokens,
        fragmentTokens,
      },
      strategies,
      excluded,
    };
    this.report(payload);
    return payload;
  }

  private runsOf(
    shares: readonly BudgetShare[],
    roomTokens: number,
    request: StrategyRequest,
  ): readonly StrategyRun[] {
    const byName = new Map(this.strategies.map((strategy) => [strategy.name, strategy]));
    return shares
      .filter(({ budgetTokens }) => budgetTokens > 0)
      .flatMap(({ name, budgetTokens }) => {
        const strategy = byName.get(name);
        if (strategy === undefined) return [];
        const run = async (signal: AbortSignal) => {
          const offers = await strategy.assemble(request, { budgetTokens, roomTokens, signal });
          return requireOffers(offers, request.lineage).map((offer) =>
            measured(offer, this.tokenCounter),
          );
        };
        return [{ name, run }];
      });
  }

  private report({ planId, totalTokens, budgetUsed, strategies, ...payload }: AssemblyPayload) {
    this.log.info('context.assembled', {
      planId,
      totalTokens,
      budgetUsed,
      fragments: payload.fragments.length,
      skeletonFragments: payload.skeletonFragments.length,
      excluded: payload.excluded.length,
    });
    for (const { name, failure } of strategies) {
      if (failure !== null)
        this.log.warn('strategy.failed', { planId, name, reason: failure.reason });
    }
  }
}

function offersOf(
  results: readonly StrategyResult[],
  ranked: readonly RankedStrategy[],
): readonly OfferedFragment[] {
  const qualityOf = new Map(ranked.map(({ name, quality }) => [name, quality]));
  return results.flatMap((result) => {
    if (result.outcome === 'failed') return [];
    const quality = qualityOf.get(result.name) ?? 0;
    return result.fragments.map((fragment) => ({ fragment, strategy: result.name, quality }));
  });
}

function preambleRoom(availableTokens: number, leftTokens: number): number {
  return Math.min(LONGEST_PREAMBLE, shareOfTokens(availableTokens, 1, PREAMBLE_PART), leftTokens);
}

function sumOf(shares: readonly BudgetShare[]): number {
  return shares.reduce((sum, { budgetTokens }) => addTokens(sum, budgetTokens), 0);
}

function requireDistinctNames(strategies: readonly ContextStrategy[]): void {
  const names = new Set<string>();
  for (const { name, quality } of strategies) {
    const isSound = typeof name === 'string' && name !== '' && quality >= 0 && quality <= 1;
    if (isSound && !names.has(name)) {
      names.add(name);
      continue;
    }
    throw new OssatureError(
      'INVALID_CONFIG',
      `A strategy needs a name of its own and a quality in [0, 1]; ${JSON.stringify(name)} has not.`,
      { details: { strategy: name } },
    );
  }
}
