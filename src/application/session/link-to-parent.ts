/**
 * A sub-agent's session is linked to the session and to the call that started it: the call whose
 * result names it, else the one whose brief it begins with.
 */
import { isJsonObject } from '../../domain/redaction/json-value.js';
import type { SessionRepository } from '../../domain/session/repositories.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import type { SessionName } from './identify-session.js';

/** The session around a sub-agent, and the call that started it; null where it is not known. */
export interface StartedBy {
  readonly session: Session;
  readonly callId: string | null;
}

interface Wanted {
  readonly name: SessionName;
  /** Of a sub-agent inside the source; null: the store is asked by the name. */
  readonly startedBy: StartedBy | null;
  readonly sessions: SessionRepository;
  readonly dryRun: boolean;
}

export interface ParentLink {
  readonly parentSessionId: string;
  readonly hasCall: boolean;
  /** Of the call, where the link was found now. */
  readonly callId: string | null;
}

/** UTF-16 units of a brief that are compared. */
const COMPARED = 500;

/** @returns the link, or null where there is no parent, or it is not in the store. */
export async function linkToParent(
  session: Session,
  { name: { parent }, startedBy, sessions, dryRun }: Wanted,
): Promise<ParentLink | null> {
  const { tenantId, vendor, parentSessionId } = session;
  if (parentSessionId !== null) {
    return { parentSessionId, hasCall: session.parentEntryId !== null, callId: null };
  }
  if (parent === null && startedBy === null) return null;
  const above =
    startedBy?.session ??
    (parent && (await sessions.findByVendorId(tenantId, vendor, parent.vendorSessionId)));
  if (above === null || above === undefined) return null;
  if (dryRun) return { parentSessionId: above.sessionId, hasCall: true, callId: null };
  const all = { from: 1, to: null };
  const entries = await sessions.listEntries(above, all, ['tool_call', 'tool_result']);
  const callId = startedBy?.callId ?? namedBy(entries, parent?.agentName ?? '');
  const [first] = await sessions.listEntries(session, { from: 1, to: 1 });
  const brief = beginningOf(first?.content ?? '');
  const call = entries.find(
    (entry) =>
      entry.kind === 'tool_call' &&
      entry.spawn !== null &&
      (callId === null
        ? brief !== '' && beginningOf(entry.spawn.brief) === brief
        : entry.callId === callId),
  );
  await sessions.setParent(session, above.sessionId, call?.entryId ?? null);
  const linkedBy = call?.kind === 'tool_call' ? call.callId : null;
  return { parentSessionId: above.sessionId, hasCall: linkedBy !== null, callId: linkedBy };
}

/** The call whose result names the agent. */
function namedBy(entries: readonly SessionEntry[], agentName: string): string | null {
  const named = entries.find(
    (entry) =>
      entry.kind === 'tool_result' &&
      isJsonObject(entry.detail) &&
      entry.detail['agentId'] === agentName,
  );
  return named?.kind === 'tool_result' ? named.callId : null;
}

function beginningOf(text: string): string {
  return text.slice(0, COMPARED).trim();
}
