/** The core inside a host's DataSource and the host's own transaction. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { types } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { createOssature, type Ossature } from '../../../src/index.js';
import { aRootWith, fragmentItems, storeOf } from '../../support/builders.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

class HostChangedItsMind extends Error {}

describe('a core in a host’s transaction', () => {
  let database: TestDatabase;
  let host: DataSource;
  let core: Ossature;

  beforeAll(async () => {
    database = await createTestDatabase();
    host = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    core = await createOssature({
      store: { kind: 'data-source', dataSource: host },
      checkSchema: false,
    });
    await core.migrate();
    await host.query('create table tickets (title text primary key)');
  });
  afterEach(() => host.query('truncate tickets'));
  afterAll(async () => {
    await core.close();
    await host.destroy();
    await database.drop();
  });

  const ticket = (manager: EntityManager, title: string): Promise<unknown> =>
    manager.query('insert into tickets values ($1)', [title]);
  const tickets = async (): Promise<readonly string[]> =>
    (
      await host.query<{ readonly title: string }[]>('select title from tickets order by title')
    ).map(({ title }) => title);
  const childrenOf = async (planId: string): Promise<readonly string[]> =>
    (
      await storeOf(core).repositories.plans.listChildren((await core.plans.get(planId)).planId)
    ).map(({ goal }) => goal);

  it('is committed with it, and not visible before', async () => {
    const parent = await aRootWith(core, 'a:0.9:10', 'b:0.1:10');
    await host.transaction(async (manager) => {
      const joined = core.within(manager);
      await ticket(manager, 'spawned');
      const { child } = await joined.coordinator.spawnChild(parent, { goal: 'joined' });
      await joined.imports.import(child.planId, fragmentItems('own:0.5:3'));
      expect((await joined.status.report(child.planId)).context.own.fragments).toBe(1);
      expect(await childrenOf(parent)).toEqual([]);
    });
    expect(await childrenOf(parent)).toEqual(['joined']);
    expect(await tickets()).toEqual(['spawned']);
  });

  it('is rolled back with it', async () => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const run = host.transaction(async (manager) => {
      const joined = core.within(manager);
      await ticket(manager, 'spawned');
      await joined.projects.create('gone');
      const { child } = await joined.coordinator.spawnChild(parent, { goal: 'gone' });
      await joined.imports.import(child.planId, fragmentItems('own:0.5:3'));
      throw new HostChangedItsMind();
    });
    await expect(run).rejects.toBeInstanceOf(HostChangedItsMind);
    expect(await childrenOf(parent)).toEqual([]);
    expect(await tickets()).toEqual([]);
    await expect(core.projects.getByName('gone')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('leaves the host’s own work alone when it fails', async () => {
    const parent = await aRootWith(core, 'a:0.9:10');
    const before = await core.projects.create('taken');
    await host.transaction(async (manager) => {
      const joined = core.within(manager);
      await ticket(manager, 'before');
      const failures = [
        joined.coordinator.spawnChild(parent, { goal: 'bad', skeletonRatio: 2 }),
        joined.imports.import(parent, [
          ...fragmentItems('half:0.5:3'),
          { item: 'superseded', decisionId: parent, by: parent },
        ]),
        joined.imports.import(parent, [
          {
            item: 'fragment',
            fragment: { fragmentId: 'a', content: 'other', relevance: 0, tokenCount: 1 },
          },
        ]),
        joined.projects.create(before.name),
        joined.plans
          .create({ project: before.name, goal: 'go', name: 'n' })
          .then(() => joined.plans.create({ project: before.name, goal: 'go', name: 'n' })),
      ];
      for (const failure of await Promise.allSettled(failures)) {
        expect(failure.status).toBe('rejected');
      }
      await joined.coordinator.spawnChild(parent, { goal: 'good' });
      await ticket(manager, 'later');
    });
    expect(await tickets()).toEqual(['before', 'later']);
    expect(await childrenOf(parent)).toEqual(['good']);
    expect((await core.status.report((await core.plans.get(parent)).planId)).context.own).toEqual({
      fragments: 1,
      tokens: 10,
    });
  });

  it('spawns many, the failed ones taking nothing of the others with them', async () => {
    const parent = await aRootWith(core, 'a:0.9:10', 'b:0.5:10');
    await host.transaction(async (manager) => {
      const joined = core.within(manager);
      const outcomes = await joined.coordinator.spawnChildren(
        parent,
        Array.from({ length: 12 }, (_, index) => ({
          goal: `child ${index}`,
          // Every third loses the race for a key and is answered with the child that won it.
          ...(index % 3 === 0 ? { idempotencyKey: 'one', goal: 'the one' } : {}),
        })),
        { maxParallel: 6 },
      );
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array<string>(12).fill('spawned'));
      await ticket(manager, 'many');
    });
    const goals = await childrenOf(parent);
    expect([...goals].sort()).toEqual(
      ['the one', ...[1, 2, 4, 5, 7, 8, 10, 11].map((index) => `child ${index}`)].sort(),
    );
    expect(await tickets()).toEqual(['many']);
  });

  it('needs an open transaction: INVALID_CONFIG without one', async () => {
    expect(() => core.within(host.manager)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    );
    const finished = await host.transaction((manager) => Promise.resolve(manager));
    expect(() => core.within(finished)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    );
    const inMemory = await createOssature({ store: { kind: 'in-memory' } });
    await host.transaction(async (manager) => {
      expect(() => inMemory.within(manager)).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG' }),
      );
      await Promise.resolve();
    });
  });

  it('closes nothing of the host’s', async () => {
    const another = await createOssature({ store: { kind: 'data-source', dataSource: host } });
    await another.close();
    await host.transaction(async (manager) => {
      await core.within(manager).close();
      await ticket(manager, 'still open');
    });
    expect(await tickets()).toEqual(['still open']);
  });

  it('refuses a DataSource that is not open', async () => {
    const closed = new DataSource({ type: 'postgres', url: database.url });
    await expect(
      createOssature({ store: { kind: 'data-source', dataSource: closed } }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  it('reads its rows as it wrote them, whatever parsers the host sets for all of pg', async () => {
    const parsers = types as unknown as {
      getTypeParser(oid: number): (text: string) => unknown;
      setTypeParser(oid: number, parser: (text: string) => unknown): void;
    };
    const originals = [16, 20, 23, 25, 701, 1009, 1016, 1022, 1184, 3802].map(
      (oid) => [oid, parsers.getTypeParser(oid)] as const,
    );
    const parent = await aRootWith(core, 'a:0.9:10', '{b,"NULL"}:0.1:9007199254740981');
    try {
      for (const [oid] of originals) parsers.setTypeParser(oid, (text) => ['the host’s', text]);
      const { child } = await core.coordinator.spawnChild(parent, {
        goal: 'go',
        skeletonRatio: 0.5,
      });
      const report = await core.audit.dropped(child.planId);
      expect(report.spawn).toMatchObject({ originalTokens: Number.MAX_SAFE_INTEGER });
      expect(report.plan).toEqual(child);
      expect(report.dropped.map(({ fragmentId, tokenCount }) => [fragmentId, tokenCount])).toEqual([
        ['{b,"NULL"}', 9007199254740981],
      ]);
    } finally {
      for (const [oid, parser] of originals) parsers.setTypeParser(oid, parser);
    }
  });
});
