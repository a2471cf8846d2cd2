/** Time, ids and digests of this machine. */
import { hash } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock, NewId } from '../../application/ports/system.js';
import type { Digest } from '../../domain/kernel/measures.js';

export const systemClock: Clock = () => new Date();

/** Monotonic, so that ids of one process sort as they were made; the plain `ulid()` is also a hundred times slower. */
export function createNewId(): NewId {
  const next = monotonicFactory();
  return () => next();
}

export const sha256: Digest = (text) => hash('sha256', text, 'hex');
