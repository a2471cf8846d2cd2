/**
 * What a session did, told from the store and without a model. No summarizer writes the trail: it
 * follows from entries and mappings alone, and `rebuild` makes it anew from them.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { type SessionKey, TRAIL_PARTS, type TrailPart } from '../../domain/session/repositories.js';
import { parseSessionId, requireTenant, type Session } from '../../domain/session/session.js';
import type { Artifact } from '../../domain/session/trail/artifact.js';
import type { ArtifactEvent } from '../../domain/session/trail/artifact-event.js';
import {
  RENDERED_PARTS,
  type RenderedTrail,
  renderTrail,
} from '../../domain/session/trail/render-trail.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import { EMPTY_TRAIL, type Trail } from '../../domain/session/trail/trail.js';
import type { Logger } from '../ports/logger.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';
import { type EventsPage, readArtifact, readEventsPage } from './read-artifact.js';
import { retryStale } from './retry-stale.js';
import { trailUpdate, wholeOpen } from './extend-stored-trail.js';
import { foldStored, trailSettings } from './fold-stored-trail.js';
import type { SessionPorts } from './session-ports.js';

export interface TrailRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  /**
   * Sub-agents too, and sessions of the plans that this one gave a capsule to, with all below them.
   * Left out: the session alone.
   */
  readonly withChildren?: boolean;
}

export interface HistoryRequest extends TrailRequest {
  /** Also one that the artifact had before a rename. */
  readonly path: string;
  /** `next` of the page before; 0 or left out: from the first event. */
  readonly after?: number;
  /** Events of a page, about: what one result settled is not parted. Left out: 1,000. */
  readonly limit?: number;
}

/** What became of one artifact in one session. */
export interface ArtifactHistory extends EventsPage {
  readonly session: Session;
  /** As of `SessionTrail`. */
  readonly origin: string | null;
  readonly artifact: Artifact;
}

/** Events of a page, where none are named. */
const PAGE_EVENTS = 1_000;

/** One session's trail; several where children were asked for, the session itself first. */
export interface SessionTrail {
  readonly session: Session;
  /** What its lines are marked with; null for the session that was asked for. */
  readonly origin: string | null;
  readonly trail: Trail;
}

/** Of all sessions that were asked for together. */
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
   * @param parts what of it the questions need; the rest stays empty. Left out: all of it.
   * @throws OssatureError INVALID_ID, NOT_FOUND.
   */
  async read(
    request: TrailRequest,
    parts: readonly TrailPart[] = TRAIL_PARTS,
  ): Promise<readonly SessionTrail[]> {
    const { trails } = this.repositories;
    const read: SessionTrail[] = [];
    for (const one of await this.#sessions(request)) {
      read.push({ ...one, trail: await trails.read(one.session, parts) });
    }
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
    return trails.listEvents(session, (await readArtifact(trails, session, path)).paths);
  }

  /**
   * Events of the session in order, of every artifact, a page at a time.
   *
   * @throws OssatureError INVALID_ID, NOT_FOUND; INVALID_INPUT for a limit or a number of an entry that is none.
   */
  async eventsPage(request: Omit<HistoryRequest, 'path' | 'withChildren'>): Promise<EventsPage> {
    const { after, limit } = pageOf(request);
    const { sessions, trails } = this.repositories;
    const session = await sessions.get(keyOf(request));
    return readEventsPage(trails, session, null, after, limit);
  }

  /**
   * How the artifact of a path came to be what it is: its events under all its names, a page at a time.
   * Of each session that knows it, the one that was asked for first; none: the path is not known.
   *
   * @throws OssatureError as `eventsPage`.
   */
  async history(request: HistoryRequest): Promise<readonly ArtifactHistory[]> {
    const { after, limit } = pageOf(request);
    const { trails } = this.repositories;
    const histories: ArtifactHistory[] = [];
    for (const { session, origin } of await this.#sessions(request)) {
      const { artifact, paths } = await readArtifact(trails, session, request.path);
      if (artifact === null) continue;
      const page = await readEventsPage(trails, session, paths, after, limit);
      histories.push({ session, origin, artifact, ...page });
    }
    return histories;
  }

  /** The trail as text of at most so many tokens. */
  async render(request: TrailRequest, budgetTokens: number): Promise<RenderedTrail> {
    const trails = await this.read(request, RENDERED_PARTS);
    return renderTrail(trails, budgetTokens, this.tokenCounter);
  }

  /** Makes the trail anew from the entries and the mappings as they are now; with children, theirs too. */
  async rebuild(request: TrailRequest): Promise<RebuiltTrail> {
    const sum = { artifacts: 0, events: 0, changed: 0 };
    for (const { session } of await this.#sessions(request)) {
      const { artifacts, events, changed } = await this.#rebuildOne(session);
      sum.artifacts += artifacts;
      sum.events += events;
      sum.changed += changed;
    }
    return sum;
  }

  async #rebuildOne({ tenantId, sessionId }: SessionKey): Promise<RebuiltTrail> {
    const key = { tenantId, sessionId };
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

  async #sessions(request: TrailRequest): Promise<readonly Descendant[]> {
    const session = await this.repositories.sessions.get(keyOf(request));
    return request.withChildren === true
      ? this.#withDescendants(session)
      : [{ session, origin: null }];
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

/** @throws OssatureError INVALID_INPUT naming the field. */
function pageOf({ after = 0, limit = PAGE_EVENTS }: Pick<HistoryRequest, 'after' | 'limit'>) {
  for (const [field, value, least] of [
    ['after', after, 0],
    ['limit', limit, 1],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= least && value < MOST) continue;
    throw new OssatureError(
      'INVALID_INPUT',
      `${field} must be a whole number from ${least} on and below ${MOST}, got ${value}.`,
      { details: { field } },
    );
  }
  return { after, limit };
}

/** Above every number of an entry. */
const MOST = 2 ** 31 - 1;

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
