/** Probes: questions about what left, each with its ground truth and the entries that prove it. */
import type { Dimension } from './criteria.js';
import type { Fact } from './fact.js';
import type { ProbeType } from './probe-type.js';

/** `one-per-line`: no line holds two of what was asked for. `single-value`: nothing beside the value. */
export const PROBE_FORMATS = ['one-per-line', 'single-value'] as const;
export type ProbeFormat = (typeof PROBE_FORMATS)[number];

export type ProbeOrigin = 'structure' | 'model' | 'host';

/** A session, a prefix of it, and the pass whose span is asked about. */
export interface CompressionPoint {
  /** The pass; 0 where it was only planned. */
  readonly cycle: number;
  /** Last entry of the prefix. */
  readonly lastSeq: number;
}

export interface Probe {
  /** Unique in its set; follows from point and question. */
  readonly probeId: string;
  readonly sessionId: string;
  readonly point: CompressionPoint;
  readonly type: ProbeType;
  readonly question: string;
  /** The answer shape that the question asks for, or null. */
  readonly format: ProbeFormat | null;
  readonly facts: readonly Fact[];
  /** Texts that an answer must not hold: words, paths or commands that a constraint forbids. */
  readonly forbidden: readonly string[];
  /** Never empty, and entries of the span alone. */
  readonly sourceEntryIds: readonly string[];
  readonly dimensions: readonly Dimension[];
  readonly origin: ProbeOrigin;
  /** Of the span that it was made from: it says nothing about another. */
  readonly spanHash: string;
  /** `seq` as of which the facts hold. */
  readonly asOf: number;
  /** The tail answers it word for word as well; reported apart. */
  readonly alsoInTail: boolean;
}

export interface ProbeSet {
  /** ULID. */
  readonly probeSetId: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly point: CompressionPoint;
  readonly spanHash: string;
  readonly seed: number;
  readonly origin: ProbeOrigin;
  /** Types for which the span has no material. */
  readonly missing: readonly ProbeType[];
  /** Probes of a model that were not taken. */
  readonly refused: readonly { readonly question: string; readonly reason: string }[];
  readonly createdAt: Date;
  readonly probes: readonly Probe[];
}
