/** Deterministic measures of text: the same text gives the same number on every machine. */

/** Counts tokens. Stored counts carry `name` and `version`; counts of two counters are never compared. */
export interface TokenCounter {
  readonly name: string;
  readonly version: string;
  /** Tokens of the text, an integer ≥ 0. Never throws, whatever the text holds. */
  count(text: string): number;
}

/** A content identity: equal texts give equal digests. Lower-case hexadecimal SHA-256. */
export type Digest = (text: string) => string;

/** The same of bytes that come piece by piece. */
export interface ByteDigest {
  update(bytes: Uint8Array): void;
  /** Of everything so far; asked once, at the end. */
  hex(): string;
}

export type NewByteDigest = () => ByteDigest;
