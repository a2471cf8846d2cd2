/**
 * `plan-decisions`: the live decisions of the plan and its ancestors, nearest plan first, newest
 * first. The plan's own prompt is left out: it is what the model is asked to do, not context.
 */
import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import type { PlanId } from '../../domain/kernel/ids.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { Decision } from '../../domain/plan/decision.js';
import type { DecisionRepository } from '../../domain/plan/repositories.js';
import type {
  ContextStrategy,
  StrategyAnswer,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import { offerWithinRoom } from './offer-within-room.js';

export class PlanDecisionsStrategy implements ContextStrategy {
  readonly name = 'plan-decisions';
  readonly quality = 0.7;

  constructor(
    private readonly decisions: Pick<DecisionRepository, 'listByPlan'>,
    private readonly tokenCounter: TokenCounter,
  ) {}

  /** Decisions are few and short: a small promise holds them all. */
  canHandle(_request: StrategyRequest): number {
    return 0.3;
  }

  async assemble(
    { planId, lineage }: StrategyRequest,
    room: StrategyRoom,
  ): Promise<StrategyAnswer> {
    const ledgers = await Promise.all(lineage.map((plan) => this.decisions.listByPlan(plan)));
    const fragments = ledgers.flatMap((ledger, generation) =>
      ledger
        .filter(({ supersededBy }) => supersededBy === null)
        .filter(({ type }) => generation > 0 || type !== 'prompt_definition')
        .map((decision, at, live) => this.fragmentOf(decision, planId, generation, at, live.length))
        .reverse(),
    );
    const offers = offerWithinRoom(fragments, room);
    return { fragments: offers, leftOut: fragments.slice(offers.length) };
  }

  private fragmentOf(
    decision: Decision,
    planId: PlanId,
    generation: number,
    at: number,
    count: number,
  ): AssemblyFragment {
    const content = textOf(decision, generation);
    const { name, version } = this.tokenCounter;
    return {
      planId: generation === 0 ? planId : decision.planId,
      fragmentId: `decision:${decision.decisionId}`,
      content,
      tokenCount: this.tokenCounter.count(content),
      tokenCounter: `${name}@${version}`,
      relevance: 0,
      decisionId: decision.decisionId,
      group: `decisions of ${decision.planId}`,
      position: at,
      hierarchy: 1 / (1 + generation),
      recency: (at + 1) / count,
    };
  }
}

/** Whose decision it is stands in the text: a child must not take its parent's choices for its own. */
function textOf(decision: Decision, generation: number): string {
  const { type, question, choice, rationale } = decision;
  const whose = generation === 0 ? 'this plan' : 'an ancestor plan';
  // What a spawn chooses is an id, which tells a model nothing.
  const chosen = type === 'subplan_spawn' ? [question] : [question, choice];
  const because = rationale === null ? '' : ` (because: ${rationale})`;
  const answer = chosen.filter((part) => part !== null).join(' → ');
  return `Decision of ${whose} (${type}): ${answer}${because}`;
}
