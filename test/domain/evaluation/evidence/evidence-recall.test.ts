import {
  EVIDENCE_ARMS,
  type EvidenceArm,
} from '../../../../src/domain/evaluation/evidence/evidence-task.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EvidenceTask } from '../../../../src/domain/evaluation/evidence/evidence-task.js';
import type { EvidenceCase } from '../../../../src/domain/evaluation/evidence/evidence-case.js';
import { measureCase } from '../../../../src/domain/evaluation/evidence/evidence-recall.js';
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

  it('counts in blind what a kept line cites as reachable, and what is kept word for word apart', () => {
    const turns = Array.from({ length: 200 }, (_, at) => ({
      turnId: `t${at}`,
      speaker: 'Ada',
      text: `turn ${at} `.repeat(20),
    }));
    const asked = { questionId: 'q', text: '?', evidence: [['t110']], category: null };
    const measured = measureCase(
      { caseId: 'long', turns, questions: [asked] },
      { task: 'blind', arms: ['ours'], budgets: [50], counter },
    );
    const [tally] = measured.tallies;
    expect(tally?.shares).toBe(0);
    expect(tally?.reachableShares).toBe(1);
  });
});

describe('keepTurns', () => {
  it.each([
    { rule: 'best score first', scores: [1, 3, 2], costs: [5, 5, 5], budget: 10, kept: [1, 2] },
    { rule: 'ties go to the newer', scores: [1, 1, 1], costs: [5, 5, 5], budget: 5, kept: [2] },
    {
      rule: 'one that does not fit is passed over',
      scores: [3, 2, 1],
      costs: [9, 20, 5],
      budget: 15,
      kept: [0, 2],
    },
    { rule: 'an exact fit is kept', scores: [1], costs: [5], budget: 5, kept: [0] },
  ])('$rule', ({ scores, costs, budget, kept }) => {
    expect([...keepTurns(scores, costs, budget).kept].sort((a, b) => a - b)).toEqual(kept);
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
