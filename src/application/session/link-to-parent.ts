/**
 * A sub-agent's session is linked to the session and to the call that started it: the call whose
 * result names it, else the one whose brief it begins with.
 */
import { isJsonObject } from '../../domain/redaction/json-value.js';
import type { SessionRepository } from '../../domain/session/repositories.js';
import type { Session } from '../../domain/session/session.js';
import type { SessionName } from './identify-session.js';

/** UTF-16 units of a brief that are compared. */
const COMPARED = 500;

/** @returns the parent, or null where there is none, or it is not in the store. */
export async function linkToParent(
  session: Session,
  { parent }: SessionName,
  sessions: SessionRepository,
  dryRun: boolean,
): Promise<string | null> {
  if (session.parentSessionId !== null) return session.parentSessionId;
  if (parent === null) return null;
  const { tenantId, vendor } = session;
  const above = await sessions.findByVendorId(tenantId, vendor, parent.vendorSessionId);
  if (above === null || dryRun) return above?.sessionId ?? null;
  const [first] = await sessions.listEntries(session, { from: 1, to: 1 });
  const brief = beginningOf(first?.content ?? '');
  const all = { from: 1, to: null };
  const entries = await sessions.listEntries(above, all, ['tool_call', 'tool_result']);
  const named = entries.find(
    (entry) =>
      entry.kind === 'tool_result' &&
      isJsonObject(entry.detail) &&
      entry.detail['agentId'] === parent.agentName,
  );
  const callId = named?.kind === 'tool_result' ? named.callId : null;
  const call = entries.find(
    (entry) =>
      entry.kind === 'tool_call' &&
      entry.spawn !== null &&
      (callId === null
        ? brief !== '' && beginningOf(entry.spawn.brief) === brief
        : entry.callId === callId),
  );
  await sessions.setParent(session, above.sessionId, call?.entryId ?? null);
  return above.sessionId;
}

function beginningOf(text: string): string {
  return text.slice(0, COMPARED).trim();
}
