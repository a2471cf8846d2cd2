/**
 * A sub-agent's session is linked to the session and to the call that started it: the call whose
 * result names it, else the one whose brief it begins with. Without a call it is
 * linked to nothing.
 */
import { isJsonObject } from '../../domain/redaction/json-value.js';
import type { SessionRepository } from '../../domain/session/repositories.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import { beginsWithBrief } from '../../domain/session/spawn-brief.js';
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
  /** Null: no call is known that started it, so it is linked to nothing. */
  readonly parentSessionId: string | null;
  /** Of the call, where the link was found now. */
  readonly callId: string | null;
}

/** @returns the link, or null where there is no parent, or it is not in the store. */
export async function linkToParent(
  session: Session,
  { name: { parent }, startedBy, sessions, dryRun }: Wanted,
): Promise<ParentLink | null> {
  const { tenantId, vendor, parentSessionId } = session;
  if (parentSessionId !== null) return { parentSessionId, callId: null };
  if (parent === null && startedBy === null) return null;
  const above =
    startedBy?.session ??
    (parent && (await sessions.findByVendorId(tenantId, vendor, parent.vendorSessionId)));
  if (above === null || above === undefined) return null;
  if (dryRun) {
    const isUnlinked = startedBy !== null && startedBy.callId === null;
    return { parentSessionId: isUnlinked ? null : above.sessionId, callId: null };
  }
  const all = { from: 1, to: null };
  const entries = await sessions.listEntries(above, all, ['tool_call', 'tool_result']);
  const starts = entries.filter(isStart);
  const callId =
    startedBy?.callId ?? namedBy(entries, starts, [parent?.agentName, session.vendorSessionId]);
  const [first] = await sessions.listEntries(session, { from: 1, to: 1 });
  const taken = new Set(
    (await sessions.listChildren(above)).map(({ parentEntryId }) => parentEntryId),
  );
  const called = starts.filter((call) =>
    callId === null
      ? beginsWithBrief(first?.content ?? '', call.spawn?.brief ?? '')
      : call.callId === callId,
  );
  // Of calls with one brief, each starts one sub-agent.
  const call = called.find(({ entryId }) => !taken.has(entryId)) ?? called[0];
  if (call === undefined) return { parentSessionId: null, callId: null };
  await sessions.setParent(session, above.sessionId, call.entryId);
  return { parentSessionId: above.sessionId, callId: call.callId };
}

/**
 * Links sub-agents that came before the session that started them: those whose names say that they are of
 * it, as linkToParent does, and others of which a result of a starting call names the session.
 */
export async function linkWaiting(parent: Session, sessions: SessionRepository): Promise<void> {
  const { tenantId, vendor, vendorSessionId, sessionId } = parent;
  if (vendorSessionId === null) return;
  const waiting = (await sessions.list(tenantId)).filter(
    (one) =>
      one.vendor === vendor &&
      one.parentSessionId === null &&
      one.vendorSessionId !== null &&
      one.agentName !== null &&
      one.sessionId !== sessionId,
  );
  const inside = `${vendorSessionId}/agent-`;
  const others: Session[] = [];
  for (const child of waiting) {
    const { vendorSessionId: childId } = child;
    if (childId?.startsWith(inside) !== true) {
      others.push(child);
      continue;
    }
    const agentName = childId.slice(inside.length);
    const name = {
      vendorSessionId: childId,
      directory: null,
      parent: { vendorSessionId, agentName },
    };
    await linkToParent(child, { name, startedBy: null, sessions, dryRun: false });
  }
  if (others.length === 0) return;
  const kinds = ['tool_call', 'tool_result'] as const;
  const entries = await sessions.listEntries(parent, { from: 1, to: null }, kinds);
  const starts = entries.filter(isStart);
  if (starts.length === 0) return;
  for (const child of others) {
    const callId = namedBy(entries, starts, [child.vendorSessionId]);
    const call = callId === null ? undefined : starts.find((start) => start.callId === callId);
    if (call !== undefined) await sessions.setParent(child, sessionId, call.entryId);
  }
}

type StartingCall = Extract<SessionEntry, { readonly kind: 'tool_call' }>;

function isStart(entry: SessionEntry): entry is StartingCall {
  return entry.kind === 'tool_call' && entry.spawn !== null;
}

/** Characters from which a name in the words of a result is no accident. */
const SHORTEST_NAME = 6;

/** The call whose result names the agent, beside its words or in them. */
function namedBy(
  entries: readonly SessionEntry[],
  starts: readonly StartingCall[],
  names: readonly (string | null | undefined)[],
): string | null {
  const told = names.filter((name): name is string => typeof name === 'string');
  const long = told.filter(({ length }) => length >= SHORTEST_NAME);
  const calls = new Set(starts.map(({ callId }) => callId));
  const named = entries.find(
    (entry) =>
      entry.kind === 'tool_result' &&
      ((isJsonObject(entry.detail) && told.some((name) => isNamed(entry.detail, name))) ||
        (calls.has(entry.callId) && long.some((name) => wordsOf(entry.content).has(name)))),
  );
  return named?.kind === 'tool_result' ? named.callId : null;
}

function isNamed(detail: unknown, name: string): boolean {
  return isJsonObject(detail) && detail['agentId'] === name;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\w-]+/g));
