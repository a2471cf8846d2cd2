import {
  EVIDENCE_ARMS,
  type EvidenceArm,
} from '../../../../src/domain/evaluation/evidence/evidence-task.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EvidenceTask } from '../../../../src/domain/evaluation/evidence/evidence-task.js';
import type { EvidenceCase } from '../../../../src/domain/evaluation/evidence/evidence-case.js';
import { measureCase } from '../../../../src/domain/evaluation/evidence/evidence-recall.js';
import {
  type FragmentScorer,
  scoreRelevance,
} from '../../../../src/domain/relevance/score-relevance.js';
import { keepTurns } from '../../../../src/domain/evaluation/evidence/keep-turns.js';

/** A token a word. */
const counter = {
  name: 'words',
  version: '1',
  count: (text: string) => text.split(/\s+/).filter((word) => word !== '').length,
};

/** Ten turns of four words: with the overhead, five tokens each. */
const HARBOUR: EvidenceCase = {
  caseId: 'harbour',
  turns: Array.from({ length: 10 }, (_, at) => ({
    turnId: `t${at}`,
    speaker: at % 2 === 0 ? 'Ada' : 'assistant',
    text: at === 3 ? 'the crane lifts lemons' : `plain words number ${at}`,
  })),
  questions: [
    { questionId: 'q1', text: 'what does the crane lift', evidence: [['t3']], category: 'fact' },
    { questionId: 'q2', text: 'first or last', evidence: [['t0', 't9']], category: null },
    { questionId: 'q3', text: 'gone', evidence: [['t99']], category: null },
    { questionId: 'q4', text: 'nothing', evidence: [], category: null },
  ],
};

function tallyOf(arm: EvidenceArm, budget: number, task: EvidenceTask = 'aware') {
  const measured = measureCase(HARBOUR, { task, arms: [arm], budgets: [budget], counter });
  const [tally] = measured.tallies;
  if (tally === undefined) throw new Error('no tally');
  return tally;
}

describe('measureCase', () => {
  it.each<{ rule: string; arm: EvidenceArm; budget: number; shares: number }>([
    { rule: 'the oracle keeps all evidence that fits', arm: 'oracle', budget: 20, shares: 2 },
    { rule: 'recency keeps the newest', arm: 'recency', budget: 10, shares: 1 },
    { rule: 'head keeps the oldest', arm: 'head', budget: 10, shares: 1 },
    { rule: 'head reaches the fourth turn with four', arm: 'head', budget: 40, shares: 2 },
    { rule: 'BM25 finds the words of the question', arm: 'bm25', budget: 10, shares: 2 },
    { rule: 'ours finds them as well', arm: 'ours', budget: 10, shares: 2 },
    { rule: 'the whole budget keeps everything', arm: 'random', budget: 100, shares: 2 },
    { rule: 'below one turn nothing is kept', arm: 'oracle', budget: 9, shares: 0 },
  ])('$rule', ({ arm, budget, shares }) => {
    expect(tallyOf(arm, budget)).toMatchObject({ questions: 2, shares, gold: 2 });
  });

  it('leaves out questions without evidence or with unknown turns, and says so', () => {
    const { leftOut } = measureCase(HARBOUR, {
      task: 'aware',
      arms: ['head'],
      budgets: [10],
      counter,
    });
    expect(leftOut).toEqual([
      { questionId: 'q3', reason: 'unknown-turn' },
      { questionId: 'q4', reason: 'no-evidence' },
    ]);
  });

  it('a scorer of a host, asked for each question, is measured like ours, which reads a case once', () => {
    const settings = { task: 'aware', arms: ['ours'], budgets: [10, 30], counter } as const;
    const score: FragmentScorer = (goal, fragments) => scoreRelevance(goal, fragments);
    const newest: FragmentScorer = (_goal, fragments) =>
      fragments.map((_, at) => at / fragments.length);
    const own = measureCase(HARBOUR, settings).tallies;
    expect(measureCase(HARBOUR, { ...settings, score }).tallies).toEqual(own);
    expect(measureCase(HARBOUR, { ...settings, score: newest }).tallies).not.toEqual(own);
  });

  it('means random over its seeds', () => {
    const { shares } = tallyOf('random', 30);
    expect(Number.isInteger(shares * 10)).toBe(true);
  });

  it('never spends more than the budget, in any arm and task', () => {
    for (const task of ['aware', 'blind'] as const) {
      for (const arm of EVIDENCE_ARMS.filter((one) => task === 'aware' || one !== 'bm25')) {
        const { usedTokens, questions } = tallyOf(arm, 30, task);
        expect(usedTokens).toBeLessThanOrEqual(15 * questions);
      }
    }
  });

  it('keeps in blind what a pass keeps, and the newest turns where none comes down to the budget', () => {
    const passes = new Map([
      [25, { kept: new Set([8, 9]), reachable: new Set([3, 8, 9]), usedTokens: 14 }],
    ]);
    const { tallies } = measureCase(HARBOUR, {
      task: 'blind',
      arms: ['ours', 'recency'],
      budgets: [20, 50],
      counter,
      passes,
    });
    expect(
      tallies.map(({ arm, budget, shares, reachableShares }) => [
        arm,
        budget,
        shares,
        reachableShares,
      ]),
    ).toEqual([
      ['ours', 20, 1, 1],
      ['ours', 50, 1, 2],
      ['recency', 20, 1, 1],
      ['recency', 50, 1, 1],
    ]);
  });

  it('keeps more, never less, of the evidence with the whole budget than with a part', () => {
    const turns = fc.array(
      fc.record({ score: fc.integer(), cost: fc.integer({ min: 1, max: 50 }) }),
    );
    fc.assert(
      fc.property(turns, fc.integer({ min: 0, max: 500 }), (given, budget) => {
        const costs = given.map(({ cost }) => cost);
        const scores = given.map(({ score }) => score);
        const { kept, usedTokens } = keepTurns(scores, costs, budget);
        expect(usedTokens).toBeLessThanOrEqual(budget);
        const left = budget - usedTokens;
        for (const [at, cost] of costs.entries()) if (cost <= left) expect(kept.has(at)).toBe(true);
      }),
      { seed: 8 },
    );
  });
});
