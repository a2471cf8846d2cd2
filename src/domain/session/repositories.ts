/**
 * Ports to the store of sessions and their trails. Implementations must be safe for concurrent use by
 * several processes. Each has a contract suite, shipped as `ossature/testing`.
 *
 * Every call carries the tenant: what belongs to another is not there. `find…` may be empty; `get…`
 * throws NOT_FOUND; `list…` is ordered as stated; a store that cannot be reached is STORE_UNAVAILABLE,
 * and every other failure of it is STORE_FAILED.
 */
import type { KnownSource } from './known-source.js';
import type { MarkedEntry } from './marked-entry.js';
import type { KnownEntry, Session, SessionEntry, SessionUsage } from './session.js';
import type { StoredMedium } from './session-media.js';
import type { ArtifactEvent } from './trail/artifact-event.js';
import type { SessionTodo } from './trail/session-todos.js';
import type { KnownContent } from './trail/known-contents.js';
import type { RunningCommand, Trail } from './trail/trail.js';
import type { TrailChanges } from './trail/trail-changes.js';
import type { TrailNeeds } from './trail/trail-needs.js';
import type { OpenTrail, TrailRows } from './trail/trail-part.js';
import type { TranscriptEntry } from './transcript.js';

/** Identifies a session; a type of its own so that no call forgets the tenant. */
export type SessionKey = Pick<Session, 'tenantId' | 'sessionId'>;

export interface CounterName {
  readonly name: string;
  readonly version: string;
}

export type EntryCount = Pick<SessionEntry, 'seq' | 'tokenCount'>;

/** Both ends included; `to` null: up to the last. */
export interface SeqRange {
  readonly from: number;
  readonly to: number | null;
}

/** Sums over entries, for decisions that need no more. */
export interface EntrySums {
  readonly entries: number;
  readonly tokens: number;
  /** Of the largest one. */
  readonly largestTokens: number;
  /** Different turns. */
  readonly turns: number;
}

export interface SessionRepository {
  /** Inserts the session unless one of its id, or of its vendor's name for it, is there. True: it was new. */
  insert(session: Session): Promise<boolean>;
  get(key: SessionKey): Promise<Session>;
  find(key: SessionKey): Promise<Session | null>;
  findByVendorId(
    tenantId: string,
    vendor: string,
    vendorSessionId: string,
  ): Promise<Session | null>;
  /**
   * Makes the session this transaction's to append to: others that append wait, readers do not.
   * Returns it as it now is. NOT_FOUND.
   */
  lock(key: SessionKey): Promise<Session>;
  /** The sessions of a tenant, newest first. */
  list(tenantId: string): Promise<readonly Session[]>;
  /**
   * The sessions that serve any of the plans, newest first, of every tenant: plans know no tenants, and
   * whoever may read a plan may read what its sessions did.
   */
  listByPlans(planIds: readonly string[]): Promise<readonly Session[]>;
  /** Sessions of its sub-agents, oldest first. */
  listChildren(key: SessionKey): Promise<readonly Session[]>;
  /**
   * Appends entries, whose numbers must go on from the last one, and writes `lastSeq`, `lastTurn`,
   * `updatedAt`, and the last model among them as the session's. STALE where the session has moved on.
   * Entries never change afterwards, but `active`. Media that they name must be there; bytes are not taken.
   */
  append(key: SessionKey, entries: readonly SessionEntry[], now: Date): Promise<void>;
  /** Those of the keys that the session holds, in no stated order. */
  findKnown(key: SessionKey, sourceKeys: readonly string[]): Promise<readonly KnownEntry[]>;
  /** The units of these calls, by call id; of an id that was used twice, the later one. */
  findCallUnits(key: SessionKey, callIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Of these call ids, the latest call up to this entry, where no result up to it answers that call; in
   * no stated order.
   */
  findWaitingCalls(
    key: SessionKey,
    callIds: readonly string[],
    upTo: number,
  ): Promise<readonly SessionEntry[]>;
  /**
   * Marks entries, and what the trail has from them, as of a rewound branch or not. The source of the
   * session is forgotten.
   */
  setActive(key: SessionKey, seqs: readonly number[], active: boolean): Promise<void>;
  /** Entries in order. Empty for an unknown session. @param kinds left out: every kind. */
  listEntries(
    key: SessionKey,
    range: SeqRange,
    kinds?: readonly TranscriptEntry['kind'][],
  ): Promise<readonly SessionEntry[]>;
  /** The entries of these numbers that are there, in order. */
  listEntriesAt(key: SessionKey, seqs: readonly number[]): Promise<readonly SessionEntry[]>;
  /** The same entries as `listEntries`, all kinds, without anything of their contents. Must be quick: passes read it of whole sessions. */
  listMarks(key: SessionKey, range: SeqRange): Promise<readonly MarkedEntry[]>;
  /** Content hashes of these entries, in order. Must be quick: passes read it of whole spans. */
  listHashes(key: SessionKey, range: SeqRange): Promise<readonly string[]>;
  /** Results by which a person decided something, up to this entry and in order. */
  listRulings(key: SessionKey, upTo: number): Promise<readonly SessionEntry[]>;
  /** Sizes of the active entries behind this one. */
  sumEntries(key: SessionKey, behind: number): Promise<EntrySums>;
  /** Names the session and the call that started this one. NOT_FOUND where either session is unknown. */
  setParent(key: SessionKey, parentSessionId: string, parentEntryId: string | null): Promise<void>;
  /** Names the plan that the session serves, where it serves none yet. NOT_FOUND. */
  setPlan(key: SessionKey, planId: string): Promise<void>;
  /** Adds media that are not there yet. Before the entries that name them, in the same transaction. */
  addMedia(key: SessionKey, media: readonly StoredMedium[]): Promise<void>;
  /** The bytes in base64, by hash, of media that entries of the session name. */
  findMedia(key: SessionKey, mediaHashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Adds counts by another counter beside those that are there. Counts of an entry by a counter never change.
   */
  addCounts(key: SessionKey, counter: CounterName, counts: readonly EntryCount[]): Promise<void>;
  /** From now on entries come with the counts of this counter, of which every entry must have one. */
  setCounter(key: SessionKey, counter: CounterName): Promise<void>;
  /** Adds records whose keys are new. One that is there grows where a report says more, and stays otherwise. */
  addUsage(key: SessionKey, usage: readonly SessionUsage[]): Promise<void>;
  /** By key in code-unit order. */
  listUsage(key: SessionKey): Promise<readonly SessionUsage[]>;
  /** Sources of the tenant's sessions with this beginning, in no stated order. */
  findSources(tenantId: string, headPrint: string): Promise<readonly KnownSource[]>;
  /** Keeps the source in place of the one before, unless the session has moved on from its `lastSeq`. */
  keepSource(key: SessionKey, source: KnownSource): Promise<void>;
  /** Removes the session with everything of it, and nothing else: children stay, without a parent. NOT_FOUND. */
  delete(key: SessionKey): Promise<void>;
}

/** What is open after an extension, so that the next one need not read the session. */
export interface OpenTrailUpdate {
  /** Number of the last entry that is in the trail. */
  readonly seq: number;
  /** All of them; null: as before. */
  readonly running: ReadonlyMap<string, RunningCommand> | null;
  /** Contents that are new or otherwise, none of them null. */
  readonly contents: ReadonlyMap<string, KnownContent>;
  /** Paths of which the content is known no more; `others`: of all that `contents` does not name. */
  readonly forgotten: readonly string[] | 'others';
}

/** What extending a trail has to write. */
export interface TrailUpdate extends Omit<TrailChanges, 'todos'> {
  /** The whole list, in its order; null: as before. */
  readonly todos: readonly SessionTodo[] | null;
  /** All of them; null: as before. */
  readonly unmappedTools: ReadonlyMap<string, number> | null;
  /** New ones; those stored never change. */
  readonly events: readonly ArtifactEvent[];
  /** Null: what is kept of it stays as it is, up to its entry. */
  readonly open: OpenTrailUpdate | null;
}

/** What answers may need of a trail. */
export const TRAIL_PARTS = [
  'artifacts',
  'renames',
  'commands',
  'errors',
  'todos',
  'unmappedTools',
] as const satisfies readonly (keyof Trail)[];

export type TrailPart = (typeof TRAIL_PARTS)[number];

/** A stretch of the events of a session, which go by the result that settled them. */
export interface EventPage {
  /** Settled by entries behind this one; 0: from the first. */
  readonly after: number;
  /** At least 1. What one result settled is not parted, so there may be more. */
  readonly limit: number;
}

export interface TrailRepository {
  /**
   * The trail as far as answers need it: calls that wait, commands that run and known contents are
   * empty, so it cannot be extended. An unknown session has an empty trail.
   *
   * @param parts left out: all of them. What is not named stays empty.
   */
  read(key: SessionKey, parts?: readonly TrailPart[]): Promise<Trail>;
  /** What an extension begins with. An unknown session, and one before its first call, has nothing open. */
  readOpen(key: SessionKey): Promise<OpenTrail>;
  /** Rows that are there of what is needed, in no stated order; `calls` are the sessions' to find. */
  readPart(key: SessionKey, needs: TrailNeeds): Promise<TrailRows>;
  /** Events in order that changed an artifact, on a branch that is active. @param paths left out: of every artifact. */
  listChanges(key: SessionKey, paths?: readonly string[]): Promise<readonly ArtifactEvent[]>;
  /** Events in order. @param paths left out or null: of every artifact. @param page left out: all of them. */
  listEvents(
    key: SessionKey,
    paths?: readonly string[] | null,
    page?: EventPage,
  ): Promise<readonly ArtifactEvent[]>;
  write(key: SessionKey, update: TrailUpdate): Promise<void>;
  /** Writes a trail that was built anew in place of the stored one. */
  replace(key: SessionKey, update: TrailUpdate): Promise<void>;
}
