/** The one session of a scratch core. */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { newSession } from '../../domain/session/new-session.js';
import type { Session } from '../../domain/session/session.js';

/** Any ULID: the core is empty. */
const SESSION_ID = '00000000000000000000000000';

export function newScratchSession(tenantId: string, counter: TokenCounter, now: Date): Session {
  return newSession({ tenantId, sessionId: SESSION_ID, vendor: 'claude-code' }, counter, now);
}
