/** The lower renderings of a fragment: those of its source, or those that its text gives. */
import { contentDomainOf, MAX_DEPTHS, renderAtDepth } from '../context/detail-level.js';
import type { AssemblyFragment } from './assembly-fragment.js';

/** Null where the fragment has no rendering at the depth. */
export function renderingAt(fragment: AssemblyFragment, depth: number): string | null {
  const { renderings, content, contentDomain } = fragment;
  if (renderings !== undefined) {
    return renderings.find((rendering) => rendering.depth === depth)?.content ?? null;
  }
  return renderAtDepth(content, contentDomain ?? contentDomainOf(content), depth)?.content ?? null;
}

/**
 * The depth at which the fragment reads like the text; null where it does at none.
 *
 * @param likely tried first, since a rendering is made anew for every depth that is tried.
 */
export function depthOfRendering(
  fragment: AssemblyFragment,
  text: string,
  likely: unknown,
): number | null {
  const { renderings, content, contentDomain } = fragment;
  const deepest = MAX_DEPTHS[contentDomain ?? contentDomainOf(content)];
  const depths =
    renderings?.map(({ depth }) => depth) ?? Array.from({ length: deepest }, (_, depth) => depth);
  const ordered = depths.filter((depth) => depth === likely);
  return [...ordered, ...depths].find((depth) => renderingAt(fragment, depth) === text) ?? null;
}
