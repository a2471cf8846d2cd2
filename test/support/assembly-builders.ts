/** Fragments and offers of an assembly, with fixed values where a test says nothing. */
import type { AssemblyFragment, OfferedFragment, ScoredFragment } from '../../src/index.js';
import { parsePlanId } from '../../src/index.js';

export const A_PLAN = parsePlanId('01ARZ3NDEKTSV4RRFFQ69G5FAV');

export function anAssemblyFragment(given: Partial<AssemblyFragment> = {}): AssemblyFragment {
  const { fragmentId = 'a' } = given;
  return {
    planId: A_PLAN,
    fragmentId,
    content: `content of ${fragmentId}`,
    tokenCount: 20,
    relevance: 0.5,
    ...given,
  };
}

export function anOffer(
  given: Partial<AssemblyFragment> = {},
  by: Partial<Omit<OfferedFragment, 'fragment'>> = {},
): OfferedFragment {
  return { fragment: anAssemblyFragment(given), strategy: 'keyword', quality: 0.3, ...by };
}

export function aScored(
  given: Partial<AssemblyFragment> = {},
  by: { readonly total?: number; readonly strategy?: string } = {},
): ScoredFragment {
  const { total = 0.5, strategy = 'keyword' } = by;
  const score = { relevance: total, hierarchy: 1, quality: 0.3, recency: 0, total };
  return { ...anOffer(given, { strategy }), score };
}

/** A counter of words: what it says can be read off a test. */
export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;
