/** Capsules: made from a stored session for a child, and read with what of them no longer holds. */
import { OssatureError } from '../../domain/kernel/errors.js';
import {
  buildCapsule,
  type CapsuleItem,
  type CapsuleVerdict,
  DEFAULT_CAPSULE_TOKENS,
  type LeftOut,
} from '../../domain/session/capsule.js';
import { parseSessionId, requireTenant, type Session } from '../../domain/session/session.js';
import type { MadeCapsule, StoredCapsule } from '../../domain/session/stored-capsule.js';
import { pinCapsule } from '../../domain/session/summary/capsule-pins.js';
import {
  capsuleOf,
  type CapsulePorts,
  readCapsuleSource,
  readConstraints,
} from './read-capsule-source.js';
import { act } from './summary-acts.js';
import type { SummaryNeeds } from './summary-needs.js';

export type CapsuleNeeds = Omit<SummaryNeeds, 'repositories'> & {
  readonly repositories: CapsulePorts;
};

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
  constructor(private readonly needs: CapsuleNeeds) {}

  /**
   * What would flow to a child of this goal. Nothing is written.
   *
   * @throws OssatureError INVALID_ID, INVALID_INPUT, NOT_FOUND for a session of another tenant too.
   */
  async make(request: CapsuleRequest, goal: string): Promise<MadeCapsuleVerdict> {
    const { capsuleTokens = DEFAULT_CAPSULE_TOKENS } = request;
    requireCapsuleTokens(capsuleTokens);
    const session = await this.needs.repositories.sessions.get({
      tenantId: requireTenant(request.tenantId),
      sessionId: parseSessionId(request.sessionId),
    });
    const source = await readCapsuleSource(this.needs.repositories, session, this.needs.digest);
    const verdict = buildCapsule(source, goal, this.needs.tokenCounter, capsuleTokens);
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
    const capsule = await this.needs.repositories.capsules.findByPlan(planId);
    return capsule === null ? null : this.#stateOf(capsule, nothingKnown());
  }

  /** The capsule that the session works under, and those that it gave, oldest first. */
  async ofSession(
    session: Session,
  ): Promise<{ readonly received: CapsuleState | null; readonly given: readonly CapsuleState[] }> {
    const own = await capsuleOf(this.needs.repositories, session);
    const known = nothingKnown();
    const given: CapsuleState[] = [];
    for (const capsule of await this.needs.repositories.capsules.listBySession(session)) {
      given.push(await this.#stateOf(capsule, known));
    }
    return { received: own === null ? null : await this.#stateOf(own, known), given };
  }

  /**
   * Pins what the session's plan was given, once: it survives the session's own passes word for word.
   *
   * @returns whether anything was pinned now.
   */
  async takeOver(session: Session): Promise<boolean> {
    const own = await capsuleOf(this.needs.repositories, session);
    if (own === null) return false;
    const { receipt } = await act(this.needs, session, (before, making) =>
      pinCapsule(before, own.items, making, this.needs.digest),
    );
    if (receipt.changed) {
      const { sessionId } = session;
      this.needs.log.info('capsule.taken-over', { sessionId, planId: own.childPlanId });
    }
    return receipt.changed;
  }

  async #stateOf(capsule: StoredCapsule, known: Known): Promise<CapsuleState> {
    const source = await this.needs.repositories.sessions.find(capsule);
    if (source === null) return { capsule, state: 'source-deleted', withdrawn: [] };
    const withdrawn = await this.#withdrawn(capsule, source, known);
    return { capsule, state: withdrawn.length === 0 ? 'current' : 'outdated', withdrawn };
  }

  /** A constraint holds where it is in force in the session, and, being inherited, in every one above. */
  async #withdrawn(
    capsule: StoredCapsule,
    source: Session,
    { inForce, below }: Known,
  ): Promise<readonly CapsuleItem[]> {
    const held = inForce.get(source.sessionId) ?? (await this.#constraintsOf(source));
    inForce.set(source.sessionId, held);
    const above = await capsuleOf(this.needs.repositories, source);
    const seen = new Set([...below, capsule.childPlanId]);
    // A session may serve a plan below the one that it gave a capsule to: the way up ends where it began.
    const isNew = above !== null && !seen.has(above.childPlanId);
    const goneAbove = isNew ? await this.#stateOf(above, { inForce, below: seen }) : null;
    const gone = new Set(goneAbove?.withdrawn.map(({ text }) => text));
    return capsule.items.filter(
      ({ section, text }) => section === 'constraints' && (!held.has(text) || gone.has(text)),
    );
  }

  async #constraintsOf(session: Session): Promise<ReadonlySet<string>> {
    const { repositories, digest } = this.needs;
    const { constraints } = await readConstraints(repositories, session, digest);
    return new Set(constraints.map(({ text }) => text));
  }
}

/** What is known while capsules of one request are looked at. */
interface Known {
  /** Constraints by session, read once. */
  readonly inForce: Map<string, ReadonlySet<string>>;
  /** Child plans on the way up. */
  readonly below: ReadonlySet<string>;
}

function nothingKnown(): Known {
  return { inForce: new Map(), below: new Set() };
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
