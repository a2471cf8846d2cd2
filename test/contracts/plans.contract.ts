/** What every PlanRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import type { Plan } from '../../src/domain/plan/plan.js';
import { type Contract, failsWith } from './contract.js';
import {
  aChild,
  aProject,
  aRoot,
  aStoredRoot,
  HARD_TEXTS,
  LATER,
  newDecisionId,
  newPlanId,
  newProjectId,
  NOW,
  ratioOf,
  aSpawn,
} from './sample-values.js';

const idsOf = (plans: readonly Plan[]): readonly string[] => plans.map(({ planId }) => planId);

export const PLANS_CONTRACT: Contract = {
  port: 'PlanRepository',
  rules: [
    {
      rule: 'a root comes back as it was inserted',
      async check(store) {
        const { plans } = store.repositories;
        const { project, root } = await aStoredRoot(store);
        deepEqual(await plans.get(root.planId), root);
        for (const text of Object.values(HARD_TEXTS)) {
          const full = aRoot(project, {
            name: `n${text.slice(0, 200)}`,
            goal: `g${text}`,
            skeletonRatio: ratioOf(0.1),
            phase: 'apply',
            state: 'constrained',
            reversions: 3,
            version: 2_147_483_000,
            updatedAt: LATER,
          });
          await plans.insert(full);
          deepEqual(await plans.get(full.planId), full);
        }
      },
    },
    {
      rule: 'a child comes back as it was inserted, audit metadata and key included',
      async check(store) {
        const { plans, spawns } = store.repositories;
        const { root } = await aStoredRoot(store);
        const child = aChild(root, {
          idempotencyKey: `{"key", 'NULL'}\\ 🏗️`,
          skeletonMetadata: {
            ratio: 5e-324,
            originalTokens: Number.MAX_SAFE_INTEGER,
            compressedTokens: Number.MAX_SAFE_INTEGER - 1,
            sourceDecisionIds: [newDecisionId(), newDecisionId()].reverse(),
          },
        });
        await spawns.insert(aSpawn(child), root.version);
        deepEqual(await plans.get(child.planId), child);
        deepEqual(await plans.get(root.planId), root);
      },
    },
    {
      rule: 'an id is taken once, and the first plan stays as it was',
      async check(store) {
        const { plans, spawns } = store.repositories;
        const { project, root } = await aStoredRoot(store);
        const twin = { ...aRoot(project), planId: root.planId, rootPlanId: root.planId };
        await failsWith('STORE_FAILED', () => plans.insert({ ...twin, goal: 'another' }));
        await failsWith('STORE_FAILED', () =>
          spawns.insert(aSpawn(aChild(root, { planId: root.planId })), root.version),
        );
        deepEqual(await plans.get(root.planId), root);
      },
    },
    {
      rule: 'a name is taken once a project; roots without a name are many',
      async check(store) {
        const { plans } = store.repositories;
        const first = await aStoredRoot(store, { name: 'nightly' });
        await failsWith('ALREADY_EXISTS', () =>
          plans.insert(aRoot(first.project, { name: 'nightly' })),
        );
        const second = await aStoredRoot(store, { name: 'nightly' });
        await plans.insert(aRoot(first.project));
        await plans.insert(aRoot(first.project));
        const named = idsOf(await plans.findByName('nightly'));
        deepEqual(
          named.filter((id) => id === first.root.planId || id === second.root.planId),
          [first.root.planId, second.root.planId],
        );
        deepEqual(await plans.findByName(`no such ${newPlanId()}`), []);
      },
    },
    {
      rule: 'a plan of an unknown project is refused',
      async check({ repositories: { plans } }) {
        const plan = aRoot(aProject());
        await failsWith('STORE_FAILED', () => plans.insert(plan));
        await failsWith('NOT_FOUND', () => plans.get(plan.planId));
      },
    },
    {
      rule: 'a child of a parent that changed or does not exist is STALE, and not written',
      async check(store) {
        const { plans, spawns } = store.repositories;
        const { project, root } = await aStoredRoot(store);
        const [first, second] = [aChild(root), aChild(root)];
        await failsWith('STALE', () => spawns.insert(aSpawn(first), root.version + 1));
        await plans.touch(root.planId, LATER);
        await failsWith('STALE', () => spawns.insert(aSpawn(second), root.version));
        await failsWith('STALE', () => spawns.insert(aSpawn(aChild(aRoot(project))), 1));
        deepEqual(await plans.listChildren(root.planId), []);
        await failsWith('NOT_FOUND', () => plans.get(first.planId));
        await spawns.insert(aSpawn(second), root.version + 1);
      },
    },
    {
      rule: 'inserting children does not change their parent',
      async check(store) {
        const { plans, spawns } = store.repositories;
        const { root } = await aStoredRoot(store);
        await spawns.insert(aSpawn(aChild(root)), root.version);
        await spawns.insert(aSpawn(aChild(root)), root.version);
        deepEqual(await plans.get(root.planId), root);
      },
    },
    {
      rule: 'an idempotency key is taken once a parent, and finds its child',
      async check(store) {
        const { plans, spawns } = store.repositories;
        const [one, other] = [await aStoredRoot(store), await aStoredRoot(store)];
        const child = aChild(one.root, { idempotencyKey: 'k' });
        await spawns.insert(aSpawn(child), 1);
        await failsWith('ALREADY_EXISTS', () =>
          spawns.insert(aSpawn(aChild(one.root, { idempotencyKey: 'k' })), 1),
        );
        await spawns.insert(aSpawn(aChild(one.root)), 1);
        await spawns.insert(aSpawn(aChild(one.root)), 1);
        const cousin = aChild(other.root, { idempotencyKey: 'k' });
        await spawns.insert(aSpawn(cousin), 1);
        deepEqual(await plans.findByIdempotencyKey(one.root.planId, 'k'), child);
        deepEqual(await plans.findByIdempotencyKey(other.root.planId, 'k'), cousin);
        equal(await plans.findByIdempotencyKey(one.root.planId, 'K'), null);
        equal((await plans.listChildren(one.root.planId)).length, 3);
      },
    },
    {
      rule: 'an update writes position, ratio, version and time, and nothing else',
      async check(store) {
        const { plans } = store.repositories;
        const { root } = await aStoredRoot(store, { name: 'kept' });
        const moved: Plan = {
          ...root,
          phase: 'strategize',
          state: 'processing',
          reversions: 2,
          skeletonRatio: ratioOf(5e-324),
          version: 2,
          updatedAt: LATER,
        };
        await plans.update({ ...moved, goal: 'another goal', name: 'another name' });
        deepEqual(await plans.get(root.planId), moved);
        await plans.update({ ...moved, skeletonRatio: null, version: 3 });
        deepEqual(await plans.get(root.planId), { ...moved, skeletonRatio: null, version: 3 });
      },
    },
    {
      rule: 'an update on top of another version is STALE and changes nothing',
      async check(store) {
        const { plans } = store.repositories;
        const { root } = await aStoredRoot(store);
        await plans.update({ ...root, state: 'processing', version: 2 });
        for (const version of [1, 2, 4]) {
          await failsWith('STALE', () => plans.update({ ...root, state: 'cancelled', version }));
        }
        equal((await plans.get(root.planId)).state, 'processing');
      },
    },
    {
      rule: 'whatever asks for a plan that does not exist is NOT_FOUND, lists of it are empty',
      async check(store) {
        const { plans } = store.repositories;
        const { project } = await aStoredRoot(store);
        const unknown = { ...aRoot(project), version: 2 };
        const { planId } = unknown;
        await failsWith('NOT_FOUND', () => plans.get(planId));
        await failsWith('NOT_FOUND', () => plans.update(unknown));
        await failsWith('NOT_FOUND', () => plans.touch(planId, NOW));
        await failsWith('NOT_FOUND', () => plans.touchSubtree(planId, NOW));
        await failsWith('NOT_FOUND', () =>
          store.unitOfWork((all) => all.plans.lockContext(planId)),
        );
        deepEqual(await plans.listAncestors(planId), []);
        deepEqual(await plans.listChildren(planId), []);
        deepEqual(await plans.listTree(planId), []);
        deepEqual(await plans.listRoots(newProjectId()), []);
      },
    },
    {
      rule: 'touching raises the version of one plan, touching a subtree of all below it',
      async check(store) {
        const { plans, spawns } = store.repositories;
        const { root } = await aStoredRoot(store);
        const [left, right] = [aChild(root), aChild(root)];
        await spawns.insert(aSpawn(left), 1);
        await spawns.insert(aSpawn(right), 1);
        const below = aChild(left);
        await spawns.insert(aSpawn(below), 1);

        await plans.touch(root.planId, LATER);
        await plans.touchSubtree(left.planId, LATER);

        const versions: [Plan, number, Date][] = [
          [root, 2, LATER],
          [left, 2, LATER],
          [below, 2, LATER],
          [right, 1, NOW],
        ];
        for (const [plan, version, updatedAt] of versions) {
          deepEqual(await plans.get(plan.planId), { ...plan, version, updatedAt });
        }
      },
    },
    {
      rule: 'a tree is listed by generation and age, ancestors upwards, roots newest first',
      async check(store) {
        const { plans, spawns } = store.repositories;
        const { project, root } = await aStoredRoot(store);
        const second = aRoot(project, { createdAt: LATER });
        await plans.insert(second);
        const older = aChild(root, { createdAt: NOW });
        const newer = aChild(root, { createdAt: LATER });
        const twin = aChild(root, { createdAt: NOW });
        await spawns.insert(aSpawn(newer), 1);
        await spawns.insert(aSpawn(twin), 1);
        await spawns.insert(aSpawn(older), 1);
        const below = aChild(newer);
        await spawns.insert(aSpawn(below), 1);

        deepEqual(idsOf(await plans.listChildren(root.planId)), idsOf([older, twin, newer]));
        deepEqual(
          idsOf(await plans.listTree(root.planId)),
          idsOf([root, older, twin, newer, below]),
        );
        deepEqual(idsOf(await plans.listAncestors(below.planId)), idsOf([newer, root]));
        deepEqual(await plans.listAncestors(root.planId), []);
        deepEqual(idsOf(await plans.listRoots(project.projectId)), idsOf([second, root]));
        const every = idsOf(await plans.listRoots(null));
        equal(every.includes(root.planId) && every.includes(second.planId), true);
        equal(every.includes(older.planId), false);
      },
    },
  ],
};
