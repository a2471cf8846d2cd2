/** Sessions as they lie in the store: found, shown, removed. */
import { OssatureError } from '../../domain/kernel/errors.js';
import { isUlid } from '../../domain/kernel/ids.js';
import type { SeqRange, SessionRepository } from '../../domain/session/repositories.js';
import {
  noSession,
  requireTenant,
  type Session,
  type SessionEntry,
} from '../../domain/session/session.js';
import type { Logger } from '../ports/logger.js';

export class SessionService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly log: Logger,
  ) {}

  /** Newest first. */
  list(tenantId: string): Promise<readonly Session[]> {
    return this.sessions.list(requireTenant(tenantId));
  }

  /**
   * @param name a session_id, or the vendor's name for a session where only one has it.
   * @throws OssatureError NOT_FOUND; INVALID_INPUT where several vendors have a session of this name.
   */
  async resolve(tenantId: string, name: string): Promise<Session> {
    const isId: boolean = isUlid(name);
    if (isId) return this.sessions.get({ tenantId: requireTenant(tenantId), sessionId: name });
    const found = (await this.list(tenantId)).filter(
      ({ vendorSessionId }) => vendorSessionId === name,
    );
    const [session, second] = found;
    if (session === undefined) throw noSession(name.slice(0, 60));
    if (second === undefined) return session;
    throw new OssatureError(
      'INVALID_INPUT',
      `Several sessions are called ${name}: ${found.map(({ sessionId }) => sessionId).join(', ')}. Give the session_id.`,
      { details: { field: 'session', found: found.map(({ sessionId }) => sessionId) } },
    );
  }

  /** @throws OssatureError NOT_FOUND, INVALID_INPUT for a range that begins before 1 or ends before it begins. */
  async entries(session: Session, range: SeqRange): Promise<readonly SessionEntry[]> {
    const { from, to } = range;
    if (!Number.isSafeInteger(from) || from < 1 || (to !== null && !(to >= from))) {
      throw new OssatureError(
        'INVALID_INPUT',
        'entries must be a range such as 1..20: two numbers of entries from 1 on, the smaller first.',
        { details: { field: 'entries' } },
      );
    }
    return this.sessions.listEntries(session, range);
  }

  /** Sessions of its sub-agents, oldest first. */
  children(session: Session): Promise<readonly Session[]> {
    return this.sessions.listChildren(session);
  }

  /** Removes the session with everything of it. Children stay, without a parent. */
  async delete(session: Session): Promise<void> {
    await this.sessions.delete(session);
    this.log.info('session.deleted', { sessionId: session.sessionId, entries: session.lastSeq });
  }
}
