/** A session before its first entry. */
import type { TokenCounter } from '../kernel/measures.js';
import type { Session } from './session.js';

type Named = Pick<Session, 'tenantId' | 'sessionId' | 'vendor'>;

type Known = Pick<
  Session,
  'projectId' | 'planId' | 'agentName' | 'vendorSessionId' | 'projectRoot'
>;

/** @param given what is known of it; the rest is null. */
export function newSession(
  given: Named & Partial<Known>,
  { name, version }: Pick<TokenCounter, 'name' | 'version'>,
  now: Date,
): Session {
  return {
    projectId: null,
    planId: null,
    parentSessionId: null,
    parentEntryId: null,
    agentName: null,
    vendorSessionId: null,
    model: null,
    projectRoot: null,
    ...given,
    counterName: name,
    counterVersion: version,
    settings: {},
    cycle: 0,
    revision: 1,
    lastSeq: 0,
    lastTurn: 0,
    createdAt: now,
    updatedAt: now,
  };
}
