/** What an assembly is asked for, and the settings that hold where a request says nothing. */
import {
  DEFAULT_SKELETON_RATIO,
  parseReserveRatio,
  type ReserveRatio,
} from '../context/compression-ratio.js';
import {
  type ContextBudget,
  parseContextBudget,
  requireTokens,
} from '../context/context-budget.js';
import { OssatureError } from '../kernel/errors.js';
import { parsePlanId, type PlanId } from '../kernel/ids.js';

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
  /** Tokens that stay free, below the maximum. Default 512. */
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

const LONGEST_TIMEOUT_MS = 600_000;

/** Everything of a request that can be checked without reading the plan. */
export type CheckedRequest = Omit<AssemblyRequest, 'query'> & { readonly query: string | null };

/**
 * Checks a request against the settings behind it, before any stage runs.
 *
 * @throws OssatureError INVALID_ID, INVALID_BUDGET, INVALID_RATIO, INVALID_INPUT naming the field.
 */
export function checkRequest(
  input: AssemblyRequestInput,
  settings: AssemblySettings,
): CheckedRequest {
  if (typeof input !== 'object' || input === null) throw invalid('request', 'must be an object');
  const all = { ...settings, ...withoutUndefined(input) };
  const { query, preferredStrategies = [], preamble = true } = all;
  if (query !== undefined && typeof query !== 'string') throw invalid('query', 'must be a text');
  if (!isListOfTexts(preferredStrategies)) {
    throw invalid('preferred_strategies', 'must be a list of names');
  }
  if (typeof preamble !== 'boolean') throw invalid('preamble', 'must be true or false');
  return {
    planId: parsePlanId(all.planId),
    query: query ?? null,
    preferredStrategies,
    budget: parseContextBudget(all),
    skeletonRatio: parseReserveRatio(all.skeletonRatio ?? DEFAULT_SKELETON_RATIO),
    compressor: parseCompressor(all.compressor ?? DEFAULT_COMPRESSOR),
    weights: parseWeights(all.weights ?? DEFAULT_WEIGHTS),
    strategyCap: parseCap(all.strategyCap ?? DEFAULT_STRATEGY_CAP),
    smallestFragment: requireTokens(
      all.smallestFragment ?? DEFAULT_SMALLEST_FRAGMENT,
      'smallest_fragment',
      0,
    ),
    strategyTimeoutMs: parseTimeout(all.strategyTimeoutMs ?? DEFAULT_STRATEGY_TIMEOUT_MS),
    hasPreamble: preamble,
  };
}

/** The weights scaled to a sum of 1. */
function parseWeights(weights: ScoreWeights): ScoreWeights {
  const { relevance, hierarchy, quality, recency } = weights;
  const parts = [relevance, hierarchy, quality, recency];
  const sum = parts.reduce((total, part) => total + part, 0);
  const areSound = parts.every((part) => typeof part === 'number' && part >= 0);
  if (!areSound || !Number.isFinite(sum) || sum === 0) {
    throw invalid(
      'weights',
      'must be four numbers ≥ 0 (relevance, hierarchy, quality, recency), not all 0',
    );
  }
  return {
    relevance: relevance / sum,
    hierarchy: hierarchy / sum,
    quality: quality / sum,
    recency: recency / sum,
  };
}

function parseCompressor(value: unknown): string | symbol {
  if (typeof value === 'symbol' || (typeof value === 'string' && value !== '')) return value;
  throw invalid('compressor', 'must be a name or a token');
}

function parseCap(value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= 1) return value;
  throw invalid('strategy_cap', 'must be a number above 0, up to 1');
}

function parseTimeout(value: unknown): number {
  if (typeof value === 'number' && value >= 1 && value <= LONGEST_TIMEOUT_MS) return value;
  throw invalid(
    'strategy_timeout_ms',
    `must be a number of milliseconds, 1 to ${LONGEST_TIMEOUT_MS}`,
  );
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A field that is given as undefined was not given. */
function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Value;
}

function invalid(field: string, rule: string): OssatureError {
  return new OssatureError('INVALID_INPUT', `${field} ${rule}.`, { details: { field } });
}
