/** The size of a text for a model: its parts, the blank lines between them, and what they make of each other. */
import { addTokens, multiplyTokens } from '../context/context-budget.js';
import type { TokenCounter } from '../kernel/measures.js';
import { SEPARATOR } from './render-payload.js';

export interface TextPart {
  readonly content: string;
  /** May stand for more than the text, such as an image. */
  readonly tokenCount: number;
}

export function sumTokens(parts: readonly Pick<TextPart, 'tokenCount'>[]): number {
  return parts.reduce((sum, { tokenCount }) => addTokens(sum, tokenCount), 0);
}

/** Tokens of the blank lines between so many texts. */
export function jointTokensOf(texts: number, jointTokens: number): number {
  return multiplyTokens(jointTokens, Math.max(0, texts - 1));
}

/**
 * Tokens of the parts as they are sent: the sum of parts and blank lines, or the count of the whole where
 * that is greater. It can be: a counter that joins letters to tokens may part two texts worse together
 * than each alone.
 */
export function textTokens(
  parts: readonly TextPart[],
  jointTokens: number,
  count: TokenCounter['count'],
): number {
  if (parts.length === 0) return 0;
  const apart = addTokens(sumTokens(parts), jointTokensOf(parts.length, jointTokens));
  return Math.max(apart, count(parts.map(({ content }) => content).join(SEPARATOR)));
}
