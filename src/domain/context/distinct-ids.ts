/**
 * Finds an id that stands twice. A set of a million strings costs more than the whole compression,
 * so ids are first told apart by one bit each: almost every id falls on a bit of its own, and only
 * those that share one are compared as strings. Ids that the bits cannot tell apart make it as slow
 * as the set, never wrong.
 */

/** More characters tell ids apart better; the last ones are the random ones of a ULID. */
const HASHED_CHARACTERS = 12;

/** At 16 bits an id, about one in 16 shares its bit with another. */
const BITS_PER_ID = 16;

/** Hash bits that go unused: at least 2^10 and at most 2^27 bits (16 MB) are set up. */
const FEWEST_SPARE_BITS = 5;
const MOST_SPARE_BITS = 22;

/** A 32-bit hash of the length and the last characters of an id. */
export function hashOfId(id: string): number {
  const { length } = id;
  let hash = length;
  for (let at = length > HASHED_CHARACTERS ? length - HASHED_CHARACTERS : 0; at < length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/**
 * The first index whose id stands at a lower index too, or −1.
 *
 * @param hashes {@link hashOfId} of each id, at the id's index.
 * @param idAt the id at an index; asked for few of them.
 */
export function indexOfRepeatedId(hashes: Int32Array, idAt: (index: number) => string): number {
  const wanted = Math.clz32(hashes.length * BITS_PER_ID);
  const shift = Math.min(MOST_SPARE_BITS, Math.max(FEWEST_SPARE_BITS, wanted));
  const taken = new Int32Array(1 << (27 - shift));
  const shared = new Int32Array(taken.length);
  let isAnyShared = false;
  for (const hash of hashes) {
    const word = hash >>> (shift + 5);
    const bit = 1 << (hash >>> shift);
    const before = taken[word] ?? 0;
    if ((before & bit) === 0) {
      taken[word] = before | bit;
    } else {
      shared[word] = (shared[word] ?? 0) | bit;
      isAnyShared = true;
    }
  }
  return isAnyShared ? indexOfRepeatAmong(hashes, shared, shift, idAt) : -1;
}

function indexOfRepeatAmong(
  hashes: Int32Array,
  shared: Int32Array,
  shift: number,
  idAt: (index: number) => string,
): number {
  const seen = new Set<string>();
  for (let index = 0; index < hashes.length; index += 1) {
    const hash = hashes[index] ?? 0;
    if (((shared[hash >>> (shift + 5)] ?? 0) & (1 << (hash >>> shift))) === 0) continue;
    const id = idAt(index);
    if (seen.has(id)) return index;
    seen.add(id);
  }
  return -1;
}
