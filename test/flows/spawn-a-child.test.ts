/** The main path through the container and the store: what a child inherits, and what it does not. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Ossature } from '../../src/index.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const DECISIONS = {
  dA: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
  dB: '01ARZ3NDEKTSV4RRFFQ69G5FAB',
  dC: '01ARZ3NDEKTSV4RRFFQ69G5FAC',
  dD: '01ARZ3NDEKTSV4RRFFQ69G5FAD',
} as const;

/** Fragments written as `id:relevance:tokens`, each of the decision of its own name. */
async function importInto(core: Ossature, planId: string, ...texts: string[]) {
  return core.imports.import(
    planId,
    texts.map((text) => {
      const [id = '', relevance, tokens, decision] = text.split(':');
      return {
        item: 'fragment' as const,
        fragment: {
          fragmentId: id,
          content: `text of ${id}`,
          relevance: Number(relevance),
          tokenCount: Number(tokens),
          ...(decision === undefined
            ? {}
            : { decisionId: DECISIONS[decision as keyof typeof DECISIONS], decision: 'chosen' }),
        },
      };
    }),
  );
}

describe.each(Object.entries(STORES))('spawning %s', (_, open) => {
  let opened: OpenedCore;
  let core: Ossature;
  beforeAll(async () => {
    opened = await open();
    ({ core } = opened);
    await core.projects.create('harbor');
  });
  afterAll(() => opened.close());

  const root = (goal: string) => core.plans.create({ project: 'harbor', goal });

  it('keeps the worked example of the specification, with its record', async () => {
    const parent = await root('fix login');
    await importInto(core, parent.planId, 'A:0.9:400:dA', 'B:0.6:300:dB', 'C:0.3:300:dC');

    const spawned = await core.coordinator.spawnChild(parent.planId, {
      goal: 'fix the tests',
      skeletonRatio: 0.5,
    });

    expect(spawned.child).toMatchObject({ depth: 1, rootPlanId: parent.planId, name: null });
    expect(spawned.skeleton).toEqual({
      ratio: 0.5,
      originalTokens: 1000,
      compressedTokens: 400,
      sourceDecisionIds: [DECISIONS.dA],
    });
    expect(spawned.inherited.map(({ fragmentId }) => fragmentId)).toEqual(['A']);
    expect(spawned.ratioOrigin).toBe('call');

    const report = await core.audit.dropped(spawned.child.planId);
    expect(report.dropped.map(({ fragmentId, reason }) => [fragmentId, reason])).toEqual([
      ['B', 'over-budget'],
      ['C', 'over-budget'],
    ]);
    const status = await core.status.report(spawned.child.planId);
    expect(status.skeleton).toMatchObject({ removedTokens: 600, removedPercent: 60 });
    expect((await core.status.report(parent.planId)).skeleton).toBeUndefined();
  });

  it('hands a grandchild what its parent has and what that one inherited', async () => {
    const parent = await root('top');
    await importInto(core, parent.planId, 'A:0.9:10', 'B:0.5:10');
    const middle = await core.coordinator.spawnChild(parent.planId, {
      goal: 'middle',
      skeletonRatio: 0,
    });
    await importInto(core, middle.child.planId, 'M:0.7:10');

    const grandchild = await core.coordinator.spawnChild(middle.child.planId, {
      goal: 'bottom',
      skeletonRatio: 0,
    });

    expect(grandchild.inherited.map(({ fragmentId }) => fragmentId)).toEqual(['A', 'M', 'B']);
    expect(grandchild.child.depth).toBe(2);
    expect((await core.plans.get(middle.child.planId)).skeletonMetadata).toEqual(middle.skeleton);
  });

  it('gives a dropped fragment back, counted when the parent spawns again', async () => {
    const parent = await root('recalls');
    await importInto(core, parent.planId, 'A:0.9:10', 'B:0.5:10');
    const { child } = await core.coordinator.spawnChild(parent.planId, {
      goal: 'half',
      skeletonRatio: 0.5,
    });

    const recall = await core.audit.recall(child.planId, 'B');

    expect(recall).toMatchObject({ recalls: 1, superseded: false });
    expect((await core.audit.dropped(child.planId)).dropped).toEqual([]);
    const again = await core.coordinator.spawnChild(parent.planId, {
      goal: 'again',
      skeletonRatio: 0.5,
    });
    expect(again.recalled).toEqual([{ fragmentId: 'B', recalls: 1 }]);
    await expect(core.audit.recall(child.planId, 'B')).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    });
  });

  it('scores against the goal only when it is asked to', async () => {
    const parent = await root('relevance');
    await core.imports.import(parent.planId, [
      {
        item: 'fragment',
        fragment: {
          fragmentId: 'weather',
          content: 'The weather was fine and the lake was calm all afternoon.',
          relevance: 0.9,
          tokenCount: 10,
        },
      },
      {
        item: 'fragment',
        fragment: {
          fragmentId: 'tokens',
          content: 'The refresh token expires after the session cookie does.',
          relevance: 0.1,
          tokenCount: 10,
        },
      },
    ]);
    const request = { goal: 'repair how the refresh token expires', skeletonRatio: 0.5 };

    const stored = await core.coordinator.previewSpawn(parent.planId, request);
    const scored = await core.coordinator.previewSpawn(parent.planId, {
      ...request,
      relevance: 'goal',
    });

    expect(stored.inherited.map(({ fragmentId }) => fragmentId)).toEqual(['weather']);
    expect(scored.inherited.map(({ fragmentId }) => fragmentId)).toEqual(['tokens']);
  });

  it('leaves fragments of a superseded decision out, and names them', async () => {
    const parent = await root('superseding');
    const first = await core.plans.decide(parent.planId, {
      type: 'strategy_choice',
      choice: 'cache tokens',
    });
    await core.imports.import(parent.planId, [
      {
        item: 'fragment',
        fragment: {
          fragmentId: 'old',
          content: 'cache the tokens',
          relevance: 1,
          tokenCount: 5,
          decisionId: first.decisionId,
        },
      },
      {
        item: 'fragment',
        fragment: { fragmentId: 'new', content: 'do not', relevance: 0.2, tokenCount: 5 },
      },
    ]);
    await core.plans.decide(parent.planId, {
      type: 'strategy_choice',
      choice: 'do not cache tokens',
      supersedes: first.decisionId,
    });

    const spawned = await core.coordinator.spawnChild(parent.planId, {
      goal: 'go',
      skeletonRatio: 0,
    });

    expect(spawned.inherited.map(({ fragmentId }) => fragmentId)).toEqual(['new']);
    expect(spawned.skipped).toEqual([
      {
        planId: parent.planId,
        fragmentId: 'old',
        tokenCount: 5,
        relevance: 1,
        reason: 'superseded',
      },
    ]);
    expect(spawned.skeleton.originalTokens).toBe(5);
  });

  it('answers the same idempotency key with the same child', async () => {
    const parent = await root('keys');
    await importInto(core, parent.planId, 'A:0.9:10', 'B:0.5:10');
    const request = { goal: 'once', skeletonRatio: 0.5, idempotencyKey: 'k1' };

    const first = await core.coordinator.spawnChild(parent.planId, request);
    const second = await core.coordinator.spawnChild(parent.planId, request);

    expect(second.child.planId).toBe(first.child.planId);
    expect(second).toMatchObject({ repeated: true, inherited: first.inherited });
    await expect(
      core.coordinator.spawnChild(parent.planId, { ...request, goal: 'another' }),
    ).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });

  it('spawns many, each answered in its place', async () => {
    const parent = await root('many');
    await importInto(core, parent.planId, 'A:0.9:10', 'B:0.5:10');

    const outcomes = await core.coordinator.spawnChildren(
      parent.planId,
      [
        ...Array.from({ length: 20 }, (_, index) => ({ goal: `child ${index}` })),
        { goal: 'bad', skeletonRatio: 2 },
      ],
      { maxParallel: 8 },
    );

    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(20).fill('spawned'),
      'failed',
    ]);
    expect((await core.status.report(parent.planId)).children).toHaveLength(20);
  });

  it('adds nothing when the same fragments come again, and refuses other content under a known id', async () => {
    const parent = await root('again');
    await importInto(core, parent.planId, 'A:0.9:10', 'B:0.5:10');

    const again = await importInto(core, parent.planId, 'A:0.1:10', 'B:0.5:10');

    expect(again).toMatchObject({ fragmentsAdded: 0, fragmentsKnown: 2 });
    await expect(
      core.imports.import(parent.planId, [
        { item: 'fragment', fragment: { fragmentId: 'C', content: 'c', relevance: 0 } },
        { item: 'fragment', fragment: { fragmentId: 'A', content: 'other', relevance: 0 } },
      ]),
    ).rejects.toMatchObject({
      code: 'DUPLICATE_FRAGMENT',
      details: expect.objectContaining({ planId: parent.planId }),
    });
    expect((await core.status.report(parent.planId)).context.own.fragments).toBe(2);
  });
});
