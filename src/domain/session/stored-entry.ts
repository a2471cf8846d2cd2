/** An entry as a session holds it: cleaned, counted, and with its place in the one order. */
import type { TranscriptEntry } from './transcript.js';

export interface EntryPlace {
  /** ULID. */
  readonly entryId: string;
  /** 1, 2, 3 … without gaps: the one order of the session. */
  readonly seq: number;
  /** Entries that no cut may part share it. */
  readonly unitId: string;
  /** Number of the human prompt in force, from 1; 0 before the first. */
  readonly turn: number;
  /** SHA-256 of the content, lower-case hexadecimal. */
  readonly contentHash: string;
  /** Tokens of the content by the session's counter, or the price of a medium. */
  readonly tokenCount: number;
}

export type StoredEntry = TranscriptEntry & EntryPlace;
