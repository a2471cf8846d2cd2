/** What a pass is for, and what it must not touch: size, pairing, tail. */
import type { Findings, GateInput } from './gate-input.js';

export function checkSize(input: GateInput): Findings {
  const { requestBefore, requestAfter, targetTokens, minFreedTokens } = input;
  if (requestBefore.counter !== requestAfter.counter) {
    const reason = `counted by ${requestBefore.counter} before and by ${requestAfter.counter} after`;
    return [{ itemNo: null, reason }];
  }
  const freed = requestBefore.tokens - requestAfter.tokens;
  const reasons: string[] = [];
  // Written so that a count which is no number fails.
  if (!(freed > 0 && freed >= minFreedTokens)) {
    reasons.push(
      `${requestBefore.tokens} tokens became ${requestAfter.tokens}; at least ${minFreedTokens} must be freed`,
    );
  }
  if (!(requestAfter.tokens <= targetTokens))
    reasons.push(`${requestAfter.tokens} tokens are above the target of ${targetTokens}`);
  return reasons.map((reason) => ({ itemNo: null, reason }));
}

export function checkPairing({ pairingProblems }: GateInput): Findings {
  return pairingProblems.map((reason) => ({ itemNo: null, reason }));
}

export function checkTail(input: GateInput): Findings {
  const { tailBefore, tailAfter, latestPrompt, outgoingTexts } = input;
  const reasons: string[] = [];
  if (tailBefore !== tailAfter)
    reasons.push('the kept entries are not byte for byte what they were');
  if (latestPrompt !== null && !outgoingTexts.some((text) => text.includes(latestPrompt)))
    reasons.push('the latest human prompt is not in the outgoing messages word for word');
  return reasons.map((reason) => ({ itemNo: null, reason }));
}
