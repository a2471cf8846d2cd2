/**
 * `artifact-trail`: what the sessions of the plan and its ancestors made, changed and read, each
 * session as one piece, the nearest plan first and its newest session first.
 */
import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import { isUlid } from '../../domain/kernel/ids.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { SessionRepository, TrailRepository } from '../../domain/session/repositories.js';
import type { Session } from '../../domain/session/session.js';
import { renderTrail } from '../../domain/session/trail/render-trail.js';
import type {
  ContextStrategy,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';

/** Characters of a ULID; a fragment of a session is called `<session_id>:<unit_id>`. */
const ID_LENGTH = 26;

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
    const found = await this.sessions.listByPlans(lineage);
    const nearest = [...found].sort((a, b) => generationOf(a, lineage) - generationOf(b, lineage));
    const offers: AssemblyFragment[] = [];
    let free = budgetTokens;
    for (const [at, session] of nearest.entries()) {
      const recency = 1 - at / nearest.length;
      const offer = await this.#offer(session, lineage, free, recency);
      if (offer === null) continue;
      offers.push(offer);
      free -= offer.tokenCount;
    }
    return offers;
  }

  async #offer(
    session: Session,
    lineage: StrategyRequest['lineage'],
    freeTokens: number,
    recency: number,
  ): Promise<AssemblyFragment | null> {
    const generation = generationOf(session, lineage);
    const planId = lineage[generation];
    if (planId === undefined) return null;
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
      hierarchy: 1 / (1 + generation),
      recency,
    };
  }
}

function isOfSession({ fragmentId }: Pick<AssemblyFragment, 'fragmentId'>): boolean {
  return fragmentId.charAt(ID_LENGTH) === ':' && isUlid(fragmentId.slice(0, ID_LENGTH));
}

/** 0 for the plan itself, 1 for its parent, and so on. */
function generationOf({ planId }: Session, lineage: readonly string[]): number {
  return planId === null ? lineage.length : lineage.indexOf(planId);
}
