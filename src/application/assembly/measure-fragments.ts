/** Makes fragments comparable by size, and refuses those that a strategy must not give. */
import type { AssemblyFragment, LeftOutFragment } from '../../domain/assembly/assembly-fragment.js';
import { frozen } from '../../domain/assembly/frozen.js';
import { requireTokens } from '../../domain/context/context-budget.js';
import { requireFragment } from '../../domain/context/context-fragment.js';
import { CONTENT_DOMAINS, type Rendering } from '../../domain/context/detail-level.js';
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
  const { renderings } = fragment;
  return {
    ...fragment,
    ...(renderings === undefined
      ? {}
      : { renderings: frozen(renderings.map((one) => ({ ...one }))) }),
    tokenCount: by === null ? Math.max(tokens, tokenCount) : tokens,
    tokenCounter: nameOf(counter),
  };
}

function nameOf({ name, version }: TokenCounter): string {
  return `${name}@${version}`;
}

/**
 * What a strategy answered, as a record of both its parts; the parts are not looked at.
 *
 * @throws OssatureError INVALID_FRAGMENT where it is neither a list nor such a record.
 */
export function answerOf(answer: unknown): {
  readonly fragments: unknown;
  readonly leftOut: unknown;
} {
  if (Array.isArray(answer)) return { fragments: answer, leftOut: [] };
  const { fragments, leftOut = [] } = (answer ?? {}) as Record<string, unknown>;
  if (Array.isArray(fragments) && Array.isArray(leftOut)) return { fragments, leftOut };
  throw new OssatureError('INVALID_FRAGMENT', 'A strategy must answer a list of fragments.');
}

/** @throws OssatureError INVALID_FRAGMENT naming the first entry that is unsound or of another plan. */
export function requireLeftOut(
  leftOut: unknown,
  lineage: readonly string[],
): readonly LeftOutFragment[] {
  const entries = Array.from<unknown>(leftOut as readonly unknown[]);
  return entries.map((entry, index) => {
    const { planId, fragmentId, tokenCount, reason } = (entry ?? {}) as Partial<LeftOutFragment>;
    if (typeof fragmentId !== 'string' || fragmentId === '') {
      throw breach(index, '', 'leftOut', 'must name fragments by their ids');
    }
    if (planId === undefined || !lineage.includes(planId)) {
      throw breach(index, fragmentId, 'planId', 'must name the plan or one of its ancestors');
    }
    if (reason !== undefined && reason !== 'over-budget' && reason !== 'not-offered') {
      throw breach(index, fragmentId, 'reason', 'must be over-budget or not-offered');
    }
    return {
      planId,
      fragmentId,
      tokenCount: requireTokens(tokenCount, 'token_count', 0),
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

/**
 * The offers; what is not of the store is copied first, so that nothing can change after the check.
 *
 * @throws OssatureError INVALID_FRAGMENT naming the first fragment that is unsound or of another plan.
 */
export function requireOffers(
  offers: unknown,
  lineage: readonly string[],
  isStored: (offer: unknown) => boolean,
): readonly AssemblyFragment[] {
  const plans = new Set(lineage);
  return Array.from<unknown>(offers as readonly unknown[]).map((given, index) => {
    const isCopied = typeof given === 'object' && given !== null && !isStored(given);
    const offer: unknown = isCopied ? { ...given } : given;
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
    for (const [field, rule] of unsoundFields(fragment)) {
      throw breach(index, fragmentId, field, rule);
    }
    if (!areRenderings(fragment.renderings)) {
      throw breach(index, fragmentId, 'renderings', 'must be a list of depths and texts');
    }
    return fragment;
  });
}

/** Optional fields that are there and are not what their type says, each with its rule. */
function unsoundFields(fragment: AssemblyFragment): readonly (readonly [string, string])[] {
  const { nodeId, group, kind, position, contentDomain, relevanceTo } = fragment;
  const isNoText = (value: unknown): boolean => value !== undefined && typeof value !== 'string';
  const isOneOf = (value: unknown, known: readonly string[]): boolean =>
    value === undefined || known.some((one) => one === value);
  return [
    ...Object.entries({ nodeId, group, kind }).flatMap(([field, value]) =>
      isNoText(value) ? [[field, 'must be a text'] as const] : [],
    ),
    ...(position === undefined || Number.isFinite(position)
      ? []
      : [['position', 'must be a finite number'] as const]),
    ...(isOneOf(contentDomain, CONTENT_DOMAINS)
      ? []
      : [['contentDomain', `must be one of ${CONTENT_DOMAINS.join(', ')}`] as const]),
    ...(isOneOf(relevanceTo, ['query', 'stored'])
      ? []
      : [['relevanceTo', 'must be query or stored'] as const]),
  ];
}

function areRenderings(value: unknown): boolean {
  if (value === undefined) return true;
  return (
    Array.isArray(value) &&
    Array.from<unknown>(value).every((one) => {
      const { depth, content } = (one ?? {}) as Partial<Rendering>;
      return typeof depth === 'number' && typeof content === 'string';
    })
  );
}

function breach(index: number, fragmentId: string, field: string, rule: string): OssatureError {
  return new OssatureError(
    'INVALID_FRAGMENT',
    `Fragment ${JSON.stringify(fragmentId.slice(0, 60))} at index ${index}: ${field} ${rule}.`,
    { details: { fragmentId, index, field } },
  );
}
