/** The one session of a scratch core. */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { Session } from '../../domain/session/session.js';

/** Any ULID: the core is empty. */
const SESSION_ID = '00000000000000000000000000';

export function newScratchSession(tenantId: string, counter: TokenCounter, now: Date): Session {
  return {
    sessionId: SESSION_ID,
    tenantId,
    projectId: null,
    planId: null,
    parentSessionId: null,
    parentEntryId: null,
    agentName: null,
    vendor: 'claude-code',
    vendorSessionId: null,
    model: null,
    projectRoot: null,
    counterName: counter.name,
    counterVersion: counter.version,
    settings: {},
    cycle: 0,
    revision: 1,
    lastSeq: 0,
    lastTurn: 0,
    createdAt: now,
    updatedAt: now,
  };
}
