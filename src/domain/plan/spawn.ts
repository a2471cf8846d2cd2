/** The two ends of a spawn: what it decides on, and what it writes. */
import type { ContextEntry } from '../context/accumulated-context.js';
import type { ContextPolicy } from '../context/context-policy.js';
import type { CompressionRecord } from '../skeleton/compression-record.js';
import type { Decision } from './decision.js';
import type { Plan } from './plan.js';

/** A parent as it is at one moment. */
export interface SpawnSource {
  readonly parent: Plan;
  readonly policy: ContextPolicy;
  /** Its accumulated context by size, in no stated order. */
  readonly entries: readonly ContextEntry[];
}

/** A child and everything that must exist together with it. */
export interface Spawn {
  readonly child: Plan;
  /** The parent's decision to spawn, and the child's prompt definition that follows from it. */
  readonly decisions: readonly Decision[];
  readonly record: CompressionRecord;
}
