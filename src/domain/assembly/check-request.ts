/** A request is checked whole, with the settings behind it, before anything is read. */
import { DEFAULT_SKELETON_RATIO, parseReserveRatio } from '../context/compression-ratio.js';
import { parseContextBudget, requireTokens } from '../context/context-budget.js';
import { OssatureError } from '../kernel/errors.js';
import { parsePlanId } from '../kernel/ids.js';
import {
  type AssemblyRequestInput,
  type AssemblySettings,
  type CheckedRequest,
  DEFAULT_COMPRESSOR,
  DEFAULT_SMALLEST_FRAGMENT,
  DEFAULT_STRATEGY_CAP,
  DEFAULT_STRATEGY_TIMEOUT_MS,
  DEFAULT_WEIGHTS,
  type ScoreWeights,
} from './assembly-request.js';

const LONGEST_TIMEOUT_MS = 600_000;
/** Characters of an unknown field that an error names. */
const LONGEST_NAME = 60;
const FOUR_WEIGHTS = 'must be four numbers ≥ 0 (relevance, hierarchy, quality, recency), not all 0';

const SETTINGS = [
  'maxTokens',
  'reservedTokens',
  'skeletonRatio',
  'compressor',
  'weights',
  'strategyCap',
  'smallestFragment',
  'strategyTimeoutMs',
  'preamble',
] as const satisfies readonly (keyof AssemblySettings)[];
const REQUESTED = [
  'planId',
  'query',
  'preferredStrategies',
] as const satisfies readonly (keyof AssemblyRequestInput)[];

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
  requireKnown(settings, SETTINGS);
  requireKnown(input, [...SETTINGS, ...REQUESTED]);
  const all: AssemblyRequestInput = { ...withoutUndefined(settings), ...withoutUndefined(input) };
  const {
    query,
    preferredStrategies = [],
    preamble = true,
    skeletonRatio = DEFAULT_SKELETON_RATIO,
    compressor = DEFAULT_COMPRESSOR,
    weights = DEFAULT_WEIGHTS,
    strategyCap = DEFAULT_STRATEGY_CAP,
    smallestFragment = DEFAULT_SMALLEST_FRAGMENT,
    strategyTimeoutMs = DEFAULT_STRATEGY_TIMEOUT_MS,
  } = all;
  if (query !== undefined && typeof query !== 'string') throw invalid('query', 'must be a text');
  if (!isListOfTexts(preferredStrategies)) {
    throw invalid('preferred_strategies', 'must be a list of names');
  }
  if (typeof preamble !== 'boolean') throw invalid('preamble', 'must be true or false');
  return {
    planId: parsePlanId(all.planId),
    query: query ?? null,
    preferredStrategies: [...preferredStrategies],
    budget: parseContextBudget(all),
    skeletonRatio: parseReserveRatio(skeletonRatio),
    compressor: parseCompressor(compressor),
    weights: parseWeights(weights),
    strategyCap: parseCap(strategyCap),
    smallestFragment: requireTokens(smallestFragment, 'smallest_fragment', 0),
    strategyTimeoutMs: parseTimeout(strategyTimeoutMs),
    hasPreamble: preamble,
  };
}

/** A misspelt setting would silently change nothing. */
function requireKnown(given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  const field = unknown.slice(0, LONGEST_NAME);
  throw invalid(field, `is no setting of an assembly; known: ${known.join(', ')}`);
}

/** The weights scaled to a sum of 1. */
function parseWeights(weights: ScoreWeights | null): ScoreWeights {
  if (typeof weights !== 'object' || weights === null) throw invalid('weights', FOUR_WEIGHTS);
  const { relevance, hierarchy, quality, recency } = weights;
  const parts = [relevance, hierarchy, quality, recency];
  const areSound = parts.every((part) => typeof part === 'number' && part >= 0);
  const sum = areSound ? parts.reduce((total, part) => total + part, 0) : 0;
  if (!Number.isFinite(sum) || sum === 0) {
    throw invalid('weights', FOUR_WEIGHTS);
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
