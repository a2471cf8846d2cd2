/**
 * The ten stages: what each is given, what it must give, and the words they share. Each may be
 * replaced alone. A stage is pure (but for the executor, which waits), never calls another, keeps
 * the texts it is given by reference, and gives the same for the same.
 */
import type { ContextFragment } from '../context/context-fragment.js';
import type { TokenCounter } from '../kernel/measures.js';
import type { FragmentScorer as RelevanceScorer } from '../relevance/score-relevance.js';
import type {
  AssemblyFragment,
  ExcludedFragment,
  OfferedFragment,
  PackedFragment,
  ScoredFragment,
  ShownFragment,
} from './assembly-fragment.js';
import type { AssemblyRequest, ScoreWeights } from './assembly-request.js';

/**
 * Why a strategy gave nothing. `declined` is no fault: it answered 0. `unknown`: it was preferred, but
 * there is none of that name.
 */
export type FailureReason =
  | 'threw'
  | 'timed-out'
  | 'circuit-open'
  | 'invalid-confidence'
  | 'invalid-fragment'
  | 'unknown'
  /** Its share was nothing, so it was not run: what it has is in no list. */
  | 'no-room';

export interface StrategyFailure {
  readonly reason: FailureReason;
  readonly message: string;
}

/** What selection needs of a strategy. */
export interface AskableStrategy<Request = AssemblyRequest> {
  readonly name: string;
  /** How good its fragments usually are, 0..1. */
  readonly quality: number;
  /** How well it can serve this request, 0 (not at all) to 1. Synchronous and quick. */
  canHandle(request: Request): number;
}

export interface RankedStrategy {
  readonly name: string;
  readonly quality: number;
  /** 0..1 as it answered; 0 is not run. */
  readonly confidence: number;
  readonly isPreferred: boolean;
  readonly failure: StrategyFailure | null;
}

export interface BudgetShare {
  readonly name: string;
  readonly budgetTokens: number;
}

/** One strategy to run. `run` rejects where it fails; it should stop where the signal says so. */
export interface StrategyRun {
  readonly name: string;
  run(signal: AbortSignal): Promise<readonly AssemblyFragment[]>;
}

export type StrategyResult =
  | {
      readonly name: string;
      readonly outcome: 'gave';
      readonly fragments: readonly AssemblyFragment[];
    }
  | { readonly name: string; readonly outcome: 'failed'; readonly failure: StrategyFailure };

export interface Merge {
  readonly kept: readonly OfferedFragment[];
  readonly excluded: readonly ExcludedFragment[];
}

export interface Packing {
  readonly packed: readonly PackedFragment[];
  readonly excluded: readonly ExcludedFragment[];
}

/** What the preamble may speak of. */
export interface Provenance {
  readonly query: string;
  readonly strategies: readonly {
    readonly name: string;
    readonly confidence: number;
    readonly fragments: number;
    readonly failure: StrategyFailure | null;
  }[];
  readonly shown: readonly ShownFragment[];
  readonly skeleton: readonly ShownFragment[];
  readonly excluded: readonly ExcludedFragment[];
}

/** Stage 1: every strategy with its confidence, in the order in which they are served. */
export type StrategySelector = <Request>(
  strategies: readonly AskableStrategy<Request>[],
  request: Request,
  preferredStrategies: readonly string[],
) => readonly RankedStrategy[];

/** Stage 2: shares in whole tokens that sum to at most the room; a share of 0 skips the strategy. */
export type BudgetAllocator = (
  strategies: readonly RankedStrategy[],
  roomTokens: number,
  strategyCap: number,
) => readonly BudgetShare[];

/** Stage 3: one result a run, in the order of the runs. Never rejects. */
export type StrategyExecutor = (
  runs: readonly StrategyRun[],
  timeoutMs: number,
) => Promise<readonly StrategyResult[]>;

/** Stage 4. @param alreadyIn what the skeleton holds: no second copy of it is kept. */
export type FragmentDeduplicator = (
  offered: readonly OfferedFragment[],
  alreadyIn: readonly AssemblyFragment[],
) => Merge;

/** Stage 5. */
export type DetailDepthResolver = (offered: readonly OfferedFragment[]) => Merge;

/** Stage 6: best first. */
export type FragmentScorer = (
  offered: readonly OfferedFragment[],
  by: {
    readonly query: string;
    readonly weights: ScoreWeights;
    readonly scoreRelevance: RelevanceScorer;
  },
) => readonly ScoredFragment[];

/** The blank lines between the texts, which are part of what the model is sent. */
export interface Joints {
  /** Tokens of one blank line. */
  readonly tokens: number;
  /** Texts that come before the first fragment: between them, and before each fragment, stands one. */
  readonly textsBefore: number;
}

/** Stage 7: what fits the room; a share is promised to its strategy, what it leaves goes to all. */
export type BudgetPacker = (
  ranked: readonly ScoredFragment[],
  room: {
    readonly roomTokens: number;
    readonly shares: readonly BudgetShare[];
    /** Tokens; what has fewer is not worth its place. */
    readonly smallestFragment: number;
    /** Left out: the blank lines between texts cost nothing. */
    readonly joints?: Joints;
  },
  count: TokenCounter['count'],
) => Packing;

/** Stage 8: the same fragments in the order in which they are shown. */
export type FragmentOrderer = (packed: readonly PackedFragment[]) => readonly PackedFragment[];

/** Stage 9: a text of at most `maxTokens`, or none. */
export type PreambleGenerator = (
  provenance: Provenance,
  limit: { readonly maxTokens: number; readonly count: TokenCounter['count'] },
) => string;

/** Stage 10: what of the inherited fragments is shown, within the budget. */
export type SkeletonStage = (
  inherited: readonly AssemblyFragment[],
  budgetTokens: number,
  compressor: BudgetCompressor,
) => readonly AssemblyFragment[];

/** What stage 10 needs of the chosen compressor. */
export interface BudgetCompressor {
  compressToBudget<Fragment extends ContextFragment>(
    fragments: readonly Fragment[],
    skeletonBudget: number,
  ): { readonly kept: readonly Fragment[]; readonly skipped: readonly Fragment[] };
}

export interface AssemblyStages {
  readonly strategySelector: StrategySelector;
  readonly budgetAllocator: BudgetAllocator;
  readonly strategyExecutor: StrategyExecutor;
  readonly fragmentDeduplicator: FragmentDeduplicator;
  readonly detailDepthResolver: DetailDepthResolver;
  readonly fragmentScorer: FragmentScorer;
  readonly budgetPacker: BudgetPacker;
  readonly fragmentOrderer: FragmentOrderer;
  readonly preambleGenerator: PreambleGenerator;
  readonly skeletonCompressor: SkeletonStage;
}

/** In the order of the table. */
export const STAGE_NAMES = [
  'strategySelector',
  'budgetAllocator',
  'strategyExecutor',
  'fragmentDeduplicator',
  'detailDepthResolver',
  'fragmentScorer',
  'budgetPacker',
  'fragmentOrderer',
  'preambleGenerator',
  'skeletonCompressor',
] as const satisfies readonly (keyof AssemblyStages)[];
