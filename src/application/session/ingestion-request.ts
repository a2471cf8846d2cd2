/** What is asked of ingestion, and what an append answers. */
import type { Redact } from '../../domain/redaction/redact.js';
import type { SessionUsage } from '../../domain/session/session.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import type { TranscriptReader, TranscriptSource } from './transcript-reader.js';

export interface IngestionRequest {
  readonly tenantId: string;
  readonly source: TranscriptSource;
  readonly reader: TranscriptReader;
  /** In place of the container's. Null: nothing is redacted, which the receipt says. */
  readonly redact?: Redact | null;
  readonly projectId?: string | null;
  readonly planId?: string | null;
  /** Names the session of a format that gives no id. */
  readonly sessionKey?: string | null;
  /** Absolute path from which paths of artifacts are told; left out: as the source says. */
  readonly projectRoot?: string | null;
  /** Reads and compares, but writes nothing. */
  readonly dryRun?: boolean;
}

/** With the redaction that it works under. */
export type RedactedRequest = IngestionRequest & { readonly redact: Redact | null };

export interface AppendRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly entries: readonly TranscriptEntry[];
  /** What the provider reported of the request behind the entries; left out: nothing. */
  readonly usage?: Omit<SessionUsage, 'seq' | 'purpose'>;
  /** As of an import. */
  readonly redact?: Redact | null;
}

export interface AppendReceipt {
  readonly sessionId: string;
  readonly added: number;
  readonly ignored: number;
  readonly lastSeq: number;
  readonly redactions: Readonly<Record<string, number>>;
  readonly repaired: number;
  readonly notes: readonly string[];
  readonly problems: readonly { readonly reason: string; readonly ids: readonly string[] }[];
}
