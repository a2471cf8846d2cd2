/** A capsule as the store keeps it: with its child, from one moment of the parent's session, unchanged for good. */
import type { CapsuleItem } from './capsule.js';
import type { SessionKey } from './repositories.js';

/** What a session gives to a child, before there is a child. */
export interface MadeCapsule {
  readonly tenantId: string;
  /** The parent's session. */
  readonly sessionId: string;
  /** Its revision: the pins that the capsule holds are those of this one. */
  readonly sessionRevision: number;
  /** Ceiling of all items together, and what they take. */
  readonly capsuleTokens: number;
  readonly tokens: number;
  /** In order: mission, constraints, decisions, errors, artifacts. */
  readonly items: readonly CapsuleItem[];
}

export interface StoredCapsule extends MadeCapsule {
  /** A plan has one capsule or none. */
  readonly childPlanId: string;
  readonly parentPlanId: string;
  readonly createdAt: Date;
}

/** Port to the store of capsules. Safe for concurrent use; capsules never change and never go. */
export interface CapsuleRepository {
  /**
   * Inserts the capsule of a child. STALE where the session has another revision by now or is gone;
   * its pins stay as they are until the transaction ends.
   */
  insert(capsule: StoredCapsule): Promise<void>;
  /** Whoever may read a plan may read what it was given, whatever the tenant. Null: it has none. */
  findByPlan(childPlanId: string): Promise<StoredCapsule | null>;
  /** Those that the session gave, oldest first, those of one moment by child. */
  listBySession(key: SessionKey): Promise<readonly StoredCapsule[]>;
}
