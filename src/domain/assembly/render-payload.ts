/** A payload as one text for a model: the preamble, what was inherited, then everything else. */
import type { AssemblyPayload } from './assembly-payload.js';

/** One blank line between parts, paid from the room. */
export const SEPARATOR = '\n\n';

export function renderPayload({
  preamble,
  skeletonFragments,
  fragments,
}: Pick<AssemblyPayload, 'preamble' | 'skeletonFragments' | 'fragments'>): string {
  const contents = [...skeletonFragments, ...fragments].map(({ content }) => content);
  return (preamble === '' ? contents : [preamble, ...contents]).join(SEPARATOR);
}
