/** A unit too large for one fragment is shown as head, tail and a handle to the whole. */
import type { TokenCounter } from '../kernel/measures.js';
import { boundaryBefore } from './cut-text.js';

export interface FittedContent {
  readonly content: string;
  readonly tokenCount: number;
  /** Tokens of the whole text where it was shortened, else null. */
  readonly wholeTokens: number | null;
}

/** Share of what is kept that goes to the head; a unit says at its start what it is about. */
const HEAD_SHARE = 0.7;

/** Factor by which the kept part shrinks when a first estimate does not fit. */
const SHRINK = 0.8;

/** @param maxTokens ceiling of the content, > 0, with the marker counted in. */
export function fitContent(
  whole: string,
  maxTokens: number,
  handle: string,
  counter: TokenCounter,
): FittedContent {
  const wholeTokens = counter.count(whole);
  if (wholeTokens <= maxTokens)
    return { content: whole, tokenCount: wholeTokens, wholeTokens: null };

  let kept = Math.floor((whole.length * maxTokens) / wholeTokens);
  for (;;) {
    const headEnd = boundaryBefore(whole, Math.floor(kept * HEAD_SHARE));
    const tailStart = boundaryBefore(whole, whole.length - Math.floor(kept * (1 - HEAD_SHARE)));
    const left = tailStart - headEnd;
    const marker = `[${left} of ${whole.length} characters left out here; the whole has ${wholeTokens} tokens: ${handle}]`;
    const content = `${whole.slice(0, headEnd)}\n${marker}\n${whole.slice(tailStart)}`;
    const tokenCount = counter.count(content);
    if (tokenCount <= maxTokens || kept === 0) return { content, tokenCount, wholeTokens };
    kept = Math.floor(kept * SHRINK);
  }
}
