/**
 * A parent that changes between the reads of a spawn and its write. The host's own repositories drive
 * it: they hand out what the store says and change the parent before the caller can use it.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature } from '../../../src/index.js';
import { aRootWith, fragmentItems, storeOf } from '../../support/builders.js';
import { type OpenedCore, STORES } from '../../support/stores.js';

describe.each(Object.entries(STORES))('a spawn %s', (_, open) => {
  let opened: OpenedCore;
  let core: Ossature;
  beforeAll(async () => {
    opened = await open();
    ({ core } = opened);
  });
  afterAll(() => opened.close());

  /** A core on the same store, whose parent changes after each of the first so many reads. */
  async function disturbed(times: number, change: (round: number) => Promise<unknown>) {
    const { repositories, unitOfWork } = storeOf(core);
    let reads = 0;
    const host = await createOssature({
      store: {
        kind: 'repositories',
        unitOfWork,
        repositories: {
          ...repositories,
          spawns: {
            ...repositories.spawns,
            async read(planId) {
              const source = await repositories.spawns.read(planId);
              reads += 1;
              if (reads <= times) await change(reads);
              return source;
            },
          },
        },
      },
    });
    return { host, reads: () => reads };
  }

  it('of a parent that changed once starts over and inherits what came in between', async () => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const { host, reads } = await disturbed(1, () =>
      core.imports.import(parent, fragmentItems('late:0.5:10')),
    );

    const spawned = await host.coordinator.spawnChild(parent, { goal: 'go', skeletonRatio: 0 });

    expect(spawned.inherited.map(({ fragmentId }) => fragmentId)).toEqual(['a', 'late']);
    expect(spawned.parent.version).toBe((await core.plans.get(parent)).version);
    expect(reads()).toBe(2);
  });

  it('of a parent that keeps changing is STALE after five attempts, and nothing is written', async () => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const { host, reads } = await disturbed(Infinity, (round) =>
      core.imports.import(parent, fragmentItems(`late${round}:0.5:10`)),
    );

    await expect(host.coordinator.spawnChild(parent, { goal: 'go' })).rejects.toMatchObject({
      code: 'STALE',
    });

    expect(reads()).toBe(5);
    const { planId } = await core.plans.get(parent);
    const { plans, decisions, fragments } = storeOf(core).repositories;
    expect(await plans.listTree(planId)).toHaveLength(1);
    expect((await decisions.listByPlan(planId)).map(({ type }) => type)).toEqual([
      'prompt_definition',
    ]);
    expect(await fragments.listEntries(planId)).toHaveLength(6);
  });

  it.each([
    [
      'a decision that supersedes another',
      async (planId: string, decisionId: string) => {
        await core.plans.decide(planId, {
          type: 'strategy_choice',
          choice: 'other',
          supersedes: decisionId as never,
        });
      },
    ],
    [
      'a move of the parent',
      async (planId: string) => {
        await core.plans.move(planId, { to: 'state', state: 'processing' });
      },
    ],
  ])('notices %s', async (_change, change) => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const first = await core.plans.decide(parent, { type: 'strategy_choice', choice: 'this' });
    const { host, reads } = await disturbed(1, () => change(parent, first.decisionId));

    await host.coordinator.spawnChild(parent, { goal: 'go' });

    expect(reads()).toBe(2);
  });

  it('notices what was superseded further up', async () => {
    const top = await aRootWith(core);
    const first = await core.plans.decide(top, { type: 'strategy_choice', choice: 'cache' });
    await core.imports.import(top, fragmentItems(`old:0.9:10:${first.decisionId}`, 'new:0.5:10'));
    const middle = await core.coordinator.spawnChild(top, { goal: 'middle', skeletonRatio: 0 });
    const { host } = await disturbed(1, () =>
      core.plans.decide(top, {
        type: 'strategy_choice',
        choice: 'no cache',
        supersedes: first.decisionId,
      }),
    );

    const bottom = await host.coordinator.spawnChild(middle.child.planId, {
      goal: 'bottom',
      skeletonRatio: 0,
    });

    expect(bottom.inherited.map(({ fragmentId }) => fragmentId)).toEqual(['new']);
    expect(bottom.skipped.map(({ fragmentId, reason }) => [fragmentId, reason])).toEqual([
      ['old', 'superseded'],
    ]);
  });
});
