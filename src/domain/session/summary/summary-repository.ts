/** Port to the store of summaries. Safe for concurrent use; what belongs to another tenant is not there. */
import type { JsonObject } from '../../redaction/json-value.js';
import type { SessionKey } from '../repositories.js';
import type { SessionAttempt, SessionCycle, StoredPreview } from './session-cycle.js';
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
  /** Cycles whose entries the adopted one covers from now on. */
  readonly replaced?: readonly number[];
  /** Cycles that are live again, because those that replaced them are rolled back. */
  readonly restored?: readonly number[];
  /** The session's settings from now on; left out: as before. */
  readonly settings?: JsonObject;
}

/** A handle that somebody followed back to its entries. */
export interface ExpansionRecord {
  /** ULID. */
  readonly expansionId: string;
  readonly handle: string;
  /** In force at the time. */
  readonly cycle: number;
  /** Entries and tokens that were given. */
  readonly entries: number;
  readonly tokens: number;
  readonly expandedAt: Date;
}

/** Whose counts a factor corrects, and of which counter. */
export interface CalibrationKey {
  readonly tenantId: string;
  readonly model: string;
  readonly counterName: string;
  readonly counterVersion: string;
}

export interface Calibration {
  /** The provider's tokens for one of ours, from 0.5 to 2. */
  readonly factor: number;
  /** Reports that made it. */
  readonly reports: number;
  readonly updatedAt: Date;
}

export interface SummaryRepository {
  /**
   * The version in force of every item, by number. Versions of a cycle that was rolled back are not
   * in force; those of the host's acts stay.
   *
   * @param itemNos of these items alone; left out: of all.
   */
  listItems(key: SessionKey, itemNos?: readonly number[]): Promise<readonly SummaryItem[]>;
  /** Every version of an item, oldest first, those of cycles that were rolled back too. */
  listVersions(key: SessionKey, itemNo: number): Promise<readonly SummaryItem[]>;
  /** The largest number of an item that was ever given; 0: none. */
  lastItemNo(key: SessionKey): Promise<number>;
  /** Numbers of these entries, ascending; those that the session does not have are left out. */
  findEntrySeqs(key: SessionKey, entryIds: readonly string[]): Promise<readonly number[]>;
  /** ULIDs of the entries of these numbers; those that the session does not have are left out. */
  findEntryIds(key: SessionKey, seqs: readonly number[]): Promise<ReadonlyMap<number, string>>;
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
  /** Keeps a started attempt alive until then. False where it is settled. */
  renewLease(key: SessionKey, attemptId: string, until: Date): Promise<boolean>;
  /** Ascending. What was decided once stays. */
  listPreviews(key: SessionKey): Promise<readonly StoredPreview[]>;
  /** Adds those of entries that have none; the others are left as they are. */
  addPreviews(key: SessionKey, previews: readonly StoredPreview[]): Promise<void>;
  addExpansion(key: SessionKey, expansion: ExpansionRecord): Promise<void>;
  /** Oldest first. */
  listExpansions(key: SessionKey): Promise<readonly ExpansionRecord[]>;
  findCalibration(key: CalibrationKey): Promise<Calibration | null>;
  saveCalibration(key: CalibrationKey, calibration: Calibration): Promise<void>;
}
