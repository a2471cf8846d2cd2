/**
 * Ids as numbers that order as the ids do: as many characters behind a shared prefix as fit a whole
 * number. Two ids of one number must still be compared as strings.
 *
 * The characters of a few ids tell the range that gets codes of its own. Those below it share one
 * code and those above it another, and what follows such a character is not packed.
 */

/** Below it, every whole number is a number of its own. */
const WHOLE_NUMBERS = 2 ** 53;

/** Codes 0 and 1: behind the end of the id, below the range. The code above the range is the last. */
const BELOW = 1;
const LOWEST = 2;

/** Codes of more characters than this leave no room for several of them. */
const WIDEST_RANGE = 120;

/** Ids looked at to choose the prefix and the range. Others may differ; they only part less well. */
const SAMPLES = 64;

type Fragments = readonly { readonly fragmentId: string }[];

/** How ids are packed: fixed for all ids whose numbers are compared. */
export interface IdPacking {
  /** An id without it packs below, or above, all that have it. */
  readonly prefix: string;
  /** The code unit that gets the lowest code of the range. */
  readonly lowest: number;
  /** One more than the greatest code. */
  readonly base: number;
  /** Packed behind the prefix. */
  readonly characters: number;
}

/** One number an id, at the id's row. */
export function packIds(
  fragments: Fragments,
  packing: IdPacking = packingOf(fragments),
): Float64Array {
  const packed = new Float64Array(fragments.length);
  for (let row = 0; row < fragments.length; row += 1) {
    packed[row] = packId(fragments[row]?.fragmentId ?? '', packing);
  }
  return packed;
}

/** The packing that suits a few of the ids. */
export function packingOf(fragments: Fragments): IdPacking {
  const step = Math.max(1, Math.floor(fragments.length / SAMPLES));
  const first = fragments[0]?.fragmentId ?? '';
  let shared = first.length;
  for (let row = step; row < fragments.length; row += step) {
    shared = lengthInCommon(fragments[row]?.fragmentId ?? '', first, shared);
  }
  let lowest = WIDEST_RANGE;
  let highest = 0;
  for (let row = 0; row < fragments.length; row += step) {
    const id = fragments[row]?.fragmentId ?? '';
    for (let at = shared; at < id.length; at += 1) {
      lowest = Math.min(lowest, id.charCodeAt(at));
      highest = Math.max(highest, id.charCodeAt(at));
    }
  }
  const width = Math.min(WIDEST_RANGE, Math.max(1, highest - lowest + 1));
  const base = LOWEST + width + 1;
  const characters = Math.floor(Math.log(WHOLE_NUMBERS) / Math.log(base));
  return { prefix: first.slice(0, shared), lowest, base, characters };
}

/** A whole number in [0, 2⁵³]: an id of a lesser number comes before one of a greater. */
export function packId(id: string, { prefix, lowest, base, characters }: IdPacking): number {
  const from = prefix.length;
  if (lengthInCommon(id, prefix, from) < from) return id < prefix ? 0 : base ** characters;
  const above = base - 1;
  const end = Math.min(id.length, from + characters);
  let number = 0;
  let at = from;
  for (let isInside = true; at < end && isInside; at += 1) {
    const code = id.charCodeAt(at) - lowest + LOWEST;
    isInside = code >= LOWEST && code < above;
    number = number * base + (isInside ? code : code < LOWEST ? BELOW : above);
  }
  for (; at < from + characters; at += 1) number *= base;
  return number;
}

function lengthInCommon(id: string, other: string, most: number): number {
  const end = Math.min(id.length, most);
  let at = 0;
  while (at < end && id.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}
