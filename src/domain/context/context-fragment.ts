/**
 * A context fragment: one immutable piece of a plan's context. What a decision to keep needs (id,
 * size, relevance, decision) is kept apart from the text, because the text need not be loaded.
 */
import { OssatureError } from '../kernel/errors.js';
import { isUlid } from '../kernel/ids.js';

/** What a decision to keep needs. */
export interface WeighedFragment {
  /** Not empty, unique within the plan's accumulated context. Compared by code unit. */
  readonly fragmentId: string;
  /** Tokens as counted when the fragment was stored: a safe integer ≥ 0. */
  readonly tokenCount: number;
  /** In [0, 1], 1 is the most relevant. */
  readonly relevance: number;
  /** ULID of the decision it came from, absent when it came from none. */
  readonly decisionId?: string | null | undefined;
}

export interface ContextFragment extends WeighedFragment {
  readonly content: string;
}

/**
 * Checks every field of one fragment but its text.
 *
 * @throws OssatureError INVALID_FRAGMENT with details `{ fragmentId, index, field }`.
 */
export function requireWeighed(value: unknown, index: number): asserts value is WeighedFragment {
  if (typeof value !== 'object' || value === null) {
    throw breach(value, index, 'fragment', 'must be an object', value);
  }
  const { fragmentId, tokenCount, relevance, decisionId } = value as Partial<
    Record<keyof WeighedFragment, unknown>
  >;
  if (typeof fragmentId !== 'string' || fragmentId.length === 0) {
    throw breach(value, index, 'fragmentId', 'must be a string that is not empty', fragmentId);
  }
  if (typeof tokenCount !== 'number' || !Number.isSafeInteger(tokenCount) || tokenCount < 0) {
    throw breach(value, index, 'tokenCount', 'must be a safe integer ≥ 0', tokenCount);
  }
  if (!(typeof relevance === 'number' && relevance >= 0 && relevance <= 1)) {
    throw breach(value, index, 'relevance', 'must be a number in [0, 1]', relevance);
  }
  if (decisionId !== undefined && decisionId !== null && !isUlid(decisionId)) {
    throw breach(value, index, 'decisionId', 'must be a ULID or absent', decisionId);
  }
}

/**
 * Checks every field of one fragment.
 *
 * @throws OssatureError INVALID_FRAGMENT with details `{ fragmentId, index, field }`.
 */
export function requireFragment(value: unknown, index: number): asserts value is ContextFragment {
  requireWeighed(value, index);
  const { content } = value as Partial<Record<keyof ContextFragment, unknown>>;
  if (typeof content !== 'string') {
    throw breach(value, index, 'content', 'must be a string', typeof content);
  }
}

/** @throws OssatureError DUPLICATE_FRAGMENT with details `{ fragmentId, index, field }` of the second one. */
export function requireDistinct(fragments: readonly WeighedFragment[]): void {
  const seen = new Set<string>();
  for (const [index, { fragmentId }] of fragments.entries()) {
    if (seen.has(fragmentId)) {
      throw new OssatureError(
        'DUPLICATE_FRAGMENT',
        `${nameOf(fragmentId, index)} has the fragmentId of an earlier fragment; ids must be unique.`,
        { details: { fragmentId, index, field: 'fragmentId' } },
      );
    }
    seen.add(fragmentId);
  }
}

/** @throws OssatureError INVALID_FRAGMENT when the sum is beyond the safe integers. */
export function totalTokens(fragments: readonly WeighedFragment[]): number {
  let total = 0;
  for (const [index, fragment] of fragments.entries()) {
    total += fragment.tokenCount;
    if (total > Number.MAX_SAFE_INTEGER) {
      throw breach(
        fragment,
        index,
        'tokenCount',
        'must keep the sum of all token counts within the safe integers',
        fragment.tokenCount,
      );
    }
  }
  return total;
}

function breach(fragment: unknown, index: number, field: string, rule: string, got: unknown) {
  const fragmentId = idOf(fragment);
  return new OssatureError(
    'INVALID_FRAGMENT',
    `${nameOf(fragmentId, index)}: ${field} ${rule}, got ${describe(got)}.`,
    { details: { fragmentId, index, field } },
  );
}

function idOf(fragment: unknown): string | null {
  const id = (fragment as Partial<WeighedFragment> | null | undefined)?.fragmentId;
  return typeof id === 'string' ? id : null;
}

function nameOf(fragmentId: string | null, index: number): string {
  return fragmentId === null
    ? `The fragment at index ${index}`
    : `Fragment ${describe(fragmentId)} at index ${index}`;
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === null) return String(value);
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : typeof value;
}
