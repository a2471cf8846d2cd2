/** What an assembly is asked for, and the settings that hold where a request says nothing. */
import type { ReserveRatio } from '../context/compression-ratio.js';
import type { ContextBudget } from '../context/context-budget.js';
import type { PlanId } from '../kernel/ids.js';

/** What each part of a score counts. Any numbers ≥ 0; they are scaled to a sum of 1. */
export interface ScoreWeights {
  readonly relevance: number;
  readonly hierarchy: number;
  readonly quality: number;
  readonly recency: number;
}

/** Settings of a pipeline; a request may replace each of them. */
export interface AssemblySettings {
  /** Tokens of the whole request to the model. Default 4096. */
  readonly maxTokens?: number;
  /** Tokens that stay free, below the maximum. Default 512, of less than 4096 an eighth. */
  readonly reservedTokens?: number;
  /** Share of the available tokens **reserved** for the inherited skeleton, 0..1. Default 0.15. */
  readonly skeletonRatio?: number;
  /** `builtin:skeleton` (default), `builtin:depth-reduction`, or a name or token of the host's. */
  readonly compressor?: string | symbol;
  readonly weights?: ScoreWeights;
  /** The largest share of the room that one strategy is promised, above 0 up to 1. Default 0.6. */
  readonly strategyCap?: number;
  /** Tokens of the smallest fragment that is worth its place. Default 10. */
  readonly smallestFragment?: number;
  /** Milliseconds a strategy may take, 1 up to ten minutes. Default 5000. */
  readonly strategyTimeoutMs?: number;
  /** False leaves the preamble out. */
  readonly preamble?: boolean;
}

export interface AssemblyRequestInput extends AssemblySettings {
  readonly planId: string;
  /** What the model is about to be asked. Left out: the plan's goal. May be empty. */
  readonly query?: string;
  /** Served first, up to the cap. */
  readonly preferredStrategies?: readonly string[];
}

/** A request with every setting decided and checked. */
export interface AssemblyRequest {
  readonly planId: PlanId;
  readonly query: string;
  readonly preferredStrategies: readonly string[];
  readonly budget: ContextBudget;
  readonly skeletonRatio: ReserveRatio;
  readonly compressor: string | symbol;
  readonly weights: ScoreWeights;
  readonly strategyCap: number;
  readonly smallestFragment: number;
  readonly strategyTimeoutMs: number;
  readonly hasPreamble: boolean;
}

/** Specification of assembly, §3 row 6. */
export const DEFAULT_WEIGHTS: ScoreWeights = {
  relevance: 0.4,
  hierarchy: 0.3,
  quality: 0.2,
  recency: 0.1,
};

export const DEFAULT_COMPRESSOR = 'builtin:skeleton';

/** Share of the room. More than half, so that one good source may lead; less than all, so that none is alone. */
export const DEFAULT_STRATEGY_CAP = 0.6;

/** Tokens. Specification of assembly, §3 row 7. */
export const DEFAULT_SMALLEST_FRAGMENT = 10;

/** Milliseconds. A source that needs longer is not worth a waiting model. */
export const DEFAULT_STRATEGY_TIMEOUT_MS = 5_000;

/** Everything of a request that can be checked without reading the plan. */
export type CheckedRequest = Omit<AssemblyRequest, 'query'> & { readonly query: string | null };
