import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import { addTokens } from '../../domain/context/context-budget.js';

/**
 * As many of the fragments, in their order, as could fill the room. One that is larger than the
 * promised budget counts as that much, since it can only be shown at a lower depth.
 */
export function offerWithinRoom(
  inOrder: Iterable<AssemblyFragment>,
  { budgetTokens, roomTokens }: { readonly budgetTokens: number; readonly roomTokens: number },
): readonly AssemblyFragment[] {
  const offers: AssemblyFragment[] = [];
  let tokens = 0;
  for (const fragment of inOrder) {
    if (tokens >= roomTokens) break;
    offers.push(fragment);
    tokens = addTokens(tokens, Math.min(fragment.tokenCount, budgetTokens));
  }
  return offers;
}
