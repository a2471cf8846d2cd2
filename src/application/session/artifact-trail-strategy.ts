/**
 * `artifact-trail`: what the sessions of the plan and its ancestors made, changed and read, each
 * session as one piece, the nearest plan first and its newest session first.
 */
import type { AssemblyFragment, LeftOutFragment } from '../../domain/assembly/assembly-fragment.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { SessionRepository, TrailRepository } from '../../domain/session/repositories.js';
import { RENDERED_PARTS, renderTrail } from '../../domain/session/trail/render-trail.js';
import type { Trail } from '../../domain/session/trail/trail.js';
import type {
  ContextStrategy,
  StrategyAnswer,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import { type PlanSession, sessionsOf } from './plan-sessions.js';

export class ArtifactTrailStrategy implements ContextStrategy {
  readonly name = 'artifact-trail';
  readonly quality = 0.8;

  constructor(
    private readonly sessions: Pick<SessionRepository, 'listByPlans'>,
    private readonly trails: Pick<TrailRepository, 'read'>,
    private readonly tokenCounter: TokenCounter,
    /** Those of the lineage, once it is prepared. */
    private readonly found: readonly PlanSession[] = [],
  ) {}

  /** A trail is short; where no session serves the plan or one above, there is none. */
  canHandle(): number {
    return this.found.length > 0 ? 0.3 : 0;
  }

  async prepare({ lineage }: StrategyRequest): Promise<ContextStrategy> {
    const found = await sessionsOf(this.sessions, lineage);
    return new ArtifactTrailStrategy(this.sessions, this.trails, this.tokenCounter, found);
  }

  async assemble(
    _request: StrategyRequest,
    { budgetTokens }: StrategyRoom,
  ): Promise<StrategyAnswer> {
    const fragments: AssemblyFragment[] = [];
    const leftOut: LeftOutFragment[] = [];
    let free = budgetTokens;
    for (const one of this.found) {
      const trail = await this.trails.read(one.session, RENDERED_PARTS);
      const offer = this.#offer(one, trail, free);
      if (offer !== null) {
        fragments.push(offer);
        free -= offer.tokenCount;
        continue;
      }
      const whole = this.#offer(one, trail, Number.MAX_SAFE_INTEGER);
      if (whole !== null) leftOut.push(whole);
    }
    return { fragments, leftOut };
  }

  /** Null where not one line of the trail fits. */
  #offer(
    { session, planId, hierarchy, recency }: PlanSession,
    trail: Trail,
    freeTokens: number,
  ): AssemblyFragment | null {
    const head = `Files of session ${session.sessionId}:\n`;
    const { name, version } = this.tokenCounter;
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
