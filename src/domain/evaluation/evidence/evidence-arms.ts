/** Ways to choose turns: references that anybody can check, and ours. */
import {
  type FragmentScorer,
  prepareScorer,
  scoreRelevance,
} from '../../relevance/score-relevance.js';
import { selectWithinBudget } from '../../relevance/select-within-budget.js';
import { seededNumbers } from '../seeded-numbers.js';
import { bm25Scorer } from './bm25.js';
import type { EvidenceCase, PlacedQuestion } from './evidence-case.js';
import type { EvidenceArm, EvidenceTask } from './evidence-task.js';
import { keepTurns, keepTurnsAt, type KeptTurns } from './keep-turns.js';

/** Seeds of `random`; its figures are means over them. */
export const RANDOM_SEEDS = [1, 2, 3, 4, 5] as const;

/** Chooses for one question at one budget; several choices where an arm draws. */
export type ChooseTurns = (
  question: PlacedQuestion,
  budgetsTokens: readonly number[],
) => readonly (readonly KeptTurns[])[];

/** Arms that need the question: in `blind` there is none to need. */
export function isOffered(arm: EvidenceArm, task: EvidenceTask): boolean {
  return task === 'aware' || arm !== 'bm25';
}

/**
 * @param costs tokens of each turn, its overhead included.
 * @param passes what a pass keeps at a budget, for `ours` in `blind`; where none comes down to it, the newest turns do.
 * @returns for each budget what survives: one choice, of `random` one for each seed.
 */
export function evidenceArm(
  arm: EvidenceArm,
  task: EvidenceTask,
  { turns }: Pick<EvidenceCase, 'turns'>,
  costs: readonly number[],
  passes: ReadonlyMap<number, KeptTurns> = new Map(),
  score: FragmentScorer = scoreRelevance,
): ChooseTurns {
  const scored = (scores: ArrayLike<number>): ChooseTurns =>
    onceForAll((budget) => [keepTurns(scores, costs, budget)]);
  switch (arm) {
    case 'recency':
      return scored(costs.map((_, position) => position));
    case 'head':
      return scored(costs.map((_, position) => -position));
    case 'random': {
      const series = RANDOM_SEEDS.map((seed) => {
        const draw = seededNumbers(seed);
        return costs.map(() => draw());
      });
      return onceForAll((budget) => series.map((scores) => keepTurns(scores, costs, budget)));
    }
    case 'oracle':
      return ({ groups }, budgets) => {
        const gold = cheapestOf(groups, costs);
        const scores = costs.map((cost, position) => (gold.has(position) ? 2 + 1 / (cost + 1) : 0));
        return keepTurnsAt(scores, costs, budgets).map((kept) => [kept]);
      };
    case 'bm25': {
      const scorer = bm25Scorer(turns.map(({ text }) => text));
      return ({ question }, budgets) => {
        const scores = scorer(question.text);
        return keepTurnsAt(scores, costs, budgets).map((kept) => [kept]);
      };
    }
    case 'ours': {
      if (task === 'blind') {
        const newest = costs.map((_, position) => position);
        return onceForAll((budget) => [passes.get(budget) ?? keepTurns(newest, costs, budget)]);
      }
      const fragments = turns.map(({ text, speaker }, position) => ({
        content: speaker === '' ? text : `${speaker}: ${text}`,
        tokenCount: costs[position] ?? 0,
      }));
      const prepared = prepareScorer(score)(fragments);
      return ({ question }, budgets) => {
        const scores = prepared.score(question.text);
        return budgets.map((budget) => {
          const { kept, usedTokens } = selectWithinBudget('', fragments, budget, () => scores);
          const survivors = new Set(kept);
          return [{ kept: survivors, reachable: survivors, usedTokens }];
        });
      };
    }
  }
}

/** Choices that do not depend on the question are made once for a budget. */
function onceForAll(choose: (budgetTokens: number) => readonly KeptTurns[]): ChooseTurns {
  const known = new Map<number, readonly KeptTurns[]>();
  return (_, budgets) =>
    budgets.map((budget) => {
      const chosen = known.get(budget) ?? choose(budget);
      known.set(budget, chosen);
      return chosen;
    });
}

/** Of each group the turn that costs least: with it the group is answered. */
function cheapestOf(
  groups: readonly (readonly number[])[],
  costs: readonly number[],
): ReadonlySet<number> {
  return new Set(
    groups.flatMap(
      (group) => [...group].sort((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0))[0] ?? [],
    ),
  );
}
