/**
 * Ids as numbers that order as the ids do: the first seven characters behind the prefix that all
 * ids share, seven bits each. Two ids of one number must still be compared as strings.
 *
 * Characters from code 126 on share one code, and what follows such a character is not packed.
 */

/** 7 × 7 bits is the most that fits the 53 bits of a whole number. */
const PACKED_CHARACTERS = 7;
const BASE = 128;
const BEYOND = BASE - 1;

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
  for (let row = 0; row < fragments.length; row += 1) {
    const id = fragments[row]?.fragmentId ?? '';
    if (lengthInCommon(id, prefix, prefix.length) < prefix.length) return false;
    packed[row] = pack(id, prefix.length);
  }
  return true;
}

function pack(id: string, from: number): number {
  let number = 0;
  let isBeyond = false;
  for (let at = from; at < from + PACKED_CHARACTERS; at += 1) {
    let code = 0;
    if (at < id.length && !isBeyond) {
      code = id.charCodeAt(at) + 1;
      if (code >= BEYOND) {
        code = BEYOND;
        isBeyond = true;
      }
    }
    number = number * BASE + code;
  }
  return number;
}
