/** Port to the store of summaries. Safe for concurrent use; what belongs to another tenant is not there. */
import type { SessionKey } from '../repositories.js';
import type { SessionAttempt, SessionCycle } from './session-cycle.js';
import type { SummaryItem } from './summary-item.js';

/** What changes a session's summary as one step. */
export interface SummaryStep {
  /** The revision of the session that the step was made on; the next one is its own. */
  readonly fromRevision: number;
  /** Number of the cycle in force afterwards. */
  readonly sessionCycle: number;
  /** New versions, one an item. */
  readonly items: readonly SummaryItem[];
  /** A cycle that the step adopts, of the step's own revision; null: none. */
  readonly adopted: SessionCycle | null;
  /** Cycles that it rolls back. */
  readonly rolledBack: readonly number[];
}

export interface SummaryRepository {
  /**
   * The version in force of every item, by number. Versions of a cycle that was rolled back are not
   * in force; those of the host's acts stay.
   */
  listItems(key: SessionKey): Promise<readonly SummaryItem[]>;
  /** Every version of an item, oldest first, those of cycles that were rolled back too. */
  listVersions(key: SessionKey, itemNo: number): Promise<readonly SummaryItem[]>;
  /** The largest number of an item that was ever given; 0: none. */
  lastItemNo(key: SessionKey): Promise<number>;
  /** Numbers of these entries, ascending; those that the session does not have are left out. */
  findEntrySeqs(key: SessionKey, entryIds: readonly string[]): Promise<readonly number[]>;
  /** Oldest first, those that were rolled back too. */
  listCycles(key: SessionKey): Promise<readonly SessionCycle[]>;
  /** Newest first. @param limit at most so many. */
  listAttempts(key: SessionKey, limit: number): Promise<readonly SessionAttempt[]>;
  /**
   * Writes the step and moves the session's revision and cycle, or nothing. Only inside a unit of work.
   * STALE where the session has another revision.
   */
  apply(key: SessionKey, step: SummaryStep, now: Date): Promise<void>;
  /** False, and nothing is written, where an attempt of the session is started already. */
  startAttempt(key: SessionKey, attempt: SessionAttempt): Promise<boolean>;
  /** Settles a started attempt, once. STALE where it is settled. */
  settleAttempt(key: SessionKey, attempt: SessionAttempt): Promise<void>;
}
