/** What happens when the database goes away, stops a statement, or is changed while a spawn runs. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { createOssature, type Ossature } from '../../../src/index.js';
import { aChild, aProject, LATER, aSpawn } from '../../contracts/sample-values.js';
import { aRootWith, connect, rowsOf, storeOf } from '../../support/builders.js';
import { openOnPostgres } from '../../support/stores.js';

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const codeOf = (reason: unknown): unknown => (reason as { readonly code?: unknown }).code;

describe('a database that fails', () => {
  let core: Ossature;
  let client: Client;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const opened = await openOnPostgres();
    ({ core } = opened);
    client = await connect(opened.url);
    close = async () => {
      await client.end();
      await opened.close();
    };
  });
  afterAll(() => close());

  /** Plans below this one that lack what a spawn writes with them. */
  async function halfWritten(): Promise<readonly unknown[]> {
    return rowsOf(
      client,
      `select plan_id from ossature.plans p where parent_plan_id is not null and not (
         exists (select from ossature.compression_records r where r.child_plan_id = p.plan_id)
         and exists (select from ossature.decisions d where d.plan_id = p.plan_id)
         and exists (select from ossature.decisions d
           where d.plan_id = p.parent_plan_id and d.choice = p.plan_id))`,
    );
  }

  const others =
    'from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';

  /** Waits until some session waits for a lock. */
  async function someoneWaits(): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      const waiting = await rowsOf(client, `select 1 ${others} and wait_event_type = 'Lock'`);
      if (waiting.length > 0) return;
      await pause(10);
    }
    throw new Error('Nobody waited.');
  }

  it('ends spawns by STORE_UNAVAILABLE, leaves nothing half written, and is used again once it is back', async () => {
    const parent = await aRootWith(core, 'a:0.9:10', 'b:0.1:10');
    const spawns = Array.from({ length: 8 }, async () => {
      const outcomes = [];
      for (let count = 0; count < 12; count += 1) {
        outcomes.push(
          ...(await core.coordinator.spawnChildren(parent, [{ goal: 'one' }, { goal: 'two' }])),
        );
      }
      return outcomes;
    });
    for (let kills = 0; kills < 6; kills += 1) {
      await pause(40);
      await client.query(`select pg_terminate_backend(pid) ${others}`);
    }

    const outcomes = (await Promise.all(spawns)).flat();

    const failed = outcomes.flatMap((each) =>
      each.outcome === 'failed' ? [codeOf(each.error)] : [],
    );
    expect(new Set(failed)).toEqual(new Set(['STORE_UNAVAILABLE']));
    expect(await halfWritten()).toEqual([]);
    const { plans } = storeOf(core).repositories;
    const children = await plans.listChildren((await core.plans.get(parent)).planId);
    const stored = new Set<string>(children.map(({ planId }) => planId));
    for (const each of outcomes) {
      if (each.outcome === 'spawned') expect(stored.has(each.child.planId)).toBe(true);
    }
    await expect(core.coordinator.spawnChild(parent, { goal: 'after' })).resolves.toBeDefined();
  });

  it.each([
    ['pg_cancel_backend', 'The database stopped the statement'],
    ['pg_terminate_backend', 'The database went away before it answered'],
  ])('is STORE_UNAVAILABLE when a waiting spawn is ended by %s', async (ending, words) => {
    const parent = await aRootWith(core, 'a:0.9:10');
    await client.query('begin');
    await client.query('select 1 from ossature.plans where plan_id = $1 for update', [parent]);

    const spawn = core.coordinator.spawnChild(parent, { goal: 'stopped' });
    const reason = spawn.then(
      () => 'spawned',
      (error: unknown) => error,
    );
    await someoneWaits();
    await client.query(`select ${ending}(pid) ${others} and wait_event_type = 'Lock'`);
    expect(await reason).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(words),
    });
    await client.query('rollback');

    expect((await core.status.report((await core.plans.get(parent)).planId)).children).toEqual([]);
    expect(await halfWritten()).toEqual([]);
    await expect(core.coordinator.spawnChild(parent, { goal: 'again' })).resolves.toBeDefined();
  });

  it('does not claim that nothing was written where the commit has no answer', async () => {
    const { unitOfWork } = storeOf(core);
    // Ends the session that commits, in the commit: the deferred trigger runs there.
    await client.query(`
      create function ossature.hang_up() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return null; end $$;
      create constraint trigger hang_up after insert on ossature.projects
      deferrable initially deferred for each row execute function ossature.hang_up()`);
    await expect(unitOfWork(({ projects }) => projects.insert(aProject()))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { committed: 'unknown' },
    });
    await client.query('drop function ossature.hang_up cascade');
  });

  it('is STORE_UNAVAILABLE where nothing listens', async () => {
    await expect(
      createOssature({ store: { kind: 'url', url: 'postgres://nobody@127.0.0.1:1/none' } }),
    ).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('is SCHEMA_OUTDATED when its tables go while the core is open', async () => {
    const opened = await openOnPostgres();
    const admin = await connect(opened.url);
    await admin.query('drop schema ossature cascade');
    await admin.end();
    await expect(opened.core.projects.list()).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED' });
    await opened.close();
  });

  it('touches also the child that comes in below while a touch waits for its spawn', async () => {
    const root = await core.plans.get(await aRootWith(core, 'a:0.9:10'));
    const { child } = await core.coordinator.spawnChild(root.planId, { goal: 'middle' });
    const store = storeOf(core);
    const below = aChild(child);
    let touching: Promise<void> | undefined;

    await store.unitOfWork(async ({ spawns }) => {
      await spawns.insert(aSpawn(below), child.version);
      touching = store.repositories.plans.touchSubtree(root.planId, LATER);
      await someoneWaits();
    });
    await touching;

    for (const plan of [root, child, below]) {
      expect((await core.plans.get(plan.planId)).version).toBe(plan.version + 1);
    }
  });

  it('lets nobody inherit what was superseded before the spawn was written', async () => {
    const parent = await aRootWith(core);
    const first = await core.plans.decide(parent, { type: 'strategy_choice', choice: 'cache' });
    await core.imports.import(parent, [
      {
        item: 'fragment',
        fragment: {
          fragmentId: 'old',
          content: 'cache',
          relevance: 1,
          tokenCount: 5,
          decisionId: first.decisionId,
        },
      },
    ]);
    const spawning = core.coordinator.spawnChildren(
      parent,
      Array.from({ length: 40 }, (_, index) => ({ goal: `child ${index}`, skeletonRatio: 0 })),
      { maxParallel: 8 },
    );
    await pause(30);
    await core.plans.decide(parent, {
      type: 'strategy_choice',
      choice: 'do not cache',
      supersedes: first.decisionId,
    });
    const { version } = await core.plans.get(parent);

    for (const each of await spawning) {
      if (each.outcome !== 'spawned') throw new Error('not spawned', { cause: each });
      const inherited = each.inherited.map(({ fragmentId }) => fragmentId);
      expect(inherited).toEqual(each.parent.version < version ? ['old'] : []);
      expect(each.skipped.map(({ reason }) => reason)).toEqual(
        each.parent.version < version ? [] : ['superseded'],
      );
    }
  });

  it('ends no supersede by a deadlock when parent and child supersede at once', async () => {
    const root = await core.plans.get(await aRootWith(core, 'a:0.9:10'));
    const { child } = await core.coordinator.spawnChild(root.planId, { goal: 'middle' });
    for (let index = 0; index < 4; index += 1) {
      await core.coordinator.spawnChild(child.planId, { goal: 'below' });
    }
    const rounds = [root, child, root, child, root, child].map(async ({ planId }) => {
      for (let round = 0; round < 5; round += 1) {
        const made = await core.plans.decide(planId, { type: 'strategy_choice', choice: 'this' });
        await core.plans.decide(planId, {
          type: 'strategy_choice',
          choice: 'that',
          supersedes: made.decisionId,
        });
      }
    });
    await expect(Promise.all(rounds)).resolves.toHaveLength(6);
  });
});
