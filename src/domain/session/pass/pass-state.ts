/** What a pass decides from: sizes and marks of a session at one moment. */
import type { RequestParts } from './floor.js';
import type { UnitMark } from './unit-mark.js';

export interface PassState {
  readonly parts: RequestParts;
  /** The tail in the order of first entries, stubs in their places. */
  readonly units: readonly UnitMark[];
  /** The human prompt in force, or null before the first. */
  readonly latestPrompt: { readonly seq: number; readonly tokens: number } | null;
  /** Tokens of a prompt that an earlier pass placed again before the tail; 0: none. */
  readonly promptAgainTokens: number;
  /** Factor of the counter for this model; 1 without reports. */
  readonly factor: number;
  /** Last `seq` of a task that ended and is still in the tail, or null. */
  readonly taskEndSeq: number | null;
  readonly guard: PassGuard;
}

export interface PassGuard {
  /** `manual`: a person or a host asked for it. */
  readonly start: 'automatic' | 'manual';
  /** Since the last pass that was tried, adopted or not; null: there was none. */
  readonly sinceLastPass: { readonly entries: number; readonly growthTokens: number } | null;
  /** Failures in a row. */
  readonly failures: number;
  /** A pass on this fingerprint was rejected or stopped before. */
  readonly isKnownFingerprint: boolean;
}

/** Failures in a row that suspend automatic passes. */
export const MAX_FAILURES = 3;
