import { createOssature } from 'ossature';

/** A service with a Postgres of its own: the core opens a pool, and closes it. */
export async function ownServer(databaseUrl: string): Promise<string> {
  const core = await createOssature({
    store: { kind: 'url', url: databaseUrl },
    config: { schema: 'ossature', poolSize: 4 },
    checkSchema: false, // because the next line migrates; afterwards leave it out
  });
  await core.migrate();

  await core.projects.create('harbor');
  const plan = await core.plans.create({ project: 'harbor', goal: 'Fix the login' });
  await core.imports.import(plan.planId, [
    {
      item: 'fragment',
      fragment: { fragmentId: 'note-1', content: 'Tokens live an hour.', relevance: 0.8 },
    },
  ]);
  const { child, inherited } = await core.coordinator.spawnChild(plan.planId, {
    goal: 'Write the regression test',
    skeletonRatio: 0.3,
    idempotencyKey: 'job-4711', // the same key and request answer with the same child
  });

  await core.close();
  return `${child.depth}: ${inherited.length} inherited`;
}
