/** Evidence recall: the share of gold turns that survive. Memory is bounded by one case. */
import type { EvidenceArm } from './evidence-task.js';
import type { TokenCounter } from '../../kernel/measures.js';
import type { FragmentScorer } from '../../relevance/score-relevance.js';
import { evidenceArm } from './evidence-arms.js';
import type { EvidenceTask } from './evidence-task.js';
import { type EvidenceCase, type LeftOutReason, placeQuestions } from './evidence-case.js';
import { budgetOf, type KeptTurns, TURN_OVERHEAD_TOKENS } from './keep-turns.js';

/** Sums of one case, one arm and one budget; means are taken over cases later. */
export interface EvidenceTally {
  readonly arm: EvidenceArm;
  /** Of the case's tokens, in percent. */
  readonly budget: number;
  readonly questions: number;
  /** Sum over questions of the share of their evidence that survives word for word. */
  readonly shares: number;
  /** The same with what a kept item cites. */
  readonly reachableShares: number;
  /** Questions all of whose evidence survives. */
  readonly complete: number;
  readonly goldKept: number;
  readonly gold: number;
  readonly usedTokens: number;
  readonly byCategory: ReadonlyMap<string, { readonly questions: number; readonly shares: number }>;
}

export interface MeasuredCase {
  readonly caseId: string;
  readonly turns: number;
  readonly tokens: number;
  readonly tallies: readonly EvidenceTally[];
  readonly leftOut: readonly { readonly questionId: string; readonly reason: LeftOutReason }[];
}

export interface EvidenceSettings {
  readonly task: EvidenceTask;
  readonly arms: readonly EvidenceArm[];
  /** In percent. */
  readonly budgets: readonly number[];
  readonly counter: TokenCounter;
  readonly score?: FragmentScorer;
  /** Of `ours` in `blind`: what a pass keeps, by budget in tokens. */
  readonly passes?: ReadonlyMap<number, KeptTurns>;
  /** Told before and after each arm, for whoever keeps time. */
  readonly onArm?: (arm: EvidenceArm, event: 'begins' | 'ends') => void;
}

const NO_CATEGORY = 'none';

/** Tokens of each turn, and of each budget. */
export function costsOfCase(
  { turns }: Pick<EvidenceCase, 'turns'>,
  budgets: readonly number[],
  counter: TokenCounter,
): { readonly costs: readonly number[]; readonly budgetsTokens: readonly number[] } {
  const costs = turns.map(({ text }) => counter.count(text) + TURN_OVERHEAD_TOKENS);
  return { costs, budgetsTokens: budgets.map((percent) => budgetOf(costs, percent)) };
}

export function measureCase(evidence: EvidenceCase, settings: EvidenceSettings): MeasuredCase {
  const { task, arms, budgets, counter, score, passes, onArm } = settings;
  const { placed, leftOut } = placeQuestions(evidence);
  const { costs, budgetsTokens } = costsOfCase(evidence, budgets, counter);
  const tallies = arms.flatMap((arm) => {
    onArm?.(arm, 'begins');
    const choose = evidenceArm(arm, task, evidence, costs, passes, score);
    const sums = budgets.map((budget) => new Tally(arm, budget));
    for (const question of placed) {
      const chosen = choose(question, budgetsTokens);
      for (const [at, sum] of sums.entries()) {
        sum.add(question.groups, question.question.category ?? NO_CATEGORY, chosen[at] ?? []);
      }
    }
    onArm?.(arm, 'ends');
    return sums;
  });
  return {
    caseId: evidence.caseId,
    turns: evidence.turns.length,
    tokens: costs.reduce((sum, cost) => sum + cost, 0),
    tallies,
    leftOut,
  };
}

class Tally implements EvidenceTally {
  questions = 0;
  shares = 0;
  reachableShares = 0;
  complete = 0;
  goldKept = 0;
  gold = 0;
  usedTokens = 0;
  readonly byCategory = new Map<string, { questions: number; shares: number }>();

  constructor(
    readonly arm: EvidenceArm,
    readonly budget: number,
  ) {}

  /** @param choices one, or one for each draw: each counts its part of the question. */
  add(
    groups: readonly (readonly number[])[],
    category: string,
    choices: readonly KeptTurns[],
  ): void {
    const own = this.byCategory.get(category) ?? { questions: 0, shares: 0 };
    this.byCategory.set(category, own);
    this.questions += 1;
    this.gold += groups.length;
    own.questions += 1;
    let [survivors, reached, complete, tokens] = [0, 0, 0, 0];
    for (const { kept, reachable, usedTokens } of choices) {
      const survived = groups.filter((group) => group.some((turn) => kept.has(turn))).length;
      survivors += survived;
      reached += groups.filter((group) => group.some((turn) => reachable.has(turn))).length;
      complete += survived === groups.length ? 1 : 0;
      tokens += usedTokens;
    }
    // Divided once, so that whole shares stay whole.
    const share = survivors / (choices.length * groups.length);
    this.shares += share;
    own.shares += share;
    this.reachableShares += reached / (choices.length * groups.length);
    this.complete += complete / choices.length;
    this.goldKept += survivors / choices.length;
    this.usedTokens += tokens / choices.length;
  }
}
