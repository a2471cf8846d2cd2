import { describe, expect, it } from '@jest/globals';
import { DECISION_TYPES, parseDecisionType, supersede } from '../../../src/domain/plan/decision.js';
import { aDecision, newPlanId } from '../../contracts/sample-values.js';

const planId = newPlanId();

describe('parseDecisionType', () => {
  it.each([...DECISION_TYPES, 'a', 'review_2', `a${'b'.repeat(63)}`])('takes %s', (type) => {
    expect(parseDecisionType(type)).toBe(type);
  });

  it.each(['', 'Review', 'two words', '2nd', '_x', 'é', `a${'b'.repeat(64)}`, null, 7])(
    'refuses %j, naming the field',
    (type) => {
      expect(() => parseDecisionType(type)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', details: { field: 'type' } }),
      );
    },
  );
});

describe('supersede', () => {
  const [old, next, another] = [aDecision(planId), aDecision(planId), aDecision(planId)];

  it('names the decision that took the place, and changes nothing else', () => {
    expect(supersede(old, next)).toEqual({ ...old, supersededBy: next.decisionId });
    expect(old.supersededBy).toBeNull();
  });

  it('by the same decision again is the same', () => {
    const once = supersede(old, next);
    expect(supersede(once, next)).toEqual(once);
  });

  it.each([
    { rule: 'a decision by itself', decision: old, by: old, code: 'INVALID_INPUT' },
    {
      rule: 'a decision by one of another plan',
      decision: old,
      by: aDecision(newPlanId()),
      code: 'INVALID_INPUT',
    },
    {
      rule: 'a decision that was superseded by another',
      decision: supersede(old, next),
      by: another,
      code: 'ILLEGAL_MOVE',
    },
  ])('refuses $rule', ({ decision, by, code }) => {
    expect(() => supersede(decision, by)).toThrow(expect.objectContaining({ code }));
  });
});
