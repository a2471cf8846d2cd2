/** Several processes on one database: nothing lost, nothing twice, one consistent parent. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MIGRATIONS } from '../../../migrations/index.js';
import { createOssature, type Ossature } from '../../../src/index.js';
import { aRootWith, connect, rowsOf, storeOf } from '../../support/builders.js';
import { createTestDatabase } from '../../support/postgres.js';
import { openOnPostgres } from '../../support/stores.js';
import { type CompiledCore, compileCore, type Worker } from './compiled-core.js';

/** Each line of input is a job: the database, the moment at which all begin, and what to do. */
const WORKER = `
  import { createInterface } from 'node:readline';
  import { createOssature } from './src/index.js';

  const jobs = {
    async spawn(core, { parent, name, count }) {
      const outcomes = await core.coordinator.spawnChildren(
        parent,
        Array.from({ length: count }, (_, index) => ({ goal: name + '/' + index })),
      );
      return outcomes.map((each) => each.outcome === 'spawned'
        ? { planId: each.child.planId }
        : { failed: each.error.code + ' ' + each.error.message });
    },
    async spawnOnce(core, { parent, key }) {
      const spawned = await Promise.all(Array.from({ length: 3 }, () =>
        core.coordinator.spawnChild(parent, { goal: 'once', idempotencyKey: key })));
      return spawned.map((each) => ({ planId: each.child.planId, repeated: each.repeated }));
    },
    async import(core, { parent, prefix, imports, size }) {
      const receipts = [];
      for (let round = 0; round < imports; round += 1) {
        receipts.push(await core.imports.import(parent, Array.from({ length: size }, (_, index) => {
          const fragmentId = prefix + round + '.' + index;
          return { item: 'fragment', fragment: { fragmentId, content: fragmentId, relevance: 0.5, tokenCount: 1 } };
        })));
      }
      return receipts;
    },
    migrate: (core) => core.migrate(),
  };

  for await (const line of createInterface({ input: process.stdin })) {
    const { job, url, startAt, ...given } = JSON.parse(line);
    const core = await createOssature({ store: { kind: 'url', url }, checkSchema: false });
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, startAt - Date.now())));
    console.log(JSON.stringify(await jobs[job](core, given)));
    await core.close();
  }
`;

/** Milliseconds in which every process has connected, so that none is done before the last begins. */
const RUN_UP_MS = 400;

interface Spawned {
  readonly planId: string;
  readonly inherited: readonly string[];
  readonly version: number;
  readonly repeated: boolean;
  readonly failed?: string;
}

describe('several processes', () => {
  let core: Ossature;
  let url: string;
  let close: () => Promise<void>;
  let compiled: CompiledCore;
  let workers: readonly Worker[];

  beforeAll(async () => {
    compiled = compileCore();
    workers = Array.from({ length: 4 }, () => compiled.start(WORKER));
    const opened = await openOnPostgres();
    ({ core, url } = opened);
    close = () => opened.close();
    // Loading the core takes seconds on a busy machine; afterwards all begin at once.
    await Promise.all(workers.map((worker) => worker.ask({ job: 'migrate', url, startAt: 0 })));
  });
  afterAll(async () => {
    compiled.remove();
    await close();
  });

  /** Every job in a process of its own, all beginning at one moment. */
  function together<Answer>(
    ...jobs: readonly Readonly<Record<string, unknown>>[]
  ): Promise<readonly Answer[]> {
    const startAt = Date.now() + RUN_UP_MS;
    return Promise.all(
      jobs.map((job, index) => {
        const worker = workers[index];
        if (worker === undefined) throw new Error('There are four processes.');
        return worker.ask<Answer>({ url, startAt, ...job });
      }),
    );
  }

  it('spawn twenty children of one parent at once: twenty, each with its record, and one unchanged parent', async () => {
    const parent = await aRootWith(core, 'a:0.9:10', 'b:0.5:10', 'c:0.1:10');
    const before = await core.plans.get(parent);

    const answers = await together<readonly Spawned[]>(
      { job: 'spawn', parent, name: 'one', count: 5 },
      { job: 'spawn', parent, name: 'two', count: 5 },
      { job: 'spawn', parent, name: 'three', count: 5 },
      { job: 'spawn', parent, name: 'four', count: 5 },
    );

    const spawned = answers.flat();
    expect(spawned.map(({ failed }) => failed).filter(Boolean)).toEqual([]);
    const { plans, records } = storeOf(core).repositories;
    const children = await plans.listChildren(before.planId);
    expect(children.map(({ planId }) => planId).sort()).toEqual(
      spawned.map(({ planId }) => planId).sort(),
    );
    expect(children).toHaveLength(20);
    for (const child of children) {
      const passes = await records.listByChild(child.planId);
      expect(passes.map(({ pass, kept }) => [pass, kept.length])).toEqual([['spawn', 2]]);
      expect(child.skeletonMetadata).toMatchObject({ originalTokens: 30, compressedTokens: 20 });
    }
    expect(await core.plans.get(parent)).toEqual(before);
  });

  it('spawn while others import: every child is of one state of the parent, and no fragment is lost', async () => {
    const parent = await aRootWith(core, 'first:0.9:1');

    const [receipts, ...answers] = await together<
      readonly (Spawned & { fragmentsAdded: number })[]
    >(
      { job: 'import', parent, prefix: 'x', imports: 10, size: 30 },
      { job: 'spawn', parent, name: 'one', count: 8 },
      { job: 'spawn', parent, name: 'two', count: 8 },
      { job: 'import', parent, prefix: 'y', imports: 10, size: 30 },
    );

    expect(receipts?.map(({ fragmentsAdded }) => fragmentsAdded)).toEqual(
      Array<number>(10).fill(30),
    );
    const { plans, fragments } = storeOf(core).repositories;
    const { planId, version } = await core.plans.get(parent);
    expect(await fragments.listEntries(planId)).toHaveLength(601);
    expect(version).toBe(22);
    const spawned = answers.slice(0, 2).flat();
    // A parent that changes more often than a spawn retries is a typed STALE; anything else is a fault.
    const failed = spawned.flatMap(({ failed: reason }) => reason ?? []);
    expect(failed.filter((reason) => !reason.startsWith('STALE'))).toEqual([]);
    const children = await plans.listChildren(planId);
    expect(children).toHaveLength(spawned.length - failed.length);
    for (const child of children) {
      // One fragment of the first import and thirty of each later one, all of one token.
      expect((child.skeletonMetadata?.originalTokens ?? 0) % 30).toBe(1);
    }
  });

  it('import the same file at once: once', async () => {
    const parent = await aRootWith(core);

    const answers = await together<
      readonly { readonly fragmentsAdded: number; readonly fragmentsKnown: number }[]
    >(
      ...Array.from({ length: 3 }, () => ({
        job: 'import',
        parent,
        prefix: 'same',
        imports: 1,
        size: 250,
      })),
    );

    const added = answers.flat().map(({ fragmentsAdded }) => fragmentsAdded);
    const known = answers.flat().map(({ fragmentsKnown }) => fragmentsKnown);
    expect([...added].sort((a, b) => a - b)).toEqual([0, 0, 250]);
    expect([...known].sort((a, b) => a - b)).toEqual([0, 250, 250]);
    const { planId } = await core.plans.get(parent);
    expect(await storeOf(core).repositories.fragments.listEntries(planId)).toHaveLength(250);
  });

  it('spawn with the same idempotency key at once: one child, which all are given', async () => {
    const parent = await aRootWith(core, 'a:0.9:10');

    const answers = await together<readonly Spawned[]>(
      ...Array.from({ length: 3 }, () => ({ job: 'spawnOnce', parent, key: 'k' })),
    );

    const spawned = answers.flat();
    expect(spawned).toHaveLength(9);
    expect(new Set(spawned.map(({ planId }) => planId)).size).toBe(1);
    expect(spawned.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect((await core.status.report((await core.plans.get(parent)).planId)).children).toHaveLength(
      1,
    );
  });

  it('migrate at once: each migration runs once', async () => {
    const database = await createTestDatabase();
    const applied = await together<readonly string[]>(
      ...Array.from({ length: 4 }, () => ({ job: 'migrate', url: database.url })),
    );
    expect(applied.filter((names) => names.length > 0)).toEqual([
      MIGRATIONS.map(({ name }) => name),
    ]);
    const client = await connect(database.url);
    expect(await rowsOf(client, 'select 1 from ossature.migrations')).toHaveLength(
      MIGRATIONS.length,
    );
    await client.end();
    const opened = await createOssature({ store: { kind: 'url', url: database.url } });
    await opened.close();
    await database.drop();
  });
});
