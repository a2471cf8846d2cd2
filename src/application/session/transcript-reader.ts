/** The port behind which every vendor's transcript format stands. */
import type { SessionUsage } from '../../domain/session/session.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';

/** The beginning of a source, for telling formats apart. */
export interface TranscriptHead {
  /** At most the first 64 kB, decoded as UTF-8 without a byte order mark. */
  readonly text: string;
  /** The text is the whole source. */
  readonly isWhole: boolean;
}

/** Something that can be read from its start, more than once. */
export interface TranscriptSource {
  /** As the user named it; shown in errors. */
  readonly name: string;
  /** Throws INVALID_TRANSCRIPT, naming the source and what to do, for what is no readable text. */
  head(): Promise<TranscriptHead>;
  /** Opens the source anew. Bytes come in chunks of any size; a chunk holds until the next is asked for. */
  open(): AsyncIterable<Uint8Array>;
}

export type ProblemReason =
  | 'not-json'
  | 'not-utf8'
  | 'too-long'
  | 'bad-shape'
  | 'glued'
  | 'incomplete-tail'
  | 'key-reused'
  | 'result-without-call'
  | 'call-id-reused'
  | 'sub-agent-unlinked'
  /** The session holds more than the source. */
  | 'shrunk';

/** Something that was not read as it should have been; never with its content. */
export interface TranscriptProblem {
  readonly reason: ProblemReason;
  /** From 1; null where the problem is not one of a line. */
  readonly line: number | null;
  /** Of the first byte of the line; null as above. */
  readonly byteOffset: number | null;
  /** Bytes of the line without its end; null as above. */
  readonly length: number | null;
  /** Ids of the source that it is about, such as a call. */
  readonly ids: readonly string[];
}

/** A sub-agent's transcript inside the source. */
export interface ChildTranscript {
  /** The vendor's id of the sub-agent, or the key of its first record. */
  readonly agentId: string;
  readonly records: number;
  /** The call that started it, or null where none was found. */
  readonly callId: string | null;
  /** `vendor-compaction`: the vendor's own summarizing run, which is no session. */
  readonly kind: 'sub-agent' | 'vendor-compaction';
}

export type TranscriptEvent =
  /** Always first. Null: the source names no session. A further one begins another session. */
  | {
      readonly event: 'session';
      readonly vendorSessionId: string | null;
      /** Absolute path of the project, where the source tells. */
      readonly directory?: string | null;
      /** Of a sub-agent's own file: the session that started it, and what the agent is called. */
      readonly parent?: { readonly vendorSessionId: string; readonly agentName: string } | null;
    }
  | { readonly event: 'entry'; readonly entry: TranscriptEntry }
  /** What a provider reports of one request, behind the entries that it made; may come again, larger. */
  | { readonly event: 'usage'; readonly usage: SessionUsage }
  /** A record that is no conversation; its type, as the vendor writes it. */
  | { readonly event: 'skipped'; readonly recordType: string }
  /** A record with a key that was read before, with the same content. */
  | { readonly event: 'repeated' }
  | { readonly event: 'problem'; readonly problem: TranscriptProblem }
  | { readonly event: 'child'; readonly child: ChildTranscript }
  /** Of a sub-agent inside the source, as its own file would tell it: `session` first, no `end`. */
  | { readonly event: 'of-child'; readonly agentId: string; readonly of: TranscriptEvent }
  /** Always last. Blank lines count. */
  | { readonly event: 'end'; readonly lines: number; readonly bytes: number };

/**
 * Reads one format. Stateless between calls; may be used concurrently.
 *
 * `read` is lazy and holds a bounded part of the source; entries come in the order of the source.
 * It throws INVALID_TRANSCRIPT when more than half of the first 1,000 lines cannot be read;
 * everything less is a problem among the events.
 */
export interface TranscriptReader {
  /** The name of the format, kebab-case, as `--from` takes it. */
  readonly name: string;
  /**
   * Changes whenever the same source would give other events. A source that the store knows by its
   * digest is not read again while it stays; left out: it always is.
   */
  readonly version?: string;
  detect(head: TranscriptHead): boolean;
  read(source: TranscriptSource): AsyncIterable<TranscriptEvent>;
}
