/** What every UnitOfWork promises. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { type Contract, failsWith, type StoreUnderTest } from './contract.js';
import {
  aChild,
  aDecision,
  aFragment,
  aProject,
  aRecord,
  aRoot,
  aStoredRoot,
  LATER,
  NOW,
  ratioOf,
  aSpawn,
} from './sample-values.js';

/** One write to each repository; the reads say whether it can be seen. */
function everyWrite() {
  const project = aProject();
  const root = aRoot(project);
  const child = aChild(root);
  const decision = aDecision(root.planId);
  const fragment = aFragment(root.planId);
  const { projectId } = project;
  return {
    write: async ({
      projects,
      policies,
      plans,
      spawns,
      decisions,
      fragments,
    }: StoreUnderTest['repositories']) => {
      await projects.insert(project);
      await policies.setSkeletonRatio(projectId, 'default', ratioOf(0.5), NOW);
      await plans.insert(root);
      await spawns.insert(aSpawn(child), root.version);
      await decisions.insert([decision]);
      await fragments.add(root.planId, [fragment]);
      await plans.touch(root.planId, LATER);
    },
    visible: async ({
      projects,
      policies,
      plans,
      decisions,
      fragments,
      records,
    }: StoreUnderTest['repositories']) => {
      return [
        await projects.findByName(project.name),
        (await policies.get(projectId)).skeletonRatios.default,
        (await plans.listRoots(projectId))[0]?.version,
        (await plans.listChildren(root.planId))[0],
        (await decisions.findMany([decision.decisionId]))[0],
        (await fragments.listEntries(root.planId))[0],
        (await records.listByChild(child.planId))[0],
      ].map((found) => found !== undefined && found !== null);
    },
  };
}

const ALL = Array<boolean>(7).fill(true);
const NONE = Array<boolean>(7).fill(false);

export const UNIT_OF_WORK_CONTRACT: Contract = {
  port: 'UnitOfWork',
  rules: [
    {
      rule: 'what it wrote is there once it returns, and its result is the answer',
      async check({ repositories, unitOfWork }) {
        const { write, visible } = everyWrite();
        equal(await unitOfWork(async (bound) => (await write(bound), 42)), 42);
        deepEqual(await visible(repositories), ALL);
      },
    },
    {
      rule: 'what throws writes nothing, and the error passes through',
      async check({ repositories, unitOfWork }) {
        const { write, visible } = everyWrite();
        await rejects(
          unitOfWork(async (bound) => {
            await write(bound);
            await bound.plans.get(aRoot(aProject()).planId);
          }),
        );
        deepEqual(await visible(repositories), NONE);
        await failsWith('NOT_FOUND', () =>
          unitOfWork((bound) => bound.plans.get(aRoot(aProject()).planId)),
        );
      },
    },
    {
      rule: 'the work sees its own writes; others do not until it returns',
      async check({ repositories, unitOfWork }) {
        const { write, visible } = everyWrite();
        await unitOfWork(async (bound) => {
          await write(bound);
          deepEqual(await visible(bound), ALL);
          deepEqual(await visible(repositories), NONE);
        });
        deepEqual(await visible(repositories), ALL);
      },
    },
    {
      rule: 'a refused statement undoes what came before it in the same work',
      async check(store) {
        const { project } = await aStoredRoot(store, { name: 'taken' });
        const root = aRoot(project);
        await failsWith('ALREADY_EXISTS', () =>
          store.unitOfWork(async ({ plans }) => {
            await plans.insert(root);
            await plans.insert(aRoot(project, { name: 'taken' }));
          }),
        );
        await failsWith('NOT_FOUND', () => store.repositories.plans.get(root.planId));
      },
    },
    {
      rule: 'writes of one work that are sent at once are carried out in the order in which they were sent',
      async check(store) {
        const { root } = await aStoredRoot(store);
        const child = aChild(root);
        await store.unitOfWork(({ spawns, decisions, records }) =>
          Promise.all([
            spawns.insert(aSpawn(child), root.version),
            decisions.insert([aDecision(child.planId)]),
            records.insert(aRecord(root, child, { pass: 'recall' })),
          ]),
        );
        const { decisions, records } = store.repositories;
        equal((await decisions.listByPlan(child.planId)).length, 1);
        equal((await records.listByChild(child.planId)).length, 2);
      },
    },
    {
      rule: 'of writes that are sent at once a failed one undoes all, later ones included',
      async check(store) {
        const { root } = await aStoredRoot(store);
        const [child, decision] = [aChild(root), aDecision(root.planId)];
        for (const version of [root.version + 1, root.version]) {
          await rejects(
            store.unitOfWork(({ spawns, decisions, records }) =>
              Promise.all([
                spawns.insert(aSpawn(child), version),
                decisions.insert([decision]),
                records.insert(aRecord(root, aChild(root))),
              ]),
            ),
          );
        }
        await failsWith('NOT_FOUND', () => store.repositories.plans.get(child.planId));
        await failsWith('NOT_FOUND', () => store.repositories.decisions.get(decision.decisionId));
      },
    },
    {
      rule: 'many at once leave what one after another would leave',
      async check(store) {
        const { root } = await aStoredRoot(store);
        const { planId } = root;
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            store.unitOfWork(async ({ plans, fragments }) => {
              const locked = await plans.lockContext(planId);
              equal((await fragments.listEntries(planId)).length, locked.version - 1);
              await fragments.add(planId, [aFragment(planId, { fragmentId: `f${index}` })]);
              await plans.touch(planId, LATER);
            }),
          ),
        );
        equal((await store.repositories.plans.get(planId)).version, 21);
        equal((await store.repositories.fragments.listEntries(planId)).length, 20);
      },
    },
    {
      rule: 'a write beside a unit of work is not lost to it',
      async check({ repositories, unitOfWork }) {
        const [inside, beside] = [aProject(), aProject()];
        await Promise.all([
          unitOfWork(async ({ projects }) => {
            await projects.insert(inside);
            await projects.list();
          }),
          repositories.projects.insert(beside),
        ]);
        deepEqual(await repositories.projects.get(inside.projectId), inside);
        deepEqual(await repositories.projects.get(beside.projectId), beside);
      },
    },
    {
      rule: 'twenty children of one parent are inserted at once, none of them STALE',
      async check(store) {
        const { root } = await aStoredRoot(store);
        const children = Array.from({ length: 20 }, () => aChild(root));
        await Promise.all(
          children.map((child) =>
            store.unitOfWork(({ spawns }) => spawns.insert(aSpawn(child), root.version)),
          ),
        );
        equal((await store.repositories.plans.listChildren(root.planId)).length, 20);
        deepEqual(await store.repositories.plans.get(root.planId), root);
      },
    },
    {
      rule: 'of many that insert the same thing at once, one does and the others are ALREADY_EXISTS',
      async check(store) {
        const { project, root } = await aStoredRoot(store);
        const race = async (work: (bound: StoreUnderTest['repositories']) => Promise<void>) => {
          const runs = await Promise.allSettled(
            Array.from({ length: 6 }, () => store.unitOfWork(work)),
          );
          const lost = runs.flatMap((run) =>
            run.status === 'rejected' ? [run.reason as unknown] : [],
          );
          equal(lost.length, 5);
          for (const reason of lost) {
            await failsWith('ALREADY_EXISTS', () => Promise.reject(reason));
          }
        };
        await race(({ plans }) => plans.insert(aRoot(project, { name: 'raced' })));
        await race(({ spawns }) =>
          spawns.insert(aSpawn(aChild(root, { idempotencyKey: 'raced' })), 1),
        );
        const decision = aDecision(root.planId);
        await race(({ decisions }) => decisions.insert([decision]));
        const { name } = aProject();
        await race(({ projects }) => projects.insert(aProject({ name })));
      },
    },
    {
      rule: 'a change of a parent waits for children that are being inserted, and is seen by later ones',
      async check(store) {
        const { root } = await aStoredRoot(store);
        const outcomes = await Promise.allSettled([
          ...Array.from({ length: 5 }, () =>
            store.unitOfWork(({ spawns }) => spawns.insert(aSpawn(aChild(root)), root.version)),
          ),
          store.unitOfWork(({ plans }) => plans.touch(root.planId, LATER)),
        ]);
        const { plans, spawns } = store.repositories;
        const written = outcomes.slice(0, 5).filter(({ status }) => status === 'fulfilled').length;
        equal((await plans.listChildren(root.planId)).length, written);
        equal((await plans.get(root.planId)).version, 2);
        await failsWith('STALE', () => spawns.insert(aSpawn(aChild(root)), root.version));
      },
    },
  ],
};
