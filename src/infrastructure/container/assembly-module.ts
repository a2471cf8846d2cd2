/** The assembly pipeline: its ten stages, its strategies, its compressors. */
import { ContainerModule } from 'inversify';
import { ContextAssemblyPipeline } from '../../application/assembly/context-assembly-pipeline.js';
import { createPrepareStrategies } from '../../application/assembly/prepare-strategies.js';
import { ContextInspectionService } from '../../application/assembly/context-inspection-service.js';
import type { ContextStrategy } from '../../application/assembly/context-strategy.js';
import { DepthReductionCompressor } from '../../application/assembly/depth-reduction-compressor.js';
import { PlanContextReader } from '../../application/assembly/plan-context-reader.js';
import { requireStages, type StageOverrides } from '../../application/assembly/stage-overrides.js';
import { createStrategyExecutor } from '../../application/assembly/strategy-executor.js';
import { KeywordStrategy } from '../../application/plan/keyword-strategy.js';
import { PlanDecisionsStrategy } from '../../application/plan/plan-decisions-strategy.js';
import { RecencyStrategy } from '../../application/plan/recency-strategy.js';
import { type Embed, SemanticStrategy } from '../../application/plan/semantic-strategy.js';
import {
  type AssemblySettings,
  DEFAULT_COMPRESSOR,
} from '../../domain/assembly/assembly-request.js';
import type { AssemblyStages, BudgetCompressor } from '../../domain/assembly/assembly-stages.js';
import { compressInherited } from '../../domain/assembly/compress-inherited.js';
import { dropDuplicates, resolveDepth } from '../../domain/assembly/merge-fragments.js';
import { orderFragments } from '../../domain/assembly/order-fragments.js';
import { packFragments } from '../../domain/assembly/pack-fragments.js';
import { rankFragments } from '../../domain/assembly/rank-fragments.js';
import { selectStrategies } from '../../domain/assembly/select-strategies.js';
import { shareBudget } from '../../domain/assembly/share-budget.js';
import { writePreamble } from '../../domain/assembly/write-preamble.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { nodeTimer } from '../system/node-timer.js';
import { provideStrategy, provideStrategyList } from './provide-strategy.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

/** What a host says about its assemblies. */
export interface AssemblyChoice {
  readonly settings: AssemblySettings;
  readonly stages: Partial<AssemblyStages>;
  readonly overrides: StageOverrides;
  readonly strategies: readonly ContextStrategy[];
  readonly embed: Embed | undefined;
  readonly compressors: Readonly<Record<string, BudgetCompressor>>;
  /** What a token of the host's stands for; undefined where nothing is bound to it. */
  readonly find: (token: string | symbol) => unknown;
}

type Options = Parameters<ConstructorParameters<typeof ContainerModule>[0]>[0];

export function assemblyModule(choice: AssemblyChoice): ContainerModule {
  return new ContainerModule((options) => {
    provideValue(options, TOKENS.startTimer, nodeTimer);
    provideValue(options, TOKENS.assemblySettings, choice.settings);
    provideValue(options, TOKENS.stageOverrides, choice.overrides);
    provideStages(options, requireStages(choice.stages));
    provideStrategies(options, choice);
    provide(
      options,
      TOKENS.compressorFor,
      [TOKENS.skeletonCompressor, TOKENS.tokenCounter],
      (ours, tokenCounter) => {
        const known: Readonly<Record<string, BudgetCompressor>> = {
          ...choice.compressors,
          [DEFAULT_COMPRESSOR]: ours,
          'builtin:depth-reduction': new DepthReductionCompressor(tokenCounter),
        };
        return (name) => findCompressor(name, known, choice.find);
      },
    );
    provide(
      options,
      TOKENS.planContexts,
      [TOKENS.repositories, TOKENS.fragmentScorer],
      (repositories, scorer) => new PlanContextReader(repositories, scorer),
    );
    provide(
      options,
      TOKENS.prepareStrategies,
      [TOKENS.clock, TOKENS.startTimer],
      (clock, startTimer) => createPrepareStrategies(clock, startTimer),
    );
    provide(
      options,
      TOKENS.contexts,
      [
        TOKENS.planContexts,
        TOKENS.contextStrategies,
        TOKENS.prepareStrategies,
        TOKENS.assemblyStages,
        TOKENS.stageOverrides,
        TOKENS.compressorFor,
        TOKENS.assemblySettings,
        TOKENS.fragmentScorer,
        TOKENS.tokenCounter,
        TOKENS.logger,
      ],
      (...needs) => new ContextAssemblyPipeline(...needs),
    );
    provide(
      options,
      TOKENS.inspections,
      [TOKENS.projects, TOKENS.repositories, TOKENS.contexts],
      (projects, repositories, pipeline) =>
        new ContextInspectionService(projects, repositories, pipeline),
    );
  });
}

/** Each stage under a token of its own, so that a host's module may rebind one and leave nine. */
function provideStages(options: Options, stages: Partial<AssemblyStages>): void {
  provideValue(options, TOKENS.strategySelectorStage, stages.strategySelector ?? selectStrategies);
  provideValue(options, TOKENS.budgetAllocatorStage, stages.budgetAllocator ?? shareBudget);
  provide(
    options,
    TOKENS.strategyExecutorStage,
    [TOKENS.clock, TOKENS.startTimer],
    (clock, startTimer) => stages.strategyExecutor ?? createStrategyExecutor(clock, startTimer),
  );
  provideValue(
    options,
    TOKENS.fragmentDeduplicatorStage,
    stages.fragmentDeduplicator ?? dropDuplicates,
  );
  provideValue(
    options,
    TOKENS.detailDepthResolverStage,
    stages.detailDepthResolver ?? resolveDepth,
  );
  provideValue(options, TOKENS.fragmentScorerStage, stages.fragmentScorer ?? rankFragments);
  provideValue(options, TOKENS.budgetPackerStage, stages.budgetPacker ?? packFragments);
  provideValue(options, TOKENS.fragmentOrdererStage, stages.fragmentOrderer ?? orderFragments);
  provideValue(options, TOKENS.preambleGeneratorStage, stages.preambleGenerator ?? writePreamble);
  provideValue(
    options,
    TOKENS.skeletonCompressorStage,
    stages.skeletonCompressor ?? compressInherited,
  );
  provide(
    options,
    TOKENS.assemblyStages,
    [
      TOKENS.strategySelectorStage,
      TOKENS.budgetAllocatorStage,
      TOKENS.strategyExecutorStage,
      TOKENS.fragmentDeduplicatorStage,
      TOKENS.detailDepthResolverStage,
      TOKENS.fragmentScorerStage,
      TOKENS.budgetPackerStage,
      TOKENS.fragmentOrdererStage,
      TOKENS.preambleGeneratorStage,
      TOKENS.skeletonCompressorStage,
    ],
    (
      strategySelector,
      budgetAllocator,
      strategyExecutor,
      fragmentDeduplicator,
      detailDepthResolver,
      fragmentScorer,
      budgetPacker,
      fragmentOrderer,
      preambleGenerator,
      skeletonCompressor,
    ) => ({
      strategySelector,
      budgetAllocator,
      strategyExecutor,
      fragmentDeduplicator,
      detailDepthResolver,
      fragmentScorer,
      budgetPacker,
      fragmentOrderer,
      preambleGenerator,
      skeletonCompressor,
    }),
  );
}

function provideStrategies(
  options: Options,
  { strategies, embed }: Pick<AssemblyChoice, 'strategies' | 'embed'>,
): void {
  provideStrategyList(options);
  provideStrategy(options, [], () => new KeywordStrategy());
  provideStrategy(options, [], () => new RecencyStrategy());
  provideStrategy(
    options,
    [TOKENS.decisionRepository, TOKENS.tokenCounter],
    (decisions, tokenCounter) => new PlanDecisionsStrategy(decisions, tokenCounter),
  );
  if (embed !== undefined) provideStrategy(options, [], () => new SemanticStrategy(embed));
  for (const strategy of strategies) provideStrategy(options, [], () => strategy);
}

function findCompressor(
  name: string | symbol,
  known: Readonly<Record<string, BudgetCompressor>>,
  find: AssemblyChoice['find'],
): BudgetCompressor {
  const found = typeof name === 'string' && Object.hasOwn(known, name) ? known[name] : find(name);
  const compressor = found as Partial<BudgetCompressor> | undefined;
  if (typeof compressor?.compressToBudget === 'function') return compressor as BudgetCompressor;
  throw new OssatureError(
    'INVALID_CONFIG',
    `There is no skeleton compressor ${JSON.stringify(String(name))}. Known: ${Object.keys(known).join(', ')}, and every token that stands for one.`,
    { details: { field: 'compressor' } },
  );
}
