/** Time, ids and digests of this machine. */
import { createHash, hash, randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock, NewId } from '../../application/ports/system.js';
import type { Digest, NewByteDigest } from '../../domain/kernel/measures.js';

export const systemClock: Clock = () => new Date();

/** Monotonic, so that ids of one process sort as they were made; the plain `ulid()` is also a hundred times slower. */
export function createNewId(): NewId {
  const next = monotonicFactory(createRandom());
  return () => next();
}

/** Random bytes that are asked of the system at once: an id of a new millisecond takes sixteen. */
const RANDOM_BYTES = 4_096;

/** From 0 up to, and without, 1. */
function createRandom(): () => number {
  const bytes = new Uint8Array(RANDOM_BYTES);
  let used = RANDOM_BYTES;
  return () => {
    if (used === RANDOM_BYTES) {
      randomFillSync(bytes);
      used = 0;
    }
    const byte = bytes[used] ?? 0;
    used += 1;
    return byte / 256;
  };
}

export const sha256: Digest = (text) => hash('sha256', text, 'hex');

export const newSha256: NewByteDigest = () => {
  const digest = createHash('sha256');
  return {
    update: (bytes) => void digest.update(bytes),
    hex: () => digest.digest('hex'),
  };
};
