/** Makes fragments comparable by size, and refuses those that a strategy must not give. */
import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import { requireFragment } from '../../domain/context/context-fragment.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';

/** {@link counted}, but for a fragment of the store that the bound counter counted when it came in. */
export function measured(fragment: AssemblyFragment, counter: TokenCounter): AssemblyFragment {
  return fragment.tokenCounter === nameOf(counter) ? fragment : counted(fragment, counter);
}

/**
 * The fragment with its tokens as the bound counter counts them. A count from outside that names no
 * counter may stand for more than the text (an image, a wrapper): the greater of the two holds.
 */
export function counted(fragment: AssemblyFragment, counter: TokenCounter): AssemblyFragment {
  const { tokenCounter: by = null, content, tokenCount } = fragment;
  const tokens = counter.count(content);
  return {
    ...fragment,
    tokenCount: by === null ? Math.max(tokens, tokenCount) : tokens,
    tokenCounter: nameOf(counter),
  };
}

function nameOf({ name, version }: TokenCounter): string {
  return `${name}@${version}`;
}

/** @throws OssatureError INVALID_FRAGMENT naming the first fragment that is unsound or of another plan. */
export function requireOffers(
  offers: unknown,
  lineage: readonly string[],
): readonly AssemblyFragment[] {
  if (!Array.isArray(offers)) {
    throw new OssatureError('INVALID_FRAGMENT', 'A strategy must answer a list of fragments.');
  }
  const plans = new Set(lineage);
  return offers.map((offer: unknown, index) => {
    requireFragment(offer, index);
    const fragment = offer as AssemblyFragment;
    const { planId, fragmentId, hierarchy = 1, recency = 0, depth = 0 } = fragment;
    if (!plans.has(planId)) {
      throw breach(index, fragmentId, 'planId', 'must name the plan or one of its ancestors');
    }
    for (const [field, share] of Object.entries({ hierarchy, recency })) {
      if (!(share >= 0 && share <= 1)) throw breach(index, fragmentId, field, 'must be in [0, 1]');
    }
    if (!(depth >= 0)) throw breach(index, fragmentId, 'depth', 'must be a number ≥ 0');
    return fragment;
  });
}

function breach(index: number, fragmentId: string, field: string, rule: string): OssatureError {
  return new OssatureError(
    'INVALID_FRAGMENT',
    `Fragment ${JSON.stringify(fragmentId.slice(0, 60))} at index ${index}: ${field} ${rule}.`,
    { details: { fragmentId, index, field } },
  );
}
