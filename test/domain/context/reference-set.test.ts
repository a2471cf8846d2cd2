import { describe, expect, it } from '@jest/globals';
import { ReferenceSet } from '../../../src/domain/context/reference-set.js';
import { parsePlanId } from '../../../src/domain/kernel/ids.js';

const PLAN = parsePlanId('01KB0000000000000000000001');
const OTHER = parsePlanId('01KB0000000000000000000002');

describe('ReferenceSet', () => {
  const references = new ReferenceSet([
    { planId: PLAN, fragmentId: 'one' },
    { planId: PLAN, fragmentId: 'two' },
  ]);

  // prettier-ignore
  it.each([
    { rule: 'holds what it was given',                    planId: PLAN,  fragmentId: 'two', isIn: true },
    { rule: 'holds no other id of the plan',              planId: PLAN,  fragmentId: 'six', isIn: false },
    { rule: 'tells two plans with one id apart',          planId: OTHER, fragmentId: 'one', isIn: false },
  ])('$rule', ({ planId, fragmentId, isIn }) => {
    expect(references.has({ planId, fragmentId })).toBe(isIn);
  });
});
