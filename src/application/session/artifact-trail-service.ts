/**
 * What a session did, told from the store and without a model. No summarizer writes the trail: it
 * follows from entries and mappings alone, and `rebuild` makes it anew from them.
 */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import { parseSessionId, requireTenant, type Session } from '../../domain/session/session.js';
import type { ArtifactEvent } from '../../domain/session/trail/artifact-event.js';
import { type RenderedTrail, renderTrail } from '../../domain/session/trail/render-trail.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import { EMPTY_TRAIL, type Trail } from '../../domain/session/trail/trail.js';
import { pathsOf } from '../../domain/session/trail/trail-answers.js';
import type { Logger } from '../ports/logger.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';
import { retryStale } from './retry-stale.js';
import { trailUpdate, wholeOpen } from './extend-stored-trail.js';
import { foldStored, type SessionPorts, trailSettings } from './session-run.js';

export interface TrailRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  /**
   * Sub-agents too, and sessions of the plans that this one gave a capsule to, with all below them.
   * Left out: the session alone.
   */
  readonly withChildren?: boolean;
}

/** One session's trail; several where children were asked for, the session itself first. */
export interface SessionTrail {
  readonly session: Session;
  /** What its lines are marked with; null for the session that was asked for. */
  readonly origin: string | null;
  readonly trail: Trail;
}

export interface RebuiltTrail {
  readonly artifacts: number;
  readonly events: number;
  /** Rows that the stored trail did not have, or had otherwise. */
  readonly changed: number;
}

export class ArtifactTrailService {
  constructor(
    private readonly repositories: SessionPorts & Pick<Repositories, 'capsules'>,
    private readonly unitOfWork: UnitOfWork<'sessions' | 'trails'>,
    private readonly mappings: readonly ToolMapping[],
    private readonly tokenCounter: TokenCounter,
    private readonly digest: Digest,
    private readonly log: Logger,
  ) {}

  /**
   * The trail for the questions of `trail-answers.ts`: lists, last commands, open errors.
   *
   * @throws OssatureError INVALID_ID, NOT_FOUND.
   */
  async read(request: TrailRequest): Promise<readonly SessionTrail[]> {
    const { sessions, trails } = this.repositories;
    const session = await sessions.get(keyOf(request));
    const all =
      request.withChildren === true
        ? await this.#withDescendants(session)
        : [{ session, origin: null }];
    const read: SessionTrail[] = [];
    for (const one of all) read.push({ ...one, trail: await trails.read(one.session) });
    return read;
  }

  /** Events in order, those of a path under all its names, or of every artifact. */
  async events(
    request: TrailRequest,
    path: string | null = null,
  ): Promise<readonly ArtifactEvent[]> {
    const { sessions, trails } = this.repositories;
    const session = await sessions.get(keyOf(request));
    if (path === null) return trails.listEvents(session);
    return trails.listEvents(session, pathsOf(await trails.read(session), path));
  }

  /** The trail as text of at most so many tokens. */
  async render(request: TrailRequest, budgetTokens: number): Promise<RenderedTrail> {
    return renderTrail(await this.read(request), budgetTokens, this.tokenCounter);
  }

  /** Makes the trail anew from the entries and the mappings as they are now. */
  async rebuild(request: TrailRequest): Promise<RebuiltTrail> {
    const key = keyOf(request);
    const rebuilt = await retryStale(() =>
      this.unitOfWork(async ({ sessions, trails }) => {
        const session = await sessions.lock(key);
        const before = await trails.read(session);
        const eventsBefore = await trails.listEvents(session);
        const settings = trailSettings(session, this.mappings, this.digest);
        const events: ArtifactEvent[] = [];
        const after = await foldStored(EMPTY_TRAIL, session, 0, sessions, settings, (more) => {
          for (const event of more) events.push(event);
        });
        await trails.replace(session, {
          ...trailUpdate(EMPTY_TRAIL, after, events),
          open: wholeOpen(after, session.lastSeq),
        });
        const changed =
          differences([...before.artifacts.values()], [...after.artifacts.values()]) +
          differences([...before.commands.values()], [...after.commands.values()]) +
          differences([...before.errors.values()], [...after.errors.values()]) +
          differences(before.todos, after.todos) +
          differences(eventsBefore, events);
        return { artifacts: after.artifacts.size, events: events.length, changed };
      }),
    );
    this.log.info('trail.rebuilt', { ...key, ...rebuilt });
    return rebuilt;
  }

  async #withDescendants(session: Session): Promise<readonly Descendant[]> {
    const all: Descendant[] = [{ session, origin: null }];
    const seen = new Set([session.sessionId]);
    for (const { session: one } of all) {
      for (const found of await this.#children(one)) {
        // A session may serve a plan that it gave a capsule to itself.
        if (seen.has(found.session.sessionId)) continue;
        seen.add(found.session.sessionId);
        all.push(found);
      }
    }
    return all;
  }

  async #children(session: Session): Promise<readonly Descendant[]> {
    const { sessions, capsules } = this.repositories;
    const subAgents = await sessions.listChildren(session);
    const given = await capsules.listBySession(session);
    const ofPlans =
      given.length === 0
        ? []
        : await sessions.listByPlans(given.map(({ childPlanId }) => childPlanId));
    return [
      ...subAgents.map((one) => ({ session: one, origin: nameOf(one) })),
      ...ofPlans
        .filter(({ tenantId }) => tenantId === session.tenantId)
        .map((one) => ({ session: one, origin: `plan ${one.planId} (${nameOf(one)})` }))
        .reverse(),
    ];
  }
}

type Descendant = Pick<SessionTrail, 'session' | 'origin'>;

function nameOf({ agentName, vendorSessionId, sessionId }: Session): string {
  return agentName ?? vendorSessionId ?? sessionId;
}

function keyOf({ tenantId, sessionId }: TrailRequest): SessionKey {
  return { tenantId: requireTenant(tenantId), sessionId: parseSessionId(sessionId) };
}

/** Values of either list that the other does not have. */
function differences(before: readonly unknown[], after: readonly unknown[]): number {
  const known = new Set(before.map(textOf));
  const told = new Set(after.map(textOf));
  return (
    [...told].filter((text) => !known.has(text)).length +
    [...known].filter((text) => !told.has(text)).length
  );
}

/** Fields by name: a row of the store has them in another order. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
