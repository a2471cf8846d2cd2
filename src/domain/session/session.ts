/** A session: the transcript of one agent as the store keeps it, and what is set for it. */
import { OssatureError } from '../kernel/errors.js';
import { isUlid } from '../kernel/ids.js';
import { requireText } from '../kernel/text.js';
import type { JsonObject } from '../redaction/json-value.js';
import type { StoredEntry } from './stored-entry.js';

export interface Session {
  /** ULID, unique in its tenant. */
  readonly sessionId: string;
  /** Whose it is: part of every key, so that what belongs to another tenant is not there. */
  readonly tenantId: string;
  readonly projectId: string | null;
  readonly planId: string | null;
  /** Of a sub-agent: the session that started it, and the call in it; null where not known. */
  readonly parentSessionId: string | null;
  readonly parentEntryId: string | null;
  readonly agentName: string | null;
  /** The format that it came in, such as `claude-code`; tools are understood by it. */
  readonly vendor: string;
  /** Its name there; null where the format gives none. */
  readonly vendorSessionId: string | null;
  readonly model: string | null;
  /** Absolute path from which paths of artifacts are told; null: they stay as the tools gave them. */
  readonly projectRoot: string | null;
  /** The counter of every stored count. */
  readonly counterName: string;
  readonly counterVersion: string;
  /** Settings that differ from their defaults. */
  readonly settings: JsonObject;
  /** Of the last adopted pass; 0 before the first. */
  readonly cycle: number;
  /** Grows with adoption, rollback, pins and settings; appending leaves it. */
  readonly revision: number;
  /** Number of the last entry; 0: none. */
  readonly lastSeq: number;
  /** Human prompts so far. */
  readonly lastTurn: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An entry with what tells it apart from another one under the same key. */
export type SessionEntry = StoredEntry & {
  /** Digest of what the source says; see `entryPrint`. */
  readonly entryPrint: string;
};

/** What is known of an entry under its key, without its text. */
export type KnownEntry = Pick<SessionEntry, 'sourceKey' | 'seq' | 'entryPrint' | 'active'>;

/** Usage as a provider reports it, once a request however many records tell of it. */
export interface SessionUsage {
  /** The provider's request or message id; unique in the session. */
  readonly usageKey: string;
  readonly model: string | null;
  readonly uncachedInputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly occurredAt: string | null;
  /** `summarizer`: a run of the vendor that shortened the session. */
  readonly purpose: 'agent' | 'summarizer';
  /** Number of the entry that it stands behind; null: not known. A reader leaves it null. */
  readonly seq: number | null;
}

/** Of two reports of one request the larger numbers count: a message reports itself while it grows. */
export function grownUsage(held: SessionUsage, later: SessionUsage): SessionUsage {
  return {
    ...held,
    uncachedInputTokens: Math.max(held.uncachedInputTokens, later.uncachedInputTokens),
    cachedInputTokens: Math.max(held.cachedInputTokens, later.cachedInputTokens),
    outputTokens: Math.max(held.outputTokens, later.outputTokens),
  };
}

/** UTF-16 units: names stand in indexes of the store. */
export const LONGEST_NAME = 500;

/** @throws INVALID_INPUT naming what may stand there. */
export function requireTenant(tenantId: unknown): string {
  return requireText(tenantId, 'tenantId', { maxLength: LONGEST_NAME });
}

/** @throws INVALID_ID where it is no ULID. */
export function parseSessionId(value: unknown): string {
  if (isUlid(value)) return value;
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : typeof value;
  throw new OssatureError(
    'INVALID_ID',
    `session_id must be a ULID (26 characters, such as 01ARZ3NDEKTSV4RRFFQ69G5FAV), got ${shown}.`,
    { details: { field: 'session_id' } },
  );
}

/** The same for a session of another tenant and for none at all. */
export function noSession(sessionId: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `There is no session ${sessionId}. List the sessions to see them.`,
    { details: { sessionId } },
  );
}
