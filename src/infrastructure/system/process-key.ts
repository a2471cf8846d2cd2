/** The key under which secrets become placeholders where a host brings none. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Digest } from '../../domain/kernel/measures.js';

const key = randomBytes(32);

/** Equal secrets give equal placeholders as long as the process lives, and nobody can test a guess. */
export function processKeyedDigest(): Digest {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
