/** What an assembly gives: what a model is shown, what it is not, and why. */
import type { ContextBudget } from '../context/context-budget.js';
import type { PlanId } from '../kernel/ids.js';
import type { AssembledFragment, ExcludedFragment, ShownFragment } from './assembly-fragment.js';
import type { StrategyFailure } from './assembly-stages.js';

export interface StrategyReport {
  readonly name: string;
  /** As it answered, 0..1. */
  readonly confidence: number;
  /** The part of the room that it was promised, 0..1, and the tokens that this is. */
  readonly share: number;
  readonly budgetTokens: number;
  /** Fragments that it offered, and those of them that are in. */
  readonly offered: number;
  readonly fragments: number;
  /** Tokens of those that are in. */
  readonly tokens: number;
  readonly failure: StrategyFailure | null;
}

/** Where the tokens go. `roomTokens` is what preamble and skeleton leave to the strategies. */
export interface BudgetReport extends ContextBudget {
  /** floor(available × ratio): the most that the skeleton may take. */
  readonly skeletonBudget: number;
  readonly skeletonTokens: number;
  readonly preambleTokens: number;
  readonly roomTokens: number;
  readonly fragmentTokens: number;
  /** Of the blank lines between the texts. */
  readonly jointTokens: number;
}

export interface AssemblyPayload {
  readonly planId: PlanId;
  readonly query: string;
  /** In the order in which they are shown. */
  readonly fragments: readonly AssembledFragment[];
  /** What the plan inherited and is shown first, most relevant first. */
  readonly skeletonFragments: readonly ShownFragment[];
  /** Empty where there is nothing to say, or no preamble was wanted. */
  readonly preamble: string;
  /**
   * Tokens of the text for a model: preamble, skeleton, fragments, and the blank lines between them. Never
   * more than `budget.availableTokens`; so is the count of the whole text.
   */
  readonly totalTokens: number;
  /** Total over available, 0..1. */
  readonly budgetUsed: number;
  readonly budget: BudgetReport;
  /** In the order in which they were served. */
  readonly strategies: readonly StrategyReport[];
  /** Every offer that is not in, and every fragment of the plan that is not in. */
  readonly excluded: readonly ExcludedFragment[];
}
