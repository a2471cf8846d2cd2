/** What an import into the store says: everything added, everything not added, and why. */
import type { TriggerName } from '../../domain/session/pass/trigger-names.js';
import type { ChildTranscript } from './transcript-reader.js';
import type { TranscriptReceipt } from './transcript-receipt.js';

/** A sub-agent inside the source. */
export interface StoredChild extends ChildTranscript {
  /** Null: its records are counted here and stored nowhere. */
  readonly sessionId: string | null;
}

/** Of one session. `lines` and `bytes` are those of the whole source, also where it holds several. */
export interface IngestionReceipt extends Pick<
  TranscriptReceipt,
  | 'sessionId'
  | 'vendorSessionId'
  | 'format'
  | 'lines'
  | 'bytes'
  | 'entries'
  | 'skipped'
  | 'problems'
  | 'redactions'
  | 'repaired'
  | 'notes'
> {
  /** The session was not in the store before. */
  readonly isNew: boolean;
  readonly added: number;
  /** Entries that the session held already, and records that the source repeats. */
  readonly ignored: number;
  /** Entries whose branch turned out to be rewound, or was taken up again. */
  readonly remarked: number;
  readonly children: readonly StoredChild[];
  /** Of a sub-agent, as its vendor names it; null for an agent that no other one started. */
  readonly agentName: string | null;
  /** Of a sub-agent; null where the call that started it is not in the store. */
  readonly parentSessionId: string | null;
  /** The call in it that started the sub-agent, where this import found it. */
  readonly parentCallId: string | null;
  /** Artifacts of the session's trail, after the import. */
  readonly artifacts: number;
  readonly unmappedTools: Readonly<Record<string, number>>;
  /**
   * The trigger for which a pass would be made now. Null: none is, the window of the session is not known
   * yet, or nothing was written.
   */
  readonly due: TriggerName | null;
  readonly dryRun: boolean;
  readonly elapsedMs: number;
}

/** Without sub-agents inside the same source: they are other agents' work. */
export function mainReceipts(receipts: readonly IngestionReceipt[]): readonly IngestionReceipt[] {
  const inside = new Set(receipts.flatMap(({ children }) => children.map((one) => one.sessionId)));
  return receipts.filter(({ sessionId }) => sessionId === null || !inside.has(sessionId));
}
