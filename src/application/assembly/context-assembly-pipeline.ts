/**
 * The pipeline: what is known becomes what a model is shown, in ten stages.
 *
 * The skeleton, stage 10 by its place in the payload, is compressed before the room is shared, since
 * it needs nothing of the other stages and what it leaves of its reserve is theirs.
 */
import {
  freeForOthers,
  nameTheRest,
  offersOf,
  reportStrategies,
} from '../../domain/assembly/account-for-offers.js';
import type { AssemblyFragment, ShownFragment } from '../../domain/assembly/assembly-fragment.js';
import type { AssemblyPayload } from '../../domain/assembly/assembly-payload.js';
import type {
  AssemblyRequestInput,
  AssemblySettings,
  CheckedRequest,
} from '../../domain/assembly/assembly-request.js';
import type {
  AssemblyStages,
  BudgetCompressor,
  BudgetShare,
  StrategyRun,
} from '../../domain/assembly/assembly-stages.js';
import { checkRequest } from '../../domain/assembly/check-request.js';
import {
  type KeptInherited,
  requireRanked,
  requireResults,
  requireShares,
  requireSkeleton,
  requireWithin,
  showFragments,
  sumTokens,
} from '../../domain/assembly/check-stages.js';
import { divideRoom, skeletonBudgetOf } from '../../domain/assembly/divide-budget.js';
import { frozen } from '../../domain/assembly/frozen.js';
import { SEPARATOR } from '../../domain/assembly/render-payload.js';
import { settleDepths } from '../../domain/assembly/settle-depths.js';
import { requireText } from '../../domain/assembly/stage-breach.js';
import { takeBack, takeMerge, takePacking, takeScored } from '../../domain/assembly/take-back.js';
import { addTokens, subtractTokens } from '../../domain/context/context-budget.js';
import { ReferenceSet } from '../../domain/context/reference-set.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { Logger } from '../ports/logger.js';
import type { ContextStrategy, StrategyRequest } from './context-strategy.js';
import { guardStages } from './guard-stages.js';
import { counted, measured, requireOffers } from './measure-fragments.js';
import type { PlanContext, PlanContextReader } from './plan-context-reader.js';
import type { PrepareStrategies } from './prepare-strategies.js';
import type { StageOverrides } from './stage-overrides.js';

export class ContextAssemblyPipeline {
  constructor(
    private readonly contexts: PlanContextReader,
    private readonly strategies: readonly ContextStrategy[],
    private readonly prepareStrategies: PrepareStrategies,
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
    const compressor = this.compressorFor(checked.compressor);
    const plan = await this.contexts.read(checked.planId);
    const stages = guardStages(this.overrides.over(this.globalStages, plan));
    const { scoreRelevance, count } = this;

    const inherited = this.inheritedOf(plan);
    const skeletonBudget = skeletonBudgetOf(checked);
    const jointTokens = count(SEPARATOR);
    const compress = (budgetTokens: number): readonly KeptInherited[] => {
      const compressed = stages.skeletonCompressor(inherited, budgetTokens, compressor);
      return requireSkeleton(compressed, inherited, count);
    };
    const { maxTokens } = checked.budget;
    const kept = keepWithJoints(compress, { skeletonBudget, jointTokens, maxTokens });
    const skeleton = frozen(kept.map(({ shown }) => shown));
    const skeletonTokens = sumTokens(skeleton);
    const { preambleBudget, roomTokens, joints } = divideRoom(
      checked,
      { tokens: skeletonTokens, fragments: skeleton.length },
      jointTokens,
    );
    const rated = this.contexts.rate(plan, checked.query ?? plan.goal);
    const request = this.requestOf(checked, plan, rated, skeleton);
    const { query, weights, context, preferredStrategies } = request;

    const ready = await this.prepareStrategies(this.strategies, request);
    const selected = stages.strategySelector([...ready], request, preferredStrategies);
    const names = namesOf(ready);
    const ranked = requireRanked(selected, [...new Set([...names, ...preferredStrategies])]);
    const divided = stages.budgetAllocator(ranked, roomTokens, request.strategyCap);
    const shares = requireShares(divided, namesOf(ranked), roomTokens);
    const given = new Map<string, readonly AssemblyFragment[]>();
    const runs = this.runsOf(shares, roomTokens, { ready, request, rated, given });
    const executed = await stages.strategyExecutor(runs, request.strategyTimeoutMs);
    const results = requireResults(executed, namesOf(runs), given);

    const offered = frozen(offersOf(results, ranked));
    const alreadyIn = frozen(kept.map(({ fragment, shown }) => ({ ...fragment, ...shown })));
    const distinct = takeMerge(
      'fragmentDeduplicator',
      offered,
      stages.fragmentDeduplicator(offered, alreadyIn),
    );
    const deepest = takeMerge(
      'detailDepthResolver',
      distinct.kept,
      stages.detailDepthResolver(distinct.kept),
    );
    const by = { query, weights, scoreRelevance };
    const scored = takeScored(deepest.kept, stages.fragmentScorer(deepest.kept, by));
    const room = { roomTokens, shares, smallestFragment: request.smallestFragment, joints };
    const packing = takePacking(scored, stages.budgetPacker(scored, room, count), count);
    const packedTokens = sumTokens(packing.packed.map(({ shown }) => shown));
    const owed = packing.packed.length * joints.tokens - joints.freeTokens;
    const jointsOfRoom = packing.packed.length === 0 ? 0 : Math.max(0, owed);
    requireWithin('budgetPacker', packedTokens + jointsOfRoom, roomTokens);

    const settled = settleDepths(skeleton, packing.packed);
    const inOrder = stages.fragmentOrderer(settled.packed);
    const ordered = takeBack('fragmentOrderer', settled.packed, inOrder);
    const fragments = showFragments(ordered.map((one) => one.given));
    const fragmentTokens = sumTokens(fragments);
    const strategies = frozen(reportStrategies(ranked, shares, results, fragments, roomTokens));
    const named = [
      ...distinct.excluded,
      ...deepest.excluded,
      ...packing.excluded,
      ...settled.excluded,
    ];
    const freeTokens = freeForOthers(
      ranked,
      results,
      subtractTokens(roomTokens, fragmentTokens, jointsOfRoom),
    );
    const rest = nameTheRest(named, fragments, offered, context, freeTokens);
    const excluded = frozen([...rest, ...plan.superseded]);
    const skeletonFragments = frozen(settled.skeleton);
    const provenance = {
      query,
      strategies,
      shown: fragments,
      skeleton: skeletonFragments,
      excluded,
    };
    const limit = { maxTokens: preambleBudget, count };
    const written = checked.hasPreamble ? stages.preambleGenerator(provenance, limit) : '';
    const preamble = requireText('preambleGenerator', written);
    const preambleTokens = requireWithin('preambleGenerator', count(preamble), preambleBudget);

    const shownTokens = sumTokens(skeletonFragments);
    const totalTokens = addTokens(fragmentTokens, shownTokens, preambleTokens);
    return this.reported({
      planId: plan.planId,
      query,
      fragments,
      skeletonFragments,
      preamble,
      totalTokens,
      budgetUsed: totalTokens / checked.budget.availableTokens,
      budget: {
        ...checked.budget,
        skeletonBudget,
        skeletonTokens: shownTokens,
        preambleTokens,
        roomTokens,
        fragmentTokens,
      },
      strategies,
      excluded,
    });
  }

  private readonly count: TokenCounter['count'] = (text) => this.tokenCounter.count(text);

  private inheritedOf(plan: PlanContext) {
    const inherited = this.contexts.inheritedOf(plan);
    return frozen(inherited.map((fragment) => measured(fragment, this.tokenCounter)));
  }

  /** What strategies see. What the skeleton shows whole need not be offered again. */
  private requestOf(
    checked: CheckedRequest,
    { goal, projectId, lineage }: PlanContext,
    rated: readonly AssemblyFragment[],
    skeleton: readonly ShownFragment[],
  ): StrategyRequest {
    const query = checked.query ?? goal;
    const whole = new ReferenceSet(skeleton.filter(({ reduced }) => reduced === undefined));
    const context =
      skeleton.length === 0
        ? rated
        : Object.freeze(rated.filter((fragment) => !whole.has(fragment)));
    return frozen({ ...checked, query, projectId, lineage, context });
  }

  private runsOf(
    shares: readonly BudgetShare[],
    roomTokens: number,
    by: {
      readonly ready: readonly ContextStrategy[];
      readonly request: StrategyRequest;
      readonly rated: readonly AssemblyFragment[];
      readonly given: Map<string, readonly AssemblyFragment[]>;
    },
  ): readonly StrategyRun[] {
    const { ready, request, rated, given } = by;
    // What did not come from the store is counted, whatever it says of itself.
    const isStored = (offer: unknown): boolean => {
      const position = (offer as Partial<AssemblyFragment> | null | undefined)?.position;
      return typeof position === 'number' && rated[position] === offer;
    };
    const byName = new Map(ready.map((strategy) => [strategy.name, strategy]));
    return shares
      .filter(({ budgetTokens }) => budgetTokens > 0)
      .flatMap(({ name, budgetTokens }) => {
        const strategy = byName.get(name);
        if (strategy === undefined) return [];
        const run = async (signal: AbortSignal) => {
          const offers = await strategy.assemble(request, { budgetTokens, roomTokens, signal });
          const sound = requireOffers(offers, request.lineage, isStored).map((offer) =>
            isStored(offer)
              ? measured(offer, this.tokenCounter)
              : counted(offer, this.tokenCounter),
          );
          given.set(name, Object.freeze(sound.map((offer) => Object.freeze(offer))));
          return sound;
        };
        return [{ name, run }];
      });
  }

  private reported(payload: AssemblyPayload): AssemblyPayload {
    const { planId, totalTokens, budgetUsed, strategies } = payload;
    this.log.info('context.assembled', {
      planId,
      totalTokens,
      budgetUsed,
      fragments: payload.fragments.length,
      skeletonFragments: payload.skeletonFragments.length,
      excluded: payload.excluded.length,
    });
    for (const { name, failure } of strategies) {
      if (failure === null) continue;
      this.log.warn('strategy.failed', { planId, name, reason: failure.reason });
    }
    return payload;
  }
}

/** Compresses again, into less, where the blank lines between the texts would exceed the maximum. */
function keepWithJoints(
  compress: (budgetTokens: number) => readonly KeptInherited[],
  by: { readonly skeletonBudget: number; readonly jointTokens: number; readonly maxTokens: number },
): readonly KeptInherited[] {
  let budget = by.skeletonBudget;
  for (;;) {
    const kept = compress(budget);
    const tokens = sumTokens(kept.map(({ shown }) => shown));
    requireWithin('skeletonCompressor', tokens, budget);
    const over = tokens + (kept.length - 1) * by.jointTokens - by.maxTokens;
    if (over <= 0) return kept;
    // Texts of no tokens fit any budget, and still need their lines.
    if (budget === 0) return [];
    budget = subtractTokens(budget, over);
  }
}

function namesOf(named: readonly { readonly name: string }[]): readonly string[] {
  return named.map(({ name }) => name);
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
