/**
 * Fragments read once, into columns. What follows (order, packing) then runs over plain numbers;
 * reading a million objects a second time would cost as much as all of it.
 */
import { OssatureError } from '../kernel/errors.js';
import {
  duplicateOf,
  requireDecision,
  requireWithinSafeSum,
  type WeighedFragment,
} from './context-fragment.js';
import { hashOfId, indexOfRepeatedId } from './distinct-ids.js';

/** The row of `decisionIds` that stands for "none". */
export const NO_DECISION = 0;

/** One row a fragment, in arrival order. */
export interface FragmentColumns {
  /** In [0, 1], without −0. Whoever orders by them may take them over. */
  readonly relevances: Float64Array;
  readonly tokenCounts: Float64Array;
  /** Rows of `decisionIds`. */
  readonly decisions: Uint32Array;
  /** Every decision once, in order of first arrival, behind the row of {@link NO_DECISION}. */
  readonly decisionIds: readonly string[];
  readonly totalTokens: number;
}

/**
 * Checks every fragment and all of them together, and reads them.
 *
 * @param requireSound throws unless all but the decision of one fragment is sound.
 * @throws OssatureError INVALID_FRAGMENT, DUPLICATE_FRAGMENT.
 */
export function readColumns(
  fragments: readonly WeighedFragment[],
  requireSound: (value: unknown, index: number) => asserts value is WeighedFragment,
): FragmentColumns {
  if (!isList(fragments)) {
    throw new OssatureError('INVALID_FRAGMENT', 'fragments must be an array.', {
      details: { fragmentId: null, index: null, field: 'fragments' },
    });
  }
  const { length } = fragments;
  const relevances = new Float64Array(length);
  const tokenCounts = new Float64Array(length);
  const decisions = new Uint32Array(length);
  const hashes = new Int32Array(length);
  const rowOfDecision = new Map<string, number>();
  const decisionIds = [''];
  let totalTokens = 0;

  for (let index = 0; index < length; index += 1) {
    const fragment: unknown = fragments[index];
    requireSound(fragment, index);
    const { tokenCount, decisionId } = fragment;
    totalTokens += tokenCount;
    requireWithinSafeSum(totalTokens, fragment, index);
    relevances[index] = fragment.relevance + 0;
    tokenCounts[index] = tokenCount;
    hashes[index] = hashOfId(fragment.fragmentId);
    if (decisionId === undefined || decisionId === null) continue;
    let row = rowOfDecision.get(decisionId);
    if (row === undefined) {
      requireDecision(fragment, index);
      row = decisionIds.push(decisionId) - 1;
      rowOfDecision.set(decisionId, row);
    }
    decisions[index] = row;
  }

  const idAt = (index: number) => fragments[index]?.fragmentId ?? '';
  const repeated = indexOfRepeatedId(hashes, idAt);
  if (repeated >= 0) throw duplicateOf(idAt(repeated), repeated);
  return { relevances, tokenCounts, decisions, decisionIds, totalTokens };
}

/** `Array.isArray` for a readonly array, which it would otherwise turn into one of `any`. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
