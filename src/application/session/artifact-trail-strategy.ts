/**
 * `artifact-trail`: what the sessions of the plan and its ancestors made, changed and read, each
 * session as one piece, the nearest plan first and its newest session first.
 */
import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { SessionRepository, TrailRepository } from '../../domain/session/repositories.js';
import { renderTrail } from '../../domain/session/trail/render-trail.js';
import type {
  ContextStrategy,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import { isOfSession, type PlanSession, sessionsOf } from './plan-sessions.js';

export class ArtifactTrailStrategy implements ContextStrategy {
  readonly name = 'artifact-trail';
  readonly quality = 0.8;

  constructor(
    private readonly sessions: Pick<SessionRepository, 'listByPlans'>,
    private readonly trails: Pick<TrailRepository, 'read'>,
    private readonly tokenCounter: TokenCounter,
  ) {}

  /** A trail is short; where nothing of the context comes from a session, there is none. */
  canHandle({ context }: StrategyRequest): number {
    return context.some(isOfSession) ? 0.3 : 0;
  }

  async assemble(
    { lineage }: StrategyRequest,
    { budgetTokens }: StrategyRoom,
  ): Promise<readonly AssemblyFragment[]> {
    const offers: AssemblyFragment[] = [];
    let free = budgetTokens;
    for (const one of await sessionsOf(this.sessions, lineage)) {
      const offer = await this.#offer(one, free);
      if (offer === null) continue;
      offers.push(offer);
      free -= offer.tokenCount;
    }
    return offers;
  }

  async #offer(
    { session, planId, hierarchy, recency }: PlanSession,
    freeTokens: number,
  ): Promise<AssemblyFragment | null> {
    const head = `Files of session ${session.sessionId}:\n`;
    const { name, version } = this.tokenCounter;
    const trail = await this.trails.read(session);
    const room = freeTokens - this.tokenCounter.count(head);
    const { text, shown } = renderTrail([{ trail, origin: null }], room, this.tokenCounter);
    if (shown === 0) return null;
    const content = `${head}${text}`;
    return {
      planId,
      fragmentId: `trail:${session.sessionId}`,
      content,
      tokenCount: this.tokenCounter.count(content),
      tokenCounter: `${name}@${version}`,
      relevance: 0,
      decisionId: null,
      hierarchy,
      recency,
    };
  }
}
