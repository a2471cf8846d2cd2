import { createOssature, type Repositories, type SpawnRepository } from 'ossature';

/** A repository of the host's around ours: here it keeps count, it could as well ask another store. */
function counted(spawns: SpawnRepository, onInsert: () => void): SpawnRepository {
  return {
    ...spawns,
    insert: async (spawn, parentVersion) => {
      await spawns.insert(spawn, parentVersion);
      onInsert();
    },
  };
}

/** Called for every transaction with the repositories bound to it, so that a replacement is bound too. */
export async function ownRepositories(): Promise<number> {
  let children = 0;
  const core = await createOssature({
    store: { kind: 'in-memory' },
    repositories: (ours: Repositories) => ({
      ...ours,
      spawns: counted(ours.spawns, () => {
        children += 1;
      }),
    }),
  });
  await core.projects.create('harbor');
  const plan = await core.plans.create({ project: 'harbor', goal: 'Fix the login' });
  await core.coordinator.spawnChildren(plan.planId, [{ goal: 'one' }, { goal: 'two' }]);
  await core.close();
  return children;
}
