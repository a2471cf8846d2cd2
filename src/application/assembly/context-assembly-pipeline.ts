/**
 * The pipeline: what is known becomes what a model is shown, in ten stages.
 *
 * The skeleton, stage 10 by its place in the payload, is compressed before the room is shared, since
 * it needs nothing of the other stages and what it leaves of its reserve is theirs.
 */
import { heldBack, offersOf } from '../../domain/assembly/account-for-offers.js';
import type { AssemblyFragment, ShownFragment } from '../../domain/assembly/assembly-fragment.js';
import type { AssemblyPayload } from '../../domain/assembly/assembly-payload.js';
import type {
  AssemblyRequestInput,
  AssemblySettings,
  CheckedRequest,
} from '../../domain/assembly/assembly-request.js';
import type { AssemblyStages, BudgetCompressor } from '../../domain/assembly/assembly-stages.js';
import { checkRequest } from '../../domain/assembly/check-request.js';
import type { KeptInherited } from '../../domain/assembly/check-stages.js';
import { accountFor, composePayload, provenanceOf } from '../../domain/assembly/compose-payload.js';
import { divideRoom, type Room } from '../../domain/assembly/divide-budget.js';
import { fitPayload, fitSkeleton } from '../../domain/assembly/fit-text.js';
import { frozen } from '../../domain/assembly/frozen.js';
import { SEPARATOR } from '../../domain/assembly/render-payload.js';
import { settleDepths } from '../../domain/assembly/settle-depths.js';
import { textTokens } from '../../domain/assembly/text-tokens.js';
import { ReferenceSet } from '../../domain/context/reference-set.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { Logger } from '../ports/logger.js';
import { checkedScorer } from './checked-scorer.js';
import { checkedStages } from './checked-stages.js';
import type { ContextStrategy, StrategyRequest } from './context-strategy.js';
import { measured } from './measure-fragments.js';
import type { PlanContext, PlanContextReader } from './plan-context-reader.js';
import type { PrepareStrategies } from './prepare-strategies.js';
import type { StageOverrides } from './stage-overrides.js';
import { StrategyRuns } from './strategy-runs.js';

export class ContextAssemblyPipeline {
  private readonly scoreRelevance: FragmentScorer;

  constructor(
    private readonly contexts: PlanContextReader,
    private readonly strategies: readonly ContextStrategy[],
    private readonly prepareStrategies: PrepareStrategies,
    private readonly globalStages: AssemblyStages,
    private readonly overrides: StageOverrides,
    private readonly compressorFor: (name: string | symbol) => BudgetCompressor,
    private readonly settings: AssemblySettings,
    scoreRelevance: FragmentScorer,
    private readonly tokenCounter: TokenCounter,
    private readonly log: Logger,
  ) {
    checkRequest({ planId: '00000000000000000000000000' }, settings);
    requireDistinctNames(strategies);
    this.scoreRelevance = checkedScorer(scoreRelevance);
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
    const stages = checkedStages(this.overrides.over(this.globalStages, plan), this.count);

    const inherited = this.inheritedOf(plan);
    const compress = (budgetTokens: number): readonly KeptInherited[] =>
      stages.skeletonCompressor(inherited, budgetTokens, compressor);
    const kept = fitSkeleton(compress, this.sizeOf, checked);
    const skeleton = frozen(kept.map(({ shown }) => shown));
    const room = divideRoom(checked, skeleton, this.jointTokens);
    const rated = this.contexts.rate(plan, checked.query ?? plan.goal);
    const request = this.requestOf(checked, plan, rated, skeleton);
    const { query, weights, smallestFragment, hasPreamble } = request;
    const { scoreRelevance, count } = this;

    const ready = await this.prepareStrategies(this.strategies, request);
    const ranked = stages.strategySelector(ready, request, request.preferredStrategies);
    const shares = stages.budgetAllocator(ranked, room.roomTokens, request.strategyCap);
    const runs = new StrategyRuns({ request, rated, ready, shares, room }, this.tokenCounter);
    const results = await stages.strategyExecutor(runs, request.strategyTimeoutMs);

    const offered = frozen(offersOf(results, ranked));
    const distinct = stages.fragmentDeduplicator(offered, asOffered(kept));
    const deepest = stages.detailDepthResolver(distinct.kept);
    const scored = stages.fragmentScorer(deepest.kept, { query, weights, scoreRelevance });

    const held = heldBack(results, runs.leftOut);
    const gathered = { request, room, plan, ranked, shares, results, offered, held };
    const finish = ({ roomTokens, joints, preambleBudget }: Room): AssemblyPayload => {
      const within = { roomTokens, joints, shares, smallestFragment };
      const packing = stages.budgetPacker(scored, within, count);
      const settled = settleDepths(skeleton, packing.packed);
      const ordered = stages.fragmentOrderer(settled.packed);
      const excluded = [distinct, deepest, packing, settled].flatMap((stage) => stage.excluded);
      const account = accountFor(gathered, { skeleton: settled.skeleton, ordered, excluded });
      const limit = { maxTokens: preambleBudget, count };
      const preamble = hasPreamble
        ? stages.preambleGenerator(provenanceOf(query, account), limit)
        : '';
      return composePayload(gathered, account, preamble, count);
    };
    return this.reported(fitPayload(finish, room, checked.budget.availableTokens));
  }

  private readonly count: TokenCounter['count'] = (text) => this.tokenCounter.count(text);

  private get jointTokens(): number {
    return this.count(SEPARATOR);
  }

  /** Tokens of a skeleton's text. */
  private readonly sizeOf = (kept: readonly KeptInherited[]): number =>
    textTokens(
      kept.map(({ shown }) => shown),
      this.jointTokens,
      this.count,
    );

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
      if (failure === null || failure.reason === 'no-room') continue;
      this.log.warn('strategy.failed', { planId, name, reason: failure.reason });
    }
    return payload;
  }
}

/** What the skeleton shows, as a strategy would offer it. */
function asOffered(kept: readonly KeptInherited[]): readonly AssemblyFragment[] {
  return frozen(kept.map(({ fragment, shown }) => ({ ...fragment, ...shown })));
}

function requireDistinctNames(strategies: readonly ContextStrategy[]): void {
  const names = new Set<string>();
  for (const strategy of strategies) {
    const { name, quality } = strategy;
    const parts: Partial<Record<'canHandle' | 'assemble', unknown>> = strategy;
    const isCallable =
      typeof parts.canHandle === 'function' && typeof parts.assemble === 'function';
    const isSound =
      isCallable && typeof name === 'string' && name !== '' && quality >= 0 && quality <= 1;
    if (isSound && !names.has(name)) {
      names.add(name);
      continue;
    }
    throw new OssatureError(
      'INVALID_CONFIG',
      `A strategy needs a name of its own, a quality in [0, 1], canHandle and assemble; ${JSON.stringify(name)} has not.`,
      { details: { strategy: name } },
    );
  }
}
