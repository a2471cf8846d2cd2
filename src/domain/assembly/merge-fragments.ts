/** Stages 4 and 5: one copy of a content, one depth of a node. What loses is named. */
import { contentDomainOf, MAX_DEPTHS } from '../context/detail-level.js';
import {
  type AssemblyFragment,
  type ExcludedFragment,
  excluded,
  nodeOf,
  type OfferedFragment,
} from './assembly-fragment.js';
import type { DetailDepthResolver, FragmentDeduplicator } from './assembly-stages.js';

/**
 * Of the same node and content the most relevant offer stays, of equal ones the first, whose strategy
 * is served first and has the larger promise. Contents are compared themselves: the engine hashes a
 * text once, and two texts of one hash are still told apart.
 */
export const dropDuplicates: FragmentDeduplicator = (offered, alreadyIn) => {
  const bestOf = new Map<string, Map<string, OfferedFragment | null>>();
  const contentsOf = (fragment: AssemblyFragment): Map<string, OfferedFragment | null> => {
    const node = nodeOf(fragment);
    const contents = bestOf.get(node) ?? new Map<string, OfferedFragment | null>();
    bestOf.set(node, contents);
    return contents;
  };
  for (const fragment of alreadyIn) contentsOf(fragment).set(fragment.content, null);
  for (const offer of offered) {
    const contents = contentsOf(offer.fragment);
    const best = contents.get(offer.fragment.content);
    if (best === undefined || (best !== null && isMoreRelevant(offer, best))) {
      contents.set(offer.fragment.content, offer);
    }
  }
  return split(
    offered,
    (offer) => bestOf.get(nodeOf(offer.fragment))?.get(offer.fragment.content) === offer,
    'duplicate',
  );
};

/** Of one node the deepest offer stays, of equally deep ones the most relevant, then the first. */
export const resolveDepth: DetailDepthResolver = (offered) => {
  const bestOf = new Map<string, { readonly offer: OfferedFragment; readonly depth: number }>();
  for (const offer of offered) {
    const node = nodeOf(offer.fragment);
    const depth = depthOf(offer.fragment);
    const best = bestOf.get(node);
    const isBetter =
      best === undefined ||
      depth > best.depth ||
      (depth === best.depth && isMoreRelevant(offer, best.offer));
    if (isBetter) bestOf.set(node, { offer, depth });
  }
  return split(
    offered,
    (offer) => bestOf.get(nodeOf(offer.fragment))?.offer === offer,
    'shallower',
  );
};

/** The depth that a fragment shows of its node: all there is, unless it says otherwise. */
export function depthOf({ depth, content, contentDomain }: AssemblyFragment): number {
  return depth ?? MAX_DEPTHS[contentDomain ?? contentDomainOf(content)];
}

function isMoreRelevant(one: OfferedFragment, other: OfferedFragment): boolean {
  return one.fragment.relevance > other.fragment.relevance;
}

function split(
  offered: readonly OfferedFragment[],
  isKept: (offer: OfferedFragment) => boolean,
  reason: 'duplicate' | 'shallower',
): { kept: readonly OfferedFragment[]; excluded: readonly ExcludedFragment[] } {
  const kept: OfferedFragment[] = [];
  const lost: ExcludedFragment[] = [];
  for (const offer of offered) {
    if (isKept(offer)) kept.push(offer);
    else lost.push(excluded(offer, reason));
  }
  return { kept, excluded: lost };
}
