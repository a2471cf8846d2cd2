/** Stage 5's rule between the skeleton and the rest: of one fragment the deeper showing stays. */
import {
  type ExcludedFragment,
  excluded,
  keyOf,
  type PackedFragment,
  type ShownFragment,
} from './assembly-fragment.js';

export interface Settled {
  readonly skeleton: readonly ShownFragment[];
  readonly packed: readonly PackedFragment[];
  /** What is not shown a second time; an outline of the skeleton is of no strategy. */
  readonly excluded: readonly ExcludedFragment[];
}

/**
 * An outline in the skeleton is dropped where the fragment was packed deeper, and a packed fragment
 * where the skeleton shows as much of it. What that frees stays free.
 */
export function settleDepths(
  skeleton: readonly ShownFragment[],
  packed: readonly PackedFragment[],
): Settled {
  if (skeleton.length === 0) return { skeleton, packed, excluded: [] };
  const outlineDepths = depthsByKey(skeleton);
  const packedDepths = depthsByKey(packed.map(({ shown }) => shown));
  const isShownDeeper = (
    shown: ShownFragment,
    here: ReadonlyMap<string, number>,
    there: ReadonlyMap<string, number>,
  ): boolean => (there.get(keyOf(shown)) ?? -1) > (here.get(keyOf(shown)) ?? 0);
  const outlines = new Set(
    skeleton.filter((shown) => isShownDeeper(shown, outlineDepths, packedDepths)),
  );
  const repeats = new Set(
    packed.filter(
      ({ shown }) =>
        outlineDepths.has(keyOf(shown)) && !isShownDeeper(shown, outlineDepths, packedDepths),
    ),
  );
  return {
    skeleton: skeleton.filter((shown) => !outlines.has(shown)),
    packed: packed.filter((one) => !repeats.has(one)),
    excluded: [
      ...[...repeats].map((one) => excluded(one, 'shallower')),
      ...[...outlines].map(({ planId, fragmentId, tokenCount }): ExcludedFragment => ({
        planId,
        fragmentId,
        tokenCount,
        reason: 'shallower',
        strategy: null,
      })),
    ],
  };
}

/** By key, a fragment that is shown whole is the deepest; a depth that nobody knows is the least. */
function depthsByKey(shown: readonly ShownFragment[]): ReadonlyMap<string, number> {
  return new Map(
    shown.map((one) => [
      keyOf(one),
      one.reduced === undefined ? Infinity : (one.reduced.depth ?? 0),
    ]),
  );
}
