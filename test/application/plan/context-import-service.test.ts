/** The rules of an import, on the store in memory. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createOssature, type IncomingItem, type Ossature } from '../../../src/index.js';
import { newDecisionId } from '../../contracts/sample-values.js';
import { aRootWith, fragmentItems, storeOf } from '../../support/builders.js';

describe('an import', () => {
  let core: Ossature;
  beforeEach(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
  });

  const fragment = (given: Readonly<Record<string, unknown>>): IncomingItem => ({
    item: 'fragment',
    fragment: { fragmentId: 'f', content: 'text', relevance: 0.5, tokenCount: 1, ...given },
  });
  const heldBy = async (planId: string) => {
    const plan = await core.plans.get(planId);
    return storeOf(core).repositories.fragments.listEntries(plan.planId);
  };

  it('raises the parent’s version once, and not at all where it adds nothing', async () => {
    const plan = await aRootWith(core);
    await core.imports.import(plan, fragmentItems('a:0.5:1', 'b:0.5:1'));
    expect((await core.plans.get(plan)).version).toBe(2);
    await core.imports.import(plan, fragmentItems('a:0.5:1', 'b:0.5:1'));
    expect((await core.plans.get(plan)).version).toBe(2);
  });

  it('counts what it is not told the size of, and says by which counter', async () => {
    const plan = await aRootWith(core);
    await core.imports.import(plan, [
      { item: 'fragment', fragment: { fragmentId: 'f', content: 'one two three', relevance: 1 } },
    ]);
    const [stored] = await storeOf(core).repositories.fragments.getMany(await heldBy(plan));
    expect(stored).toMatchObject({ tokenCount: 3, tokenCounter: expect.stringMatching(/^.+@.+$/) });
  });

  it.each([
    [
      'two contents under one id',
      [fragment({}), fragment({ content: 'other' })],
      'DUPLICATE_FRAGMENT',
    ],
    [
      'a relevance above 1',
      [fragment({ fragmentId: 'g' }), fragment({ relevance: 2 })],
      'INVALID_FRAGMENT',
    ],
    ['an id with U+0000', [fragment({ fragmentId: 'a\u0000' })], 'INVALID_FRAGMENT'],
    ['a text with half a character', [fragment({ content: '\ud83c' })], 'INVALID_FRAGMENT'],
    ['metadata with U+0000', [fragment({ metadata: { a: ['\u0000'] } })], 'INVALID_FRAGMENT'],
    ['a decision id that is none', [fragment({ decisionId: 'x' })], 'INVALID_FRAGMENT'],
    [
      'superseding what nobody knows',
      [
        fragment({}),
        { item: 'superseded' as const, decisionId: newDecisionId(), by: newDecisionId() },
      ],
      'NOT_FOUND',
    ],
  ])('with %s writes nothing', async (_, items, code) => {
    const plan = await aRootWith(core);
    await expect(core.imports.import(plan, items)).rejects.toMatchObject({ code });
    expect(await heldBy(plan)).toEqual([]);
    expect((await core.plans.get(plan)).version).toBe(1);
  });

  it('makes an unknown decision one of this plan, with its text', async () => {
    const plan = await aRootWith(core);
    const decisionId = newDecisionId();
    const receipt = await core.imports.import(plan, [
      fragment({ decisionId, decision: 'rotate the token' }),
      fragment({ fragmentId: 'g', decisionId }),
    ]);
    expect(receipt).toMatchObject({ fragmentsAdded: 2, decisionsAdded: 1 });
    expect(await storeOf(core).repositories.decisions.get(decisionId)).toMatchObject({
      planId: plan,
      type: 'implementation_choice',
      choice: 'rotate the token',
    });
  });

  it('takes decisions of an ancestor and none of a stranger', async () => {
    const top = await aRootWith(core, 'a:0.5:1');
    const { child } = await core.coordinator.spawnChild(top, { goal: 'below' });
    const above = await core.plans.decide(top, { type: 'strategy_choice', choice: 'this' });
    const stranger = await aRootWith(core);

    await core.imports.import(child.planId, [fragment({ decisionId: above.decisionId })]);

    await expect(
      core.imports.import(stranger, [fragment({ decisionId: above.decisionId })]),
    ).rejects.toMatchObject({ code: 'INVALID_FRAGMENT', details: { planId: top } });
    const next = await core.plans.decide(stranger, { type: 'strategy_choice', choice: 'that' });
    await expect(
      core.imports.import(stranger, [
        { item: 'superseded', decisionId: above.decisionId, by: next.decisionId },
      ]),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(
      (await storeOf(core).repositories.decisions.get(above.decisionId)).supersededBy,
    ).toBeNull();
  });

  it('that supersedes is noticed by the whole tree below', async () => {
    const top = await aRootWith(core, 'a:0.5:1');
    const { child } = await core.coordinator.spawnChild(top, { goal: 'below' });
    const [old, next] = [newDecisionId(), newDecisionId()];
    const decision = (decisionId: string): IncomingItem => ({
      item: 'decision',
      decision: {
        decisionId,
        type: 'strategy_choice',
        question: null,
        choice: 'this',
        rationale: null,
        parentDecisionId: null,
        createdAt: null,
      },
    });
    await core.imports.import(top, [
      decision(old),
      decision(next),
      { item: 'superseded', decisionId: old, by: next },
    ]);
    expect((await core.plans.get(child.planId)).version).toBe(child.version + 1);
    expect(await storeOf(core).repositories.decisions.get(old)).toMatchObject({
      supersededBy: next,
    });
  });

  it('compares with what the plan inherited, naming the plan that holds it', async () => {
    const top = await aRootWith(core, 'a:0.5:1');
    const { child } = await core.coordinator.spawnChild(top, { goal: 'below', skeletonRatio: 0 });
    expect(await core.imports.import(child.planId, fragmentItems('a:0.5:1'))).toMatchObject({
      fragmentsAdded: 0,
      fragmentsKnown: 1,
    });
    await expect(
      core.imports.import(child.planId, [fragment({ fragmentId: 'a', content: 'other' })]),
    ).rejects.toMatchObject({ code: 'DUPLICATE_FRAGMENT', details: { planId: top } });
  });

  it('takes what a child was not given under the same id, as the child’s own', async () => {
    const top = await aRootWith(core, 'a:0.9:10', 'b:0.1:10');
    const { child } = await core.coordinator.spawnChild(top, { goal: 'below', skeletonRatio: 0.5 });
    await core.imports.import(child.planId, [fragment({ fragmentId: 'b', content: 'other' })]);
    await expect(core.audit.recall(child.planId, 'b')).rejects.toMatchObject({
      code: 'DUPLICATE_FRAGMENT',
      details: { heldBy: child.planId },
    });
  });

  it('whose source breaks off writes nothing and passes the error on', async () => {
    const plan = await aRootWith(core);
    async function* source(): AsyncGenerator<IncomingItem> {
      yield* fragmentItems('a:0.5:1');
      await Promise.resolve();
      throw new RangeError('the file ends here');
    }
    await expect(core.imports.import(plan, source())).rejects.toThrow('the file ends here');
    expect(await heldBy(plan)).toEqual([]);
  });
});
