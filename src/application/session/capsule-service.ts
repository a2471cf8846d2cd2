/** Capsules: made from a stored session for a child, and read with what of them no longer holds. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import {
  buildCapsule,
  type CapsuleItem,
  type CapsuleVerdict,
  DEFAULT_CAPSULE_TOKENS,
  type LeftOut,
} from '../../domain/session/capsule.js';
import { parseSessionId, requireTenant, type Session } from '../../domain/session/session.js';
import type { MadeCapsule, StoredCapsule } from '../../domain/session/stored-capsule.js';
import {
  capsuleOf,
  type CapsulePorts,
  readCapsuleSource,
  readConstraints,
} from './read-capsule-source.js';

export interface CapsuleRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  /** Ceiling of the capsule. Left out: 2,000. */
  readonly capsuleTokens?: number;
}

export type CapsuleOverBudget = Extract<CapsuleVerdict, { outcome: 'capsule-over-budget' }>;

export type MadeCapsuleVerdict =
  | {
      readonly outcome: 'built';
      readonly capsule: MadeCapsule;
      readonly leftOut: readonly LeftOut[];
    }
  | CapsuleOverBudget;

/** A capsule, and how it stands to the session that gave it. */
export interface CapsuleState {
  readonly capsule: StoredCapsule;
  /**
   * `outdated`: constraints of it were withdrawn above; the child keeps them until somebody tells it.
   * `source-deleted`: the session that gave it is no longer there.
   */
  readonly state: 'current' | 'outdated' | 'source-deleted';
  /** Constraints that no longer hold where they came from. */
  readonly withdrawn: readonly CapsuleItem[];
}

export class CapsuleService {
  constructor(
    private readonly repositories: CapsulePorts,
    private readonly tokenCounter: TokenCounter,
    private readonly digest: Digest,
  ) {}

  /**
   * What would flow to a child of this goal. Nothing is written.
   *
   * @throws OssatureError INVALID_ID, INVALID_INPUT, NOT_FOUND for a session of another tenant too.
   */
  async make(request: CapsuleRequest, goal: string): Promise<MadeCapsuleVerdict> {
    const { capsuleTokens = DEFAULT_CAPSULE_TOKENS } = request;
    requireCapsuleTokens(capsuleTokens);
    const session = await this.repositories.sessions.get({
      tenantId: requireTenant(request.tenantId),
      sessionId: parseSessionId(request.sessionId),
    });
    const source = await readCapsuleSource(this.repositories, session, this.digest);
    const verdict = buildCapsule(source, goal, this.tokenCounter, capsuleTokens);
    if (verdict.outcome !== 'built') return verdict;
    const { tenantId, sessionId, revision: sessionRevision } = session;
    const { items, tokens, leftOut } = verdict;
    return {
      outcome: 'built',
      capsule: { tenantId, sessionId, sessionRevision, capsuleTokens, tokens, items },
      leftOut,
    };
  }

  /** The capsule that a plan was given; null: none. */
  async ofPlan(planId: string): Promise<CapsuleState | null> {
    const capsule = await this.repositories.capsules.findByPlan(planId);
    return capsule === null ? null : this.#stateOf(capsule);
  }

  /** The capsule that the session works under, and those that it gave, oldest first. */
  async ofSession(
    session: Session,
  ): Promise<{ readonly received: CapsuleState | null; readonly given: readonly CapsuleState[] }> {
    const own = await capsuleOf(this.repositories, session);
    const given: CapsuleState[] = [];
    for (const capsule of await this.repositories.capsules.listBySession(session)) {
      given.push(await this.#stateOf(capsule));
    }
    return { received: own === null ? null : await this.#stateOf(own), given };
  }

  async #stateOf(
    capsule: StoredCapsule,
    below: ReadonlySet<string> = new Set(),
  ): Promise<CapsuleState> {
    const source = await this.repositories.sessions.find(capsule);
    if (source === null) return { capsule, state: 'source-deleted', withdrawn: [] };
    const seen = new Set([...below, capsule.childPlanId]);
    const withdrawn = await this.#withdrawn(capsule, source, seen);
    return { capsule, state: withdrawn.length === 0 ? 'current' : 'outdated', withdrawn };
  }

  /** A constraint holds where it is in force in the session, and, being inherited, in every one above. */
  async #withdrawn(
    capsule: StoredCapsule,
    source: Session,
    seen: ReadonlySet<string>,
  ): Promise<readonly CapsuleItem[]> {
    const { constraints } = await readConstraints(this.repositories, source, this.digest);
    const inForce = new Set(constraints.map(({ text }) => text));
    const above = await capsuleOf(this.repositories, source);
    // A session may serve a plan below the one that it gave a capsule to: the way up ends where it began.
    const isNew = above !== null && !seen.has(above.childPlanId);
    const goneAbove = isNew ? (await this.#stateOf(above, seen)).withdrawn : [];
    const gone = new Set(goneAbove.map(({ text }) => text));
    return capsule.items.filter(
      ({ section, text }) => section === 'constraints' && (!inForce.has(text) || gone.has(text)),
    );
  }
}

/** @throws OssatureError INVALID_INPUT. */
export function requireCapsuleTokens(capsuleTokens: number): void {
  if (Number.isSafeInteger(capsuleTokens) && capsuleTokens >= 1) return;
  throw new OssatureError(
    'INVALID_INPUT',
    `capsuleTokens must be a whole number from 1 on, got ${String(capsuleTokens)}.`,
    { details: { field: 'capsuleTokens' } },
  );
}
