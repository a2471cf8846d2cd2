import type { AssemblyFragment, LeftOutFragment } from '../../domain/assembly/assembly-fragment.js';
import type { AssemblyRequest } from '../../domain/assembly/assembly-request.js';
import type { AskableStrategy } from '../../domain/assembly/assembly-stages.js';
import type { PlanId, ProjectId } from '../../domain/kernel/ids.js';

/** What a strategy may look at. */
export interface StrategyRequest extends AssemblyRequest {
  readonly projectId: ProjectId;
  /** The plan, its parent, and so on up to the root. */
  readonly lineage: readonly PlanId[];
  /**
   * The plan's accumulated context in the order of time, without what the skeleton shows already and
   * what follows from superseded decisions. Relevance is that to the query where there is a query.
   */
  readonly context: readonly AssemblyFragment[];
}

export interface StrategyRoom {
  /** Tokens promised to this strategy. */
  readonly budgetTokens: number;
  /** Tokens of all strategies together: what is offered beyond the promise may find room here. */
  readonly roomTokens: number;
  /** Aborted when the time is up; nobody waits any longer then. */
  readonly signal: AbortSignal;
}

/** What a strategy offers, best first; and what it has and holds back, which is then named as over its budget. */
export type StrategyAnswer =
  | readonly AssemblyFragment[]
  | {
      readonly fragments: readonly AssemblyFragment[];
      readonly leftOut: readonly LeftOutFragment[];
    };

/**
 * Port: a source of fragments. Many are bound, under names of their own. `canHandle` is asked once an
 * assembly; where it answers above 0 and a share falls to it, `assemble` is called once, at the same
 * time as those of other strategies and of other assemblies.
 *
 * What `assemble` answers is in order of preference. It may go beyond the budget: the excess is taken
 * only into room that others leave, and named where there is none. Nothing to offer is an empty list. What
 * it has of the plan's context and does not offer is named without its doing; what it has from elsewhere and
 * does not offer, it must name as `leftOut`. Every fragment must be of the plan or of an ancestor; knowledge from outside carries the `planId`
 * of the request. A rejection, or one unsound fragment, fails the strategy and never the assembly.
 */
export interface ContextStrategy extends AskableStrategy<StrategyRequest> {
  assemble(request: StrategyRequest, room: StrategyRoom): Promise<StrategyAnswer>;
  /**
   * Looks up what `canHandle` must know, which cannot wait: answers a strategy for this one request, under
   * the same name and quality. Where it fails or its time is up, the strategy is named as failed. Left out:
   * nothing has to be looked up.
   */
  prepare?(request: StrategyRequest, signal: AbortSignal): Promise<ContextStrategy>;
}
