/**
 * Ids as numbers that order as the ids do: as many characters behind the prefix that all ids share
 * as fit a whole number. Two ids of one number must still be compared as strings.
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

/** Ids looked at to guess the shared prefix, before all are checked against the guess. */
const SAMPLES = 64;

/** One number an id, at the id's row. */
export function packIds(fragments: readonly { readonly fragmentId: string }[]): Float64Array {
  const packed = new Float64Array(fragments.length);
  const guess = sharedPrefix(fragments, Math.max(1, Math.floor(fragments.length / SAMPLES)));
  if (!packBehind(guess, fragments, packed))
    packBehind(sharedPrefix(fragments, 1), fragments, packed);
  return packed;
}

interface Range {
  readonly lowest: number;
  /** One more than the greatest code. */
  readonly base: number;
  readonly characters: number;
}

function rangeBehind(from: number, fragments: readonly { readonly fragmentId: string }[]): Range {
  let lowest = WIDEST_RANGE;
  let highest = 0;
  const step = Math.max(1, Math.floor(fragments.length / SAMPLES));
  for (let row = 0; row < fragments.length; row += step) {
    const id = fragments[row]?.fragmentId ?? '';
    for (let at = from; at < id.length; at += 1) {
      lowest = Math.min(lowest, id.charCodeAt(at));
      highest = Math.max(highest, id.charCodeAt(at));
    }
  }
  const width = Math.min(WIDEST_RANGE, Math.max(1, highest - lowest + 1));
  const base = LOWEST + width + 1;
  return { lowest, base, characters: Math.floor(Math.log(WHOLE_NUMBERS) / Math.log(base)) };
}

/** The prefix that every `step`-th id has. */
function sharedPrefix(fragments: readonly { readonly fragmentId: string }[], step: number): string {
  const first = fragments[0]?.fragmentId ?? '';
  let shared = first.length;
  for (let row = step; row < fragments.length; row += step) {
    shared = lengthInCommon(fragments[row]?.fragmentId ?? '', first, shared);
  }
  return first.slice(0, shared);
}

function lengthInCommon(id: string, other: string, most: number): number {
  const end = Math.min(id.length, most);
  let at = 0;
  while (at < end && id.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

/** False when an id has another prefix; what was packed is of no use then. */
function packBehind(
  prefix: string,
  fragments: readonly { readonly fragmentId: string }[],
  packed: Float64Array,
): boolean {
  const range = rangeBehind(prefix.length, fragments);
  for (let row = 0; row < fragments.length; row += 1) {
    const id = fragments[row]?.fragmentId ?? '';
    if (lengthInCommon(id, prefix, prefix.length) < prefix.length) return false;
    packed[row] = pack(id, prefix.length, range);
  }
  return true;
}

function pack(id: string, from: number, { lowest, base, characters }: Range): number {
  const above = base - 1;
  let number = 0;
  let isOutside = false;
  for (let at = from; at < from + characters; at += 1) {
    let code = 0;
    if (at < id.length && !isOutside) {
      code = id.charCodeAt(at) - lowest + LOWEST;
      isOutside = code < LOWEST || code >= above;
      if (isOutside) code = code < LOWEST ? BELOW : above;
    }
    number = number * base + code;
  }
  return number;
}
