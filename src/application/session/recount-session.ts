/** A session whose counter changed is counted anew before anything is decided from its counts. */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { entryTokens } from '../../domain/session/measure-entry.js';
import type { SessionKey, SessionRepository } from '../../domain/session/repositories.js';
import type { Session } from '../../domain/session/session.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { retryStale } from './retry-stale.js';

/** Entries that are read and counted at once. */
const PAGE_ENTRIES = 2_000;

export function isCountedBy(
  { counterName, counterVersion }: Pick<Session, 'counterName' | 'counterVersion'>,
  { name, version }: TokenCounter,
): boolean {
  return counterName === name && counterVersion === version;
}

/**
 * Counts the session by the counter at hand, unless it is counted by it already.
 *
 * @returns the session with the counter that its counts are now by.
 */
export async function recountIfChanged(
  {
    repositories,
    unitOfWork,
    tokenCounter,
  }: {
    readonly repositories: { readonly sessions: SessionRepository };
    readonly unitOfWork: UnitOfWork<'sessions'>;
    readonly tokenCounter: TokenCounter;
  },
  key: SessionKey,
): Promise<Session> {
  const session = await repositories.sessions.get(key);
  if (isCountedBy(session, tokenCounter)) return session;
  return retryStale(() =>
    unitOfWork(async ({ sessions }) => recount(await sessions.lock(key), sessions, tokenCounter)),
  );
}

/**
 * Inside a transaction that holds the session. Old counts stay beside the new ones. What media cost
 * depends on no counter.
 *
 * @returns the session with the counter that its counts are now by.
 */
export async function recount(
  session: Session,
  sessions: SessionRepository,
  counter: TokenCounter,
): Promise<Session> {
  if (isCountedBy(session, counter)) return session;
  for (let from = 1; from <= session.lastSeq; from += PAGE_ENTRIES) {
    const to = Math.min(from + PAGE_ENTRIES - 1, session.lastSeq);
    const entries = await sessions.listEntries(session, { from, to });
    const counts = entries.map((entry) => ({
      seq: entry.seq,
      tokenCount: entry.kind === 'attachment' ? entry.tokenCount : entryTokens(entry, counter),
    }));
    await sessions.addCounts(session, counter, counts);
  }
  await sessions.setCounter(session, counter);
  return { ...session, counterName: counter.name, counterVersion: counter.version };
}
