/** Passes as the store keeps them: what was adopted, and every try. */
import type { TriggerName } from '../pass/trigger-names.js';
import type { UnitKind } from '../unit-relevance.js';
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

/** A unit that left out of the middle of the tail, with the line in its place. */
export interface StoredStub {
  /** Of its first entry: where the line stands. */
  readonly seq: number;
  readonly lastSeq: number;
  readonly unitId: string;
  readonly turn: number;
  readonly kind: UnitKind;
  readonly text: string;
}

/** What a provider or a compressor of a host made of a span. It cannot be looked into. */
export interface StoredBlob {
  /** Who can read it. */
  readonly provider: string;
  readonly format: string;
  readonly payload: string;
  /** Of the payload, by the session's counter. */
  readonly tokens: number;
  /** ISO 8601, UTC; null: never. */
  readonly expiresAt: string | null;
  /** What can be done with it: nothing of it can be checked, probed without a model, or moved. */
  readonly inspectable: false;
  readonly probeableOffline: false;
  readonly portable: false;
}

export interface SessionCycle {
  /** From 1; the number of a cycle that was rolled back is not given again. */
  readonly cycle: number;
  /** Revision of the session from its adoption on. */
  readonly revision: number;
  /** ULID of the attempt that made it. */
  readonly attemptId: string;
  /** `replaced`: its entries were summarized again, by a cycle whose `replaces` names it. */
  readonly state: 'live' | 'rolled-back' | 'replaced';
  readonly strategy: SummaryStrategy;
  /** Number of the last entry that was there. */
  readonly lastSeq: number;
  /** Number of the last entry that left. */
  readonly cutSeq: number;
  /** What this cycle took out, ascending: no two live cycles share an entry. */
  readonly span: readonly EntrySpan[];
  readonly spanHash: string;
  /** Entries of the tail that are shown as previews, ascending. */
  readonly previews: readonly StoredPreview[];
  /** Units that left from behind the cut, ascending; those of earlier cycles too. */
  readonly stubs: readonly StoredStub[];
  /** Of the strategy `opaque`, else null. */
  readonly blob: StoredBlob | null;
  /** Cycles whose entries this one summarized again. */
  readonly replaces: readonly number[];
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

/** A request to a summarizer, and what came of it. */
export interface ModelCall {
  /** Of the window, from 0. */
  readonly window: number;
  /** `invalid`: an answer that could not be merged. */
  readonly answer: 'taken' | 'invalid' | 'failed';
  /** As the provider reports it; null: unknown. */
  readonly usage: {
    readonly uncachedInputTokens: number;
    readonly cachedInputTokens: number;
    readonly outputTokens: number;
  } | null;
  /** Of the request by our counter. */
  readonly requestTokens: number;
  readonly elapsedMs: number;
}

export type AttemptTrigger = TriggerName | 'manual' | 'overflow';

export interface SessionAttempt {
  /** ULID. */
  readonly attemptId: string;
  /** The attempt in whose place it was made, with another strategy; null: none. */
  readonly fallbackOf: string | null;
  readonly fromRevision: number;
  readonly trigger: AttemptTrigger;
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
  readonly modelCalls: readonly ModelCall[];
  /** Until then a started attempt counts as alive; null where it never was started. */
  readonly leaseUntil: Date | null;
  readonly outcome: AttemptOutcome;
  readonly reasons: readonly AttemptReason[];
  /** Null where no gate was asked. */
  readonly checks: Readonly<Record<GateCode, CheckOutcome>> | null;
  readonly startedAt: Date;
  /** Null while it is started. */
  readonly finishedAt: Date | null;
}

/** Why a summarizer came to nothing. */
export const SUMMARIZER_FAULTS = [
  'unavailable',
  'unreadable',
  'truncated',
  'filtered',
  'timed-out',
  'invalid-answer',
] as const;

export type SummarizerFault = (typeof SUMMARIZER_FAULTS)[number];

export interface AttemptReason extends Omit<GateReason, 'code'> {
  /** Of a check of the gate, of the review behind it, or why the pass ended before it. */
  readonly code:
    GateCode | 'review' | SummarizerFault | 'floor-over-budget' | 'cancelled' | 'error';
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
