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

type Unchecked = Partial<Record<keyof ContextFragment, unknown>>;

/**
 * Checks every field of one fragment.
 *
 * @throws OssatureError INVALID_FRAGMENT with details `{ fragmentId, index, field }`.
 */
export function requireFragment(value: unknown, index: number): asserts value is ContextFragment {
  requireUndecided(value, index);
  requireDecision(value, index);
}

/**
 * Checks every field of one fragment but its text.
 *
 * @throws OssatureError INVALID_FRAGMENT with details `{ fragmentId, index, field }`.
 */
export function requireWeighed(value: unknown, index: number): asserts value is WeighedFragment {
  requireUndecidedWeight(value, index);
  requireDecision(value, index);
}

/** {@link requireFragment} but for the decision, which many fragments share. */
export function requireUndecided(value: unknown, index: number): asserts value is ContextFragment {
  requireUndecidedWeight(value, index);
  const { content } = value as Unchecked;
  if (typeof content !== 'string') {
    throw breach(value, index, 'content', 'must be a string', typeof content);
  }
}

/** {@link requireWeighed} but for the decision, which many fragments share. */
export function requireUndecidedWeight(
  value: unknown,
  index: number,
): asserts value is WeighedFragment {
  if (typeof value !== 'object' || value === null) {
    throw breach(value, index, 'fragment', 'must be an object', value);
  }
  const { fragmentId, tokenCount, relevance } = value as Unchecked;
  if (typeof fragmentId !== 'string' || fragmentId.length === 0) {
    throw breach(value, index, 'fragmentId', 'must be a string that is not empty', fragmentId);
  }
  if (typeof tokenCount !== 'number' || !Number.isSafeInteger(tokenCount) || tokenCount < 0) {
    throw breach(value, index, 'tokenCount', 'must be a safe integer ≥ 0', tokenCount);
  }
  if (!(typeof relevance === 'number' && relevance >= 0 && relevance <= 1)) {
    throw breach(value, index, 'relevance', 'must be a number in [0, 1]', relevance);
  }
}

/** @throws OssatureError INVALID_FRAGMENT unless the decision is a ULID or absent. */
export function requireDecision(fragment: object, index: number): void {
  const { decisionId } = fragment as Unchecked;
  if (decisionId !== undefined && decisionId !== null && !isUlid(decisionId)) {
    throw breach(fragment, index, 'decisionId', 'must be a ULID or absent', decisionId);
  }
}

/** @throws OssatureError INVALID_FRAGMENT when this fragment takes the sum beyond the safe integers. */
export function requireWithinSafeSum(
  totalTokens: number,
  fragment: WeighedFragment,
  index: number,
): void {
  if (totalTokens <= Number.MAX_SAFE_INTEGER) return;
  throw breach(
    fragment,
    index,
    'tokenCount',
    'must keep the sum of all token counts within the safe integers',
    fragment.tokenCount,
  );
}

/** The error for a second fragment of one id. */
export function duplicateOf(fragmentId: string, index: number): OssatureError {
  return new OssatureError(
    'DUPLICATE_FRAGMENT',
    `${nameOf(fragmentId, index)} has the fragmentId of an earlier fragment; ids must be unique.`,
    { details: { fragmentId, index, field: 'fragmentId' } },
  );
}

function breach(fragment: unknown, index: number, field: string, rule: string, got: unknown) {
  const id = (fragment as Unchecked | null | undefined)?.fragmentId;
  const fragmentId = typeof id === 'string' ? id : null;
  return new OssatureError(
    'INVALID_FRAGMENT',
    `${nameOf(fragmentId, index)}: ${field} ${rule}, got ${describe(got)}.`,
    { details: { fragmentId, index, field } },
  );
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
