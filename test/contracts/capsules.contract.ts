/** What every CapsuleRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import { type Contract, failsWith } from './contract.js';
import { aSpawn, aChild, aStoredChild, aStoredRoot, NOW } from './sample-values.js';
import { aCapsule, aSession } from './session-values.js';

export const CAPSULES_CONTRACT: Contract = {
  port: 'CapsuleRepository',
  rules: [
    {
      rule: 'a capsule comes back as it was written, with its child and with its session',
      async check(store) {
        const { sessions, capsules } = store.repositories;
        const { root } = await aStoredRoot(store);
        const session = aSession({ revision: 4 });
        await sessions.insert(session);
        const capsule = aCapsule(session, await aStoredChild(store, root, []));
        await capsules.insert(capsule);
        deepEqual(await capsules.findByPlan(capsule.childPlanId), capsule);
        deepEqual(await capsules.listBySession(session), [capsule]);
        deepEqual(await capsules.listBySession({ ...session, tenantId: 'another' }), []);
        equal(await capsules.findByPlan(root.planId), null);
      },
    },
    {
      rule: 'capsules of a session are listed oldest first, and outlive it',
      async check(store) {
        const { sessions, capsules } = store.repositories;
        const { root } = await aStoredRoot(store);
        const session = aSession();
        await sessions.insert(session);
        const later = aCapsule(session, await aStoredChild(store, root, []));
        const first = aCapsule(session, await aStoredChild(store, root, []), { createdAt: NOW });
        for (const one of [later, first]) await capsules.insert(one);
        await sessions.delete(session);
        deepEqual(await capsules.listBySession(session), [first, later]);
      },
    },
    {
      rule: 'a session of another revision, of another tenant or none gives no capsule',
      async check(store) {
        const { sessions, capsules } = store.repositories;
        const { root } = await aStoredRoot(store);
        const child = await aStoredChild(store, root, []);
        const session = aSession();
        const capsule = aCapsule(session, child);
        await failsWith('STALE', () => capsules.insert(capsule));
        await sessions.insert(session);
        await failsWith('STALE', () => capsules.insert({ ...capsule, sessionRevision: 2 }));
        await failsWith('STALE', () => capsules.insert({ ...capsule, tenantId: 'another' }));
        equal(await capsules.findByPlan(child.planId), null);
      },
    },
    {
      rule: 'a child is not there without its capsule',
      async check(store) {
        const { plans } = store.repositories;
        const { root } = await aStoredRoot(store);
        const child = aChild(root);
        await failsWith('STALE', () =>
          store.unitOfWork(async ({ spawns, capsules }) => {
            await spawns.insert(aSpawn(child), root.version);
            await capsules.insert(aCapsule(aSession(), child));
          }),
        );
        await failsWith('NOT_FOUND', () => plans.get(child.planId));
      },
    },
  ],
};
