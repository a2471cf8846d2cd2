/** The key under which the command line hides secrets: that of the environment, else that of the home. */
import { createHmac } from 'node:crypto';
import type { Digest } from '../../domain/kernel/measures.js';
import { ossatureHome } from '../../infrastructure/persistence/embedded/ossature-home.js';
import { homeKeyedDigest } from '../../infrastructure/container/create-ossature.js';
import type { Environment } from './terminal.js';

export function keyedDigest(env: Environment): Digest {
  const key = env['OSSATURE_REDACTION_KEY'];
  if (!key) return homeKeyedDigest(ossatureHome(env));
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
