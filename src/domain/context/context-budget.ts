/**
 * The tokens that an assembly may fill, and the named functions for all arithmetic on tokens. Tokens
 * are whole numbers: sums stay exact, and a share is rounded down, so that shares never exceed what
 * is shared.
 */
import { OssatureError } from '../kernel/errors.js';

export interface ContextBudget {
  /** Tokens of the whole request to the model, at least 1. */
  readonly maxTokens: number;
  /** Tokens kept free for what the assembly does not make, strictly below the maximum. */
  readonly reservedTokens: number;
  /** The maximum less the reserved tokens: at least 1. */
  readonly availableTokens: number;
}

/** Tokens. Applies where neither the request nor the settings say otherwise. */
export const DEFAULT_MAX_TOKENS = 4096;

/** Tokens. A maximum below the default one reserves its {@link RESERVED_PART} instead. */
export const DEFAULT_RESERVED_TOKENS = 512;

/** One part in eight, as 512 is of 4096: one token more of a maximum never leaves fewer available. */
const RESERVED_PART = 8;

/** @throws OssatureError INVALID_BUDGET naming the field, where a number is out of range. */
export function parseContextBudget(
  given: { readonly maxTokens?: number; readonly reservedTokens?: number } = {},
): ContextBudget {
  const { maxTokens: maxGiven = DEFAULT_MAX_TOKENS } = given;
  const maxTokens = requireTokens(maxGiven, 'max_tokens', 1);
  const reservedTokens = requireTokens(
    given.reservedTokens === undefined ? usualReserve(maxTokens) : given.reservedTokens,
    'reserved_tokens',
    0,
  );
  if (reservedTokens < maxTokens) {
    return {
      maxTokens,
      reservedTokens,
      availableTokens: subtractTokens(maxTokens, reservedTokens),
    };
  }
  throw new OssatureError(
    'INVALID_BUDGET',
    `reserved_tokens (${reservedTokens}) must be below max_tokens (${maxTokens}): nothing would be left to assemble.`,
    { details: { field: 'reserved_tokens', maxTokens, reservedTokens } },
  );
}

/**
 * For those who know a model's window and not a budget: what the window leaves.
 *
 * @throws OssatureError INVALID_BUDGET naming the field; also where nothing is left.
 */
export function availableInWindow(window: {
  readonly modelWindow: number;
  readonly responseReserve: number;
  readonly toolDefinitions: number;
  readonly systemPrompt: number;
}): number {
  const modelWindow = requireTokens(window.modelWindow, 'model_window', 1);
  const taken = addTokens(
    requireTokens(window.responseReserve, 'response_reserve', 0),
    requireTokens(window.toolDefinitions, 'tool_definitions', 0),
    requireTokens(window.systemPrompt, 'system_prompt', 0),
  );
  if (taken < modelWindow) return subtractTokens(modelWindow, taken);
  throw new OssatureError(
    'INVALID_BUDGET',
    `The model window of ${modelWindow} tokens has no room beside the ${taken} tokens of the response, the tools and the system prompt.`,
    { details: { field: 'model_window', modelWindow, taken } },
  );
}

export function addTokens(...counts: readonly number[]): number {
  return counts.reduce((sum, count) => requireTokens(sum + count, 'A sum of tokens', 0), 0);
}

/** So many times the tokens. */
export function multiplyTokens(tokens: number, times: number): number {
  return requireTokens(tokens * times, 'A product of tokens', 0);
}

/** What is left of a number of tokens; 0 where more is taken than there is. */
export function subtractTokens(tokens: number, ...taken: readonly number[]): number {
  return Math.max(0, tokens - addTokens(...taken));
}

/**
 * floor(tokens × part ÷ whole) in exact arithmetic.
 *
 * @param part whole number ≥ 0, at most `whole`.
 */
export function shareOfTokens(tokens: number, part: number, whole: number): number {
  if (whole === 0) return 0;
  return Number((BigInt(tokens) * BigInt(part)) / BigInt(whole));
}

/** @throws OssatureError INVALID_BUDGET unless the value is a safe integer of at least the minimum. */
export function requireTokens(value: unknown, field: string, minimum: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum) return value;
  throw new OssatureError(
    'INVALID_BUDGET',
    `${field} must be a whole number of tokens, at least ${minimum}, got ${typeof value === 'number' ? String(value) : typeof value}.`,
    { details: { field, minimum } },
  );
}

function usualReserve(maxTokens: number): number {
  return Math.min(DEFAULT_RESERVED_TOKENS, Math.floor(maxTokens / RESERVED_PART));
}
