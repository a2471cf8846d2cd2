/** What every SpawnRepository promises. */
import { deepEqual } from 'node:assert/strict';
import { type Contract, failsWith } from './contract.js';
import {
  aChild,
  aDecision,
  aFragment,
  aRecord,
  aSpawn,
  aStoredRoot,
  newPlanId,
  NOW,
  ratioOf,
} from './sample-values.js';

export const SPAWNS_CONTRACT: Contract = {
  port: 'SpawnRepository',
  rules: [
    {
      rule: 'the source of a spawn is the parent, its policy and its context by size',
      async check(store) {
        const { spawns, policies, fragments, plans } = store.repositories;
        const { project, root } = await aStoredRoot(store);
        await policies.setSkeletonRatio(project.projectId, 'apply', ratioOf(0.1), NOW);
        const fragment = aFragment(root.planId, { fragmentId: 'a,"b",NULL' });
        await fragments.add(root.planId, [fragment]);
        deepEqual(await spawns.read(root.planId), {
          parent: await plans.get(root.planId),
          policy: await policies.get(project.projectId),
          entries: await fragments.listEntries(root.planId),
        });
      },
    },
    {
      rule: 'a parent that knows nothing has no entries, and an unknown one is NOT_FOUND',
      async check(store) {
        const { spawns } = store.repositories;
        const { root } = await aStoredRoot(store);
        deepEqual((await spawns.read(root.planId)).entries, []);
        await failsWith('NOT_FOUND', () => spawns.read(newPlanId()));
      },
    },
    {
      rule: 'a child comes with its decisions and its record',
      async check(store) {
        const { spawns, plans, decisions, records } = store.repositories;
        const { root } = await aStoredRoot(store);
        const child = aChild(root);
        const made = [aDecision(root.planId), aDecision(child.planId)] as const;
        const record = aRecord(root, child);
        await spawns.insert({ child, decisions: made, record }, root.version);
        deepEqual(await plans.get(child.planId), child);
        deepEqual(await decisions.get(made[0].decisionId), made[0]);
        deepEqual(await decisions.get(made[1].decisionId), made[1]);
        deepEqual(await records.listByChild(child.planId), [record]);
      },
    },
    {
      rule: 'all of a spawn is refused where a part of it is, also outside a unit of work',
      async check(store) {
        const { spawns, plans, decisions } = store.repositories;
        const { root } = await aStoredRoot(store);
        const taken = aDecision(root.planId);
        await decisions.insert([taken]);
        const child = aChild(root);
        const fresh = aDecision(child.planId);
        await failsWith('STALE', () => spawns.insert(aSpawn(child), root.version + 1));
        await failsWith('ALREADY_EXISTS', () =>
          spawns.insert({ ...aSpawn(child), decisions: [fresh, taken] }, root.version),
        );
        await failsWith('NOT_FOUND', () => plans.get(child.planId));
        await failsWith('NOT_FOUND', () => decisions.get(fresh.decisionId));
      },
    },
  ],
};
