import { createOssature } from 'ossature';
import type { DataSource } from 'typeorm';

/** The host's DataSource and the host's transaction: a job and its plan exist together, or neither does. */
export async function hostTransaction(dataSource: DataSource): Promise<string> {
  const core = await createOssature({ store: { kind: 'data-source', dataSource } });

  const planId = await dataSource.transaction(async (manager) => {
    await manager.query("insert into jobs (title) values ('fix the login')");
    const inside = core.within(manager); // same services, one transaction: yours
    const plan = await inside.plans.create({ project: 'harbor', goal: 'Fix the login' });
    const { child } = await inside.coordinator.spawnChild(plan.planId, { goal: 'Reproduce it' });
    return child.planId;
  });

  await core.close(); // the DataSource stays open: the core closes only what it opened
  return planId;
}
