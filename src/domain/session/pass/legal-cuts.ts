/**
 * Where a session may be cut: a cut is legal where no unit has entries on both sides. Every chooser
 * picks from these cuts, so no later pass can part a call from its results.
 */

/** What a cut needs to know of an entry. */
export interface CutPlace {
  readonly seq: number;
  readonly unitId: string;
}

export interface UnitCut {
  readonly unitCount: number;
  readonly seq: number;
}

/**
 * The legal cuts, ascending. A cut is named by the last `seq` that leaves; 0 stands for "nothing
 * leaves". The cut behind the last entry is not among them: the last unit always stays.
 *
 * @param places entries in ascending order of `seq`.
 */
export function legalCuts(places: readonly CutPlace[]): readonly number[] {
  const lastIndex = new Map<string, number>();
  for (const [index, { unitId }] of places.entries()) lastIndex.set(unitId, index);

  const cuts = [0];
  let openUntil = -1;
  for (const [index, { seq, unitId }] of places.entries()) {
    openUntil = Math.max(openUntil, lastIndex.get(unitId) ?? index);
    if (openUntil === index && index < places.length - 1) cuts.push(seq);
  }
  return cuts;
}

/** The legal cut at `seq`, or the nearest before it. @param cuts ascending, beginning with 0. */
export function legalCutAtOrBefore(cuts: readonly number[], seq: number): number {
  return cuts.findLast((cut) => cut <= seq) ?? 0;
}

/**
 * The same cuts, read off the ends of units.
 *
 * @param units in the order of their first entries.
 * @returns how many units leave and the last `seq` of theirs, beginning with none.
 */
export function unitCuts(
  units: readonly { readonly firstSeq: number; readonly lastSeq: number }[],
): readonly UnitCut[] {
  const cuts: UnitCut[] = [{ unitCount: 0, seq: 0 }];
  let openUntil = 0;
  let unitCount = 0;
  for (const { firstSeq, lastSeq } of units) {
    if (unitCount > 0 && firstSeq > openUntil) cuts.push({ unitCount, seq: openUntil });
    openUntil = Math.max(openUntil, lastSeq);
    unitCount += 1;
  }
  return cuts;
}
