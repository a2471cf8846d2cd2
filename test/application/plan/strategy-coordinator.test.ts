/** The rules of a spawn, on the store in memory. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature } from '../../../src/index.js';
import { aRootWith, fragmentItems, storeOf } from '../../support/builders.js';

type Settings = Readonly<{
  call?: number;
  plan?: number;
  default?: number;
  strategize?: number;
  execute?: number;
  apply?: number;
}>;

describe('a spawn', () => {
  let core: Ossature;
  beforeEach(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
  });

  const spawnMany = (parent: string, count: number, maxParallel?: number) =>
    core.coordinator.spawnChildren(
      parent,
      Array.from({ length: count }, (_, index) => ({ goal: `child ${index}` })),
      maxParallel === undefined ? {} : { maxParallel },
    );

  // prettier-ignore
  it.each<{ phase: 'action' | 'strategize' | 'execute' | 'apply'; set: Settings; ratio: number; origin: string }>([
    { phase: 'action',     set: {},                                                    ratio: 0.15, origin: 'default' },
    { phase: 'apply',      set: {},                                                    ratio: 0.15, origin: 'default' },
    { phase: 'action',     set: { default: 0.3 },                                      ratio: 0.3,  origin: 'policy' },
    { phase: 'strategize', set: { default: 0.3 },                                      ratio: 0.3,  origin: 'policy' },
    { phase: 'execute',    set: { default: 0.3 },                                      ratio: 0.3,  origin: 'policy' },
    { phase: 'apply',      set: { default: 0.3 },                                      ratio: 0.3,  origin: 'policy' },
    { phase: 'action',     set: { default: 0.3, strategize: 0.4, execute: 0.5, apply: 0.6 }, ratio: 0.3, origin: 'policy' },
    { phase: 'strategize', set: { default: 0.3, strategize: 0.4, execute: 0.5, apply: 0.6 }, ratio: 0.4, origin: 'policy' },
    { phase: 'execute',    set: { default: 0.3, strategize: 0.4, execute: 0.5, apply: 0.6 }, ratio: 0.5, origin: 'policy' },
    { phase: 'apply',      set: { default: 0.3, strategize: 0.4, execute: 0.5, apply: 0.6 }, ratio: 0.6, origin: 'policy' },
    { phase: 'apply',      set: { default: 0.3, strategize: 0.4, execute: 0.5 },       ratio: 0.5,  origin: 'policy' },
    { phase: 'apply',      set: { default: 0.3, strategize: 0.4 },                     ratio: 0.4,  origin: 'policy' },
    { phase: 'execute',    set: { default: 0.3, apply: 0.6 },                          ratio: 0.3,  origin: 'policy' },
    { phase: 'action',     set: { strategize: 0.4, execute: 0.5, apply: 0.6 },         ratio: 0.15, origin: 'default' },
    { phase: 'apply',      set: { apply: 0 },                                          ratio: 0,    origin: 'policy' },
    { phase: 'apply',      set: { plan: 0.7, apply: 0.6 },                             ratio: 0.7,  origin: 'plan' },
    { phase: 'action',     set: { plan: 0, default: 0.3 },                             ratio: 0,    origin: 'plan' },
    { phase: 'action',     set: { call: 0.8, plan: 0.7, default: 0.3 },                ratio: 0.8,  origin: 'call' },
    { phase: 'action',     set: { call: 0, plan: 0.7, default: 0.3 },                  ratio: 0,    origin: 'call' },
    { phase: 'action',     set: { call: 0.15 },                                        ratio: 0.15, origin: 'call' },
  ])('from $phase with $set takes $ratio of the $origin', async ({ phase, set, ratio, origin }) => {
    await core.projects.create('harbor');
    const { call, plan, ...views } = set;
    for (const [view, value] of Object.entries(views)) {
      await core.projects.setSkeletonRatio('harbor', value, view);
    }
    const { planId } = await core.plans.create({
      project: 'harbor',
      goal: 'go',
      ...(plan === undefined ? {} : { skeletonRatio: plan }),
    });
    while ((await core.plans.get(planId)).phase !== phase) {
      await core.plans.move(planId, { to: 'state', state: 'processing' });
      await core.plans.move(planId, { to: 'state', state: 'complete' });
      await core.plans.move(planId, { to: 'next-phase' });
    }

    const spawned = await core.coordinator.spawnChild(planId, {
      goal: 'child',
      ...(call === undefined ? {} : { skeletonRatio: call }),
    });

    expect([spawned.skeleton.ratio, spawned.ratioOrigin]).toEqual([ratio, origin]);
    const [record] = await storeOf(core).repositories.records.listByChild(spawned.child.planId);
    expect([record?.ratio, record?.ratioOrigin]).toEqual([ratio, origin]);
  });

  it('of a child does not hand the parent’s own ratio down', async () => {
    await core.projects.create('harbor');
    const { planId } = await core.plans.create({
      project: 'harbor',
      goal: 'go',
      skeletonRatio: 0.7,
    });
    const { child } = await core.coordinator.spawnChild(planId, { goal: 'child' });
    const grandchild = await core.coordinator.spawnChild(child.planId, { goal: 'grandchild' });
    expect(grandchild.ratioOrigin).toBe('default');
  });

  it('is refused below the depth limit, and nothing is written', async () => {
    const shallow = await createOssature({ store: { kind: 'in-memory' }, config: { maxDepth: 2 } });
    const top = await aRootWith(shallow, 'a:0.9:10');
    const one = await shallow.coordinator.spawnChild(top, { goal: 'one' });
    const two = await shallow.coordinator.spawnChild(one.child.planId, { goal: 'two' });
    await expect(
      shallow.coordinator.spawnChild(two.child.planId, { goal: 'three' }),
    ).rejects.toMatchObject({ code: 'DEPTH_EXCEEDED' });
    expect(await shallow.plans.listTree(two.child.rootPlanId)).toHaveLength(3);
  });

  it('that is only previewed writes nothing and decides the same', async () => {
    const parent = await aRootWith(core, 'a:0.9:10', 'b:0.1:10');
    const request = { goal: 'go', skeletonRatio: 0.5 };
    const preview = await core.coordinator.previewSpawn(parent, request);
    const { planId } = await core.plans.get(parent);
    expect(await core.plans.listTree(planId)).toHaveLength(1);
    expect(await core.coordinator.spawnChild(parent, request)).toMatchObject({
      ...preview,
      outcome: 'spawned',
    });
  });

  it.each([
    ['an unknown plan', '01ARZ3NDEKTSV4RRFFQ69G5FAV', {}, 'NOT_FOUND'],
    ['a plan id that is none', 'harbor', {}, 'INVALID_ID'],
    ['an empty goal', null, { goal: ' ' }, 'INVALID_INPUT'],
    ['a ratio above 1', null, { skeletonRatio: 1.1 }, 'INVALID_RATIO'],
    ['a relevance that is not one', null, { relevance: 'model' as never }, 'INVALID_INPUT'],
    ['an empty key', null, { idempotencyKey: '' }, 'INVALID_INPUT'],
    ['a key that is too long', null, { idempotencyKey: 'k'.repeat(201) }, 'INVALID_INPUT'],
  ])('with %s is refused', async (_, planId, given, code) => {
    const parent = planId ?? (await aRootWith(core));
    await expect(
      core.coordinator.spawnChild(parent, { goal: 'go', ...given }),
    ).rejects.toMatchObject({ code });
  });

  // prettier-ignore
  it.each([
    { rule: 'another goal',      given: { goal: 'other' } },
    { rule: 'another ratio',     given: { skeletonRatio: 0.6 } },
    { rule: 'another relevance', given: { relevance: 'goal' as const } },
  ])('with a known key and $rule is a conflict', async ({ given }) => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const request = { goal: 'go', skeletonRatio: 0.5, idempotencyKey: 'k' };
    await core.coordinator.spawnChild(parent, request);
    await expect(
      core.coordinator.spawnChild(parent, { ...request, ...given }),
    ).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });

  it('with a known key is answered by its child, also when the parent has changed since', async () => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const request = { goal: 'go', idempotencyKey: 'k' };
    const first = await core.coordinator.spawnChild(parent, request);
    await core.imports.import(parent, fragmentItems('b:0.9:10'));
    const again = await core.coordinator.spawnChild(parent, request);
    expect(again).toMatchObject({
      repeated: true,
      child: first.child,
      inherited: first.inherited,
      skeleton: first.skeleton,
    });
  });

  it.each([0, 51, 1.5, -1, NaN, Infinity, '5' as never])(
    'of many at a width of %p is refused before any',
    async (maxParallel) => {
      const parent = await aRootWith(core);
      await expect(spawnMany(parent, 3, maxParallel)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        details: { field: 'maxParallel' },
      });
      expect((await core.status.report((await core.plans.get(parent)).planId)).children).toEqual(
        [],
      );
    },
  );

  it.each([
    { maxParallel: undefined, atOnce: 5 },
    { maxParallel: 1, atOnce: 1 },
    { maxParallel: 7, atOnce: 7 },
    { maxParallel: 50, atOnce: 50 },
  ])(
    'of sixty at a width of $maxParallel runs $atOnce at once',
    async ({ maxParallel, atOnce }) => {
      const { repositories, unitOfWork } = storeOf(core);
      let running = 0;
      let most = 0;
      const host = await createOssature({
        store: {
          kind: 'repositories',
          repositories: {
            ...repositories,
            spawns: {
              async read(planId) {
                running += 1;
                most = Math.max(most, running);
                await new Promise((resolve) => setTimeout(resolve, 2));
                return repositories.spawns.read(planId);
              },
              async insert(...given) {
                await repositories.spawns.insert(...given);
                running -= 1;
              },
            },
          },
          unitOfWork,
        },
      });
      const parent = await aRootWith(core, 'a:0.9:10');

      const outcomes = await host.coordinator.spawnChildren(
        parent,
        Array.from({ length: 60 }, (_, index) => ({ goal: `child ${index}` })),
        maxParallel === undefined ? {} : { maxParallel },
      );

      expect(most).toBe(atOnce);
      expect(outcomes.map((each) => each.outcome === 'spawned' && each.child.goal)).toEqual(
        Array.from({ length: 60 }, (_, index) => `child ${index}`),
      );
    },
  );

  it('of many does not fail the others when one fails', async () => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const outcomes = await core.coordinator.spawnChildren(parent, [
      { goal: 'one' },
      { goal: 'two', skeletonRatio: -1 },
      { goal: 'three' },
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['spawned', 'failed', 'spawned']);
    expect(outcomes[1]).toMatchObject({ error: { code: 'INVALID_RATIO' } });
  });

  it('of none answers none', async () => {
    expect(await core.coordinator.spawnChildren(await aRootWith(core), [])).toEqual([]);
  });
});
