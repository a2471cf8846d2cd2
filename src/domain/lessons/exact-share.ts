/**
 * Shares of whole tokens, exactly. A share is read as the decimal it is written as: of 61 tokens, 0.75
 * leaves 45 and not 46, and no rounding of floating point decides.
 */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The shortest decimal that reads back as this number. */
function decimal(share: number): Fraction {
  const [significand = '', exponent = '0'] = String(share).split('e');
  const [whole = '', fraction = ''] = significand.split('.');
  const decimals = fraction.length - Number(exponent);
  return decimals >= 0
    ? { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(decimals) }
    : { numerator: BigInt(whole + fraction) * 10n ** BigInt(-decimals), denominator: 1n };
}

/** floor(share × total). @param total a whole number ≥ 0. */
export function floorOfShare(total: number, share: number): number {
  const { numerator, denominator } = decimal(share);
  return Number((BigInt(total) * numerator) / denominator);
}

/** part ≤ share × total. */
export function isWithinShare(part: number, total: number, share: number): boolean {
  const { numerator, denominator } = decimal(share);
  return BigInt(part) * denominator <= BigInt(total) * numerator;
}

/** part ≥ share × total. */
export function isAtLeastShare(part: number, total: number, share: number): boolean {
  const { numerator, denominator } = decimal(share);
  return BigInt(part) * denominator >= BigInt(total) * numerator;
}
