/** Which session of the store a transcript belongs to. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { deriveSessionId } from '../../domain/session/derived-ids.js';
import { withStorableKeys } from '../../domain/session/measure-entry.js';
import { newSession } from '../../domain/session/new-session.js';
import type { SessionRepository } from '../../domain/session/repositories.js';
import type { Session } from '../../domain/session/session.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import type { TranscriptEvent, TranscriptReader, TranscriptSource } from './transcript-reader.js';

/** What a source says of one of its sessions. */
export type SessionName = Required<
  Pick<Extract<TranscriptEvent, { event: 'session' }>, 'vendorSessionId' | 'directory' | 'parent'>
>;

interface Wanted {
  readonly request: {
    readonly tenantId: string;
    readonly source: TranscriptSource;
    readonly reader: TranscriptReader;
    readonly projectId?: string | null;
    readonly planId?: string | null;
    readonly sessionKey?: string | null;
    readonly projectRoot?: string | null;
  };
  readonly name: SessionName;
  readonly first: TranscriptEntry;
  readonly position: number;
  /** Of a sub-agent inside the source, which has no place of its own there. */
  readonly agentId: string | null;
  readonly digest: Digest;
  readonly sessions: SessionRepository;
  readonly tokenCounter: TokenCounter;
  readonly now: Date;
}

/**
 * By the vendor's id; without one by the key that the host gives; without both it is the session of
 * the same beginning, of which one is the beginning of the other. Ids are derived, so that two
 * imports of one file at once mean one session.
 */
export async function identifySession(
  wanted: Wanted,
): Promise<{ readonly session: Session; readonly isNew: boolean }> {
  const { request, name, digest, sessions, first } = wanted;
  const { tenantId, reader, sessionKey = null } = request;
  if (name.vendorSessionId !== null) {
    const known = await sessions.findByVendorId(tenantId, reader.name, name.vendorSessionId);
    if (known !== null) return { session: known, isNew: false };
  }
  const derived = (text: string): string => deriveSessionId(reader.name, text, digest);
  const fixed =
    name.vendorSessionId ??
    (sessionKey === null ? null : `key:${sessionKey}`) ??
    (wanted.agentId === null ? null : `agent:${wanted.agentId}`);
  if (fixed !== null) return found(wanted, derived(fixed));

  let text = `#${withStorableKeys(first, digest).sourceKey}`;
  for (;;) {
    const one = await found(wanted, derived(text));
    const parting = one.isNew ? null : await partingKey(wanted, one.session);
    if (parting === null) return one;
    text = `${text}:${parting}`;
  }
}

async function found(
  wanted: Wanted,
  sessionId: string,
): Promise<{ readonly session: Session; readonly isNew: boolean }> {
  const { request, name, tokenCounter, now } = wanted;
  const { tenantId, projectId = null, planId = null, reader } = request;
  const known = await wanted.sessions.find({ tenantId, sessionId });
  if (known !== null) return { session: known, isNew: false };
  const session = newSession(
    {
      sessionId,
      tenantId,
      projectId,
      planId,
      agentName: name.parent?.agentName ?? null,
      vendor: reader.name,
      vendorSessionId: name.vendorSessionId,
      projectRoot: request.projectRoot ?? name.directory,
    },
    tokenCounter,
    now,
  );
  return { isNew: true, session };
}

/** Keys compared at once. */
const COMPARED = 500;

/** The key at which the source and the session part; null: one is the beginning of the other. */
async function partingKey(wanted: Wanted, session: Session): Promise<string | null> {
  let place = 0;
  let keys: string[] = [];
  const compare = async (): Promise<string | null> => {
    const known = await wanted.sessions.findKnown(session, keys);
    const seqs = new Map(known.map(({ sourceKey, seq }) => [sourceKey, seq]));
    const start = place - keys.length;
    const parting = keys.find((key, index) => seqs.get(key) !== start + index + 1);
    keys = [];
    return parting ?? null;
  };
  for await (const entry of entriesAt(wanted)) {
    if (place >= session.lastSeq) break;
    place += 1;
    keys.push(withStorableKeys(entry, wanted.digest).sourceKey);
    if (keys.length < COMPARED) continue;
    const parting = await compare();
    if (parting !== null) return parting;
  }
  return compare();
}

/** The entries of the session at this position in the source. */
async function* entriesAt({ request, position }: Wanted): AsyncGenerator<TranscriptEntry> {
  let at = -1;
  for await (const event of request.reader.read(request.source)) {
    if (event.event === 'session') at += 1;
    if (at > position) return;
    if (at === position && event.event === 'entry') yield event.entry;
  }
}
