/**
 * The two ratios of the library, of opposite polarity and never converted into each other.
 *
 * A ratio is read as the decimal it is written as, and tokens are counted in integers: 1000 tokens
 * at 0.9 leave 100, where floating point leaves 99. An epsilon repairs small totals and breaks
 * large ones, so there is none.
 */
import { OssatureError } from '../kernel/errors.js';

/** Share of the tokens to **remove**: 0 keeps all, 1 keeps one fragment. In [0, 1]. */
export type CompressionRatio = number & { readonly __ratio: 'compression' };

/** Share of the available tokens **reserved** for an inherited skeleton: 0 none, 1 all. In [0, 1]. */
export type ReserveRatio = number & { readonly __ratio: 'reserve' };

/** Applies where neither the call, the plan nor the policy sets a ratio. */
export const DEFAULT_SKELETON_RATIO = 0.15;

/** @throws OssatureError INVALID_RATIO unless the value is a number in the closed interval [0, 1]. */
export function parseCompressionRatio(value: unknown): CompressionRatio {
  return parseShare(value, 'compression ratio', 'remove') as CompressionRatio;
}

/** @throws OssatureError INVALID_RATIO unless the value is a number in the closed interval [0, 1]. */
export function parseReserveRatio(value: unknown): ReserveRatio {
  return parseShare(value, 'reserve ratio', 'reserve') as ReserveRatio;
}

/**
 * Tokens that remain when the ratio's share is removed: floor(total × (1 − ratio)), exactly.
 *
 * @throws OssatureError INVALID_BUDGET unless the total is a safe integer ≥ 0.
 */
export function tokensLeft(totalTokens: number, ratio: CompressionRatio): number {
  const { numerator, denominator } = asDecimalFraction(ratio);
  return floorOfShare(totalTokens, denominator - numerator, denominator);
}

/**
 * Tokens that the ratio's share reserves: floor(available × ratio), exactly.
 *
 * @throws OssatureError INVALID_BUDGET unless the available tokens are a safe integer ≥ 0.
 */
export function tokensReserved(availableTokens: number, ratio: ReserveRatio): number {
  const { numerator, denominator } = asDecimalFraction(ratio);
  return floorOfShare(availableTokens, numerator, denominator);
}

function parseShare(value: unknown, name: string, purpose: 'remove' | 'reserve'): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value + 0;
  throw new OssatureError(
    'INVALID_RATIO',
    `The ${name} must be a number in the closed interval [0, 1], got ${describe(value)}. Give the share of the tokens to ${purpose}, such as 0.15.`,
    { details: { value, minimum: 0, maximum: 1 } },
  );
}

/** The shortest decimal that reads back as this double, as a fraction of a power of ten. */
function asDecimalFraction(ratio: number): { numerator: bigint; denominator: bigint } {
  const [significand = '', exponent = '0'] = String(ratio).split('e');
  const [whole = '', fraction = ''] = significand.split('.');
  const decimals = fraction.length - Number(exponent);
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(decimals) };
}

function floorOfShare(tokens: number, numerator: bigint, denominator: bigint): number {
  if (!Number.isSafeInteger(tokens) || tokens < 0) {
    throw new OssatureError(
      'INVALID_BUDGET',
      `A number of tokens must be a safe integer ≥ 0, got ${describe(tokens)}.`,
      { details: { value: tokens } },
    );
  }
  return Number((BigInt(tokens) * numerator) / denominator);
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === null) return String(value);
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : typeof value;
}
