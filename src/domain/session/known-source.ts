/** What a store remembers of a source that was read to its end, so that the same one need not be read again. */
import type { JsonObject } from '../redaction/json-value.js';

export interface KnownSource {
  readonly sessionId: string;
  /** Digest of the beginning of the source, and of what its reading depends on: told before it is read. */
  readonly headPrint: string;
  /** The same of the whole source. */
  readonly sourcePrint: string;
  /** From 0: place of the session among those of the source. */
  readonly position: number;
  /** Sessions of the source, sub-agents included. */
  readonly sessions: number;
  /** Of the session, once the source was read: with more entries it is no longer what the source says. */
  readonly lastSeq: number;
  /** What the next import of the source answers. */
  readonly receipt: JsonObject;
}
