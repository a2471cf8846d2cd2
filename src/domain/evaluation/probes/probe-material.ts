/** What probes are made from: a span, the truth at its point, and what the tail still says. */
import type { SessionDecision } from '../../session/session-decision.js';
import type { StoredEntry } from '../../session/stored-entry.js';
import type { ArtifactEvent } from '../../session/trail/artifact-event.js';
import type { Trail } from '../../session/trail/trail.js';
import type { CompressionPoint } from '../probe.js';

export interface DecisionAt {
  readonly decision: SessionDecision;
  readonly seq: number;
}

export interface ProbeMaterial {
  readonly sessionId: string;
  readonly point: CompressionPoint;
  /** Entries that left, active ones, ascending. */
  readonly span: readonly StoredEntry[];
  readonly spanHash: string;
  /** As of the last entry of the prefix, so that what is told is true then and not on the way. */
  readonly trail: Trail;
  /** Of the whole prefix. */
  readonly events: readonly ArtifactEvent[];
  /** Of the whole prefix, in order; prompts are none. */
  readonly decisions: readonly DecisionAt[];
  /** The latest human prompt of the prefix, or null. */
  readonly latestPrompt: StoredEntry | null;
  /** The tail as text. */
  readonly tailText: string;
}

/** Looks up entries of the span. */
export class SpanIndex {
  readonly #bySeq: ReadonlyMap<number, StoredEntry>;
  readonly #results: ReadonlyMap<string, StoredEntry>;

  constructor(span: readonly StoredEntry[]) {
    this.#bySeq = new Map(span.map((entry) => [entry.seq, entry]));
    this.#results = new Map(
      span.flatMap((entry) => (entry.kind === 'tool_result' ? [[entry.callId, entry]] : [])),
    );
  }

  has(seq: number): boolean {
    return this.#bySeq.has(seq);
  }

  /** Those of the entries that stand in the span. */
  entryIds(seqs: Iterable<number>): readonly string[] {
    return [...new Set(seqs)].flatMap((seq) => this.#bySeq.get(seq)?.entryId ?? []);
  }

  /** The result of the call, where both are in the span. */
  resultOf(callSeq: number): StoredEntry | null {
    const call = this.#bySeq.get(callSeq);
    return call?.kind === 'tool_call' ? (this.#results.get(call.callId) ?? null) : null;
  }
}
