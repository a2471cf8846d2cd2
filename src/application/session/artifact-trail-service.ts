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
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { retryStale } from './retry-stale.js';
import { foldStored, type SessionPorts, trailSettings, trailUpdate } from './session-run.js';

export interface TrailRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  /** Sub-agents too, each line with its origin. Left out: the session alone. */
  readonly withChildren?: boolean;
}

/** One session's trail; several where children were asked for, the session itself first. */
export interface SessionTrail {
  readonly session: Session;
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
    private readonly repositories: SessionPorts,
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
    const all = request.withChildren === true ? await this.#withDescendants(session) : [session];
    const read: SessionTrail[] = [];
    for (const one of all) read.push({ session: one, trail: await trails.read(one) });
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
    const [own, ...children] = await this.read(request);
    const sources = [
      { trail: own?.trail ?? EMPTY_TRAIL, origin: null },
      ...children.map(({ session, trail }) => ({ trail, origin: originOf(session) })),
    ];
    return renderTrail(sources, budgetTokens, this.tokenCounter);
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
        await trails.replace(session, trailUpdate(EMPTY_TRAIL, after, events));
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

  async #withDescendants(session: Session): Promise<readonly Session[]> {
    const all = [session];
    for (const one of all) all.push(...(await this.repositories.sessions.listChildren(one)));
    return all;
  }
}

/** What a line of a child's trail is marked with. */
export function originOf({ agentName, vendorSessionId, sessionId }: Session): string {
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
