/** Passes as the store keeps them: what was adopted, and every try. */
import type { TriggerName } from '../pass/trigger-names.js';
import type { CheckOutcome, GateCode, GateReason, SummaryStrategy } from './gate-input.js';
import type { AnchoredSummary, Producer, SummaryItem } from './summary-item.js';

/** Entries of a session, both ends included. */
export interface EntrySpan {
  readonly from: number;
  readonly to: number;
}

/** An entry that requests show as head and tail. */
export interface StoredPreview {
  readonly seq: number;
  /** UTF-16 units of both together. */
  readonly characters: number;
}

export interface SessionCycle {
  /** From 1; the number of a cycle that was rolled back is not given again. */
  readonly cycle: number;
  /** Revision of the session from its adoption on. */
  readonly revision: number;
  /** ULID of the attempt that made it. */
  readonly attemptId: string;
  readonly state: 'live' | 'rolled-back';
  /** Number of the last entry that was there. */
  readonly lastSeq: number;
  /** Number of the last entry that left. */
  readonly cutSeq: number;
  /** What this cycle took out, ascending: no two live cycles share an entry. */
  readonly span: readonly EntrySpan[];
  readonly spanHash: string;
  /** Entries of the tail that are shown as previews, ascending. */
  readonly previews: readonly StoredPreview[];
  /** The human prompt that is placed again before the tail, or null. */
  readonly promptAgainSeq: number | null;
  /** Of a request. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly targetTokens: number;
  readonly floorTokens: number;
  readonly createdAt: Date;
}

export type AttemptOutcome =
  'started' | 'adopted' | 'rejected' | 'failed' | 'stopped' | 'stale' | 'cancelled' | 'abandoned';

export interface SessionAttempt {
  /** ULID. */
  readonly attemptId: string;
  readonly fromRevision: number;
  readonly trigger: TriggerName | 'manual';
  readonly strategy: SummaryStrategy;
  readonly producer: Producer;
  /** Number of the last entry at its start. */
  readonly lastSeq: number;
  readonly span: readonly EntrySpan[];
  readonly fingerprint: string;
  /** Of a request. */
  readonly tokensBefore: number;
  /** Null where it came to no summary. */
  readonly tokensAfter: number | null;
  readonly targetTokens: number;
  readonly floorTokens: number;
  readonly outcome: AttemptOutcome;
  readonly reasons: readonly AttemptReason[];
  /** Null where no gate was asked. */
  readonly checks: Readonly<Record<GateCode, CheckOutcome>> | null;
  readonly startedAt: Date;
  /** Null while it is started. */
  readonly finishedAt: Date | null;
}

export interface AttemptReason extends Omit<GateReason, 'code'> {
  /** Of a check of the gate, or why the pass ended before it. */
  readonly code: GateCode | 'floor-over-budget' | 'error';
}

/** Cycles in force, oldest first. */
export function liveCycles(cycles: readonly SessionCycle[]): readonly SessionCycle[] {
  return cycles.filter(({ state }) => state === 'live');
}

/** Items of the later summary that are new or have a new version. */
export function newVersions(
  before: AnchoredSummary,
  after: AnchoredSummary,
): readonly SummaryItem[] {
  const known = new Map(before.items.map((item) => [item.itemNo, item]));
  return after.items.filter((item) => known.get(item.itemNo) !== item);
}
