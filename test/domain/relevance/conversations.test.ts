/** Recall of marked evidence on conversations, beside references that anybody can check. */
import { describe, expect, it } from '@jest/globals';
import { keepTurns } from '../../../src/domain/evaluation/evidence/keep-turns.js';
import { type GoalMatch, matchGoal } from '../../../src/domain/relevance/match-goal.js';
import { scoreRelevance } from '../../../src/domain/relevance/score-relevance.js';
import { selectWithinBudget } from '../../../src/domain/relevance/select-within-budget.js';
import { type MarkedConversation, readConversations } from '../../support/conversations.js';

/** Shares of a conversation's tokens, in percent. */
const BUDGETS = [5, 10, 15, 30, 50] as const;

type Keep = (
  scores: ArrayLike<number>,
  turns: MarkedConversation['turns'],
  tokens: number,
) => ReadonlySet<number>;

const greedy: Keep = (scores, turns, tokens) =>
  keepTurns(
    scores,
    turns.map(({ tokenCount }) => tokenCount),
    tokens,
  ).kept;

const tokenAware: Keep = (scores, turns, tokens) =>
  new Set(selectWithinBudget('', turns, tokens, () => Array.from(scores)).kept);

interface Asked {
  readonly turns: MarkedConversation['turns'];
  readonly evidence: readonly number[];
  readonly ours: Float64Array;
  readonly match: GoalMatch;
}

/** Every question of a half with its scores, worked out once. */
function ask(half: 'tuning' | 'held-out'): readonly Asked[] {
  return readConversations(half).flatMap(({ turns, questions }) => {
    const contents = turns.map(({ content }) => content);
    return questions.map(({ text, evidence }) => ({
      turns,
      evidence,
      ours: scoreRelevance(text, turns),
      match: matchGoal(text, contents),
    }));
  });
}

type Score = (asked: Asked) => ArrayLike<number>;

/** Mean share of the evidence that survives at each budget, 0..100. */
function recall(questions: readonly Asked[], score: Score, keep: Keep): readonly number[] {
  const sums = BUDGETS.map(() => 0);
  for (const asked of questions) {
    const { turns, evidence } = asked;
    const total = turns.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    const scores = score(asked);
    BUDGETS.forEach((percent, at) => {
      const kept = keep(scores, turns, Math.floor((total * percent) / 100));
      const share = evidence.filter((turn) => kept.has(turn)).length / evidence.length;
      sums[at] = (sums[at] ?? 0) + share;
    });
  }
  return sums.map((sum) => (100 * sum) / questions.length);
}

const ours: Score = (asked) => asked.ours;
const withTopics = ({ own, topics }: GoalMatch) =>
  own.map((value, at) => 0.7 * value + 0.3 * (topics[at] ?? 0));
const REFERENCES: Readonly<Record<string, Score>> = {
  recency: ({ turns }) => turns.map((_, at) => at),
  bm25: ({ match }) => match.own,
  'bm25, topics and neighbours': ({ match }) => {
    const scores = withTopics(match);
    return scores.map(
      (value, at) => value + 0.5 * Math.max(scores[at - 1] ?? 0, scores[at + 1] ?? 0),
    );
  },
  'bm25 and recency by the root of the tokens': ({ match, turns }) =>
    match.own.map(
      (value, at) =>
        (0.7 * value + (0.3 * at) / turns.length) / Math.sqrt(turns[at]?.tokenCount ?? 1),
    ),
};

describe.each(['tuning', 'held-out'] as const)('on the %s conversations', (half) => {
  const questions = ask(half);

  it('no reference keeps more evidence than the scorer, at any budget', () => {
    const best = BUDGETS.map(() => 0);
    for (const score of Object.values(REFERENCES)) {
      recall(questions, score, greedy).forEach((value, at) => {
        best[at] = Math.max(best[at] ?? 0, value);
      });
    }
    const found = recall(questions, ours, tokenAware);
    best.forEach((value, at) => expect(found[at] ?? 0).toBeGreaterThanOrEqual(value));
  });

  // Measured, less what a change of wording may cost; the figures themselves stand in decision 0015.
  it.each([
    { keep: greedy, way: 'packed greedily' },
    { keep: tokenAware, way: 'selected with the tokens in mind' },
  ])('the scores keep what they are known to keep, $way', ({ keep }) => {
    const found = recall(questions, ours, keep);
    [57, 65, 70, 86, 93].forEach((floor, at) => expect(found[at] ?? 0).toBeGreaterThan(floor));
  });
});

describe('the conversations', () => {
  it.each(['tuning', 'held-out'] as const)('mark turns that exist (%s)', (half) => {
    for (const { turns, questions } of readConversations(half)) {
      expect(turns.length).toBeGreaterThan(100);
      expect(questions.length).toBeGreaterThan(30);
      for (const { evidence } of questions) {
        expect(evidence.length).toBeGreaterThan(0);
        expect(evidence.every((turn) => turn >= 0)).toBe(true);
      }
    }
  });
});
