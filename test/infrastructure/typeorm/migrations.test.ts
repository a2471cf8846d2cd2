/** Our schema in a database that may hold other things, brought up and down by several processes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';
import { createOssature, type Ossature, TOKENS } from '../../../src/index.js';
import { aSession, prompts } from '../../contracts/session-values.js';
import { aRootWith, connect, rowsOf } from '../../support/builders.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const NAMES = MIGRATIONS.map(({ name }) => name);

class CreateTickets1700000000001 implements MigrationInterface {
  readonly name = 'CreateTickets1700000000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table plans (id serial primary key, title text)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table plans');
  }
}

describe('migrations', () => {
  let database: TestDatabase;
  let client: Client;
  const cores: Ossature[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    client = await connect(database.url);
  });
  afterAll(async () => {
    await Promise.all(cores.map((core) => core.close()));
    await client.end();
    await database.drop();
  });

  async function open(schema: string, checkSchema = false): Promise<Ossature> {
    const core = await createOssature({
      store: { kind: 'url', url: database.url },
      config: { schema },
      checkSchema,
    });
    cores.push(core);
    return core;
  }

  /** Everything that lives in a schema: tables with columns, constraints, indexes, triggers, functions. */
  async function shapeOf(schema: string): Promise<readonly string[]> {
    const rows = await rowsOf<{ readonly line: string }>(
      client,
      `select table_name || '.' || column_name || ' ' || data_type || is_nullable as line
         from information_schema.columns where table_schema = $1
       union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
         where connamespace = to_regnamespace($1)
       union all select indexdef from pg_indexes where schemaname = $1
       union all select tgname from pg_trigger t join pg_class c on c.oid = tgrelid
         where relnamespace = to_regnamespace($1) and not tgisinternal
       union all select proname from pg_proc where pronamespace = to_regnamespace($1)
       order by 1`,
      [schema],
    );
    return rows.map(({ line }) => line);
  }

  it('go up, down to nothing but their own table, and up to the same again', async () => {
    const core = await open('up_down');
    expect(await core.migrate()).toEqual(NAMES);
    const shape = await shapeOf('up_down');
    expect(shape.length).toBeGreaterThan(60);

    const undone: (string | null)[] = [];
    for (const _ of NAMES) undone.push(await core.revert());
    expect(undone).toEqual([...NAMES].reverse());
    expect(await core.revert()).toBeNull();
    expect((await shapeOf('up_down')).filter((line) => !line.includes('migrations'))).toEqual([]);

    expect(await core.migrate()).toEqual(NAMES);
    expect(await shapeOf('up_down')).toEqual(shape);
  });

  it('keep the data when they run again with nothing pending', async () => {
    const core = await open('again');
    await core.migrate();
    const planId = await aRootWith(core, 'a:0.5:10');

    expect(await core.migrate()).toEqual([]);

    expect((await core.status.report((await core.plans.get(planId)).planId)).context.own).toEqual({
      fragments: 1,
      tokens: 10,
    });
    expect(await core.checkSchema()).toEqual({
      schema: 'again',
      applied: NAMES,
      pending: [],
      unknown: [],
    });
  });

  it('give blocks that were packed before the hashes of their entries', async () => {
    const core = await open('packed');
    await core.migrate();
    const { sessions } = core.resolve(TOKENS.repositories);
    const session = aSession();
    const texts = Array.from({ length: 1_030 }, (_, at) => `text ${at}`);
    const entries = prompts(texts);
    await sessions.insert(session);
    await sessions.append(session, entries, new Date());
    const hashes = entries.map(({ contentHash }) => contentHash);
    const packed = async (): Promise<readonly (string | null)[]> =>
      (
        await rowsOf<{ readonly hashes: string | null }>(
          client,
          'select hashes from packed.session_mark_blocks order by block',
        )
      ).map((row) => row.hashes);
    const whole = [hashes.slice(0, 512).join(''), hashes.slice(512, 1_024).join('')];
    expect(await packed()).toEqual(whole);

    while (!(await core.revert({ force: true }))?.startsWith('PackHashes'));
    await core.migrate();
    expect(await packed()).toEqual(whole);

    await client.query('update packed.session_mark_blocks set hashes = null where block = 0');
    expect(await sessions.listHashes(session, { from: 2, to: 1_027 })).toEqual(
      hashes.slice(1, 1_027),
    );
  });

  it('run once when six connections migrate at once', async () => {
    const six = await Promise.all(Array.from({ length: 6 }, () => open('race')));

    const applied = await Promise.all(six.map((core) => core.migrate()));

    expect(applied.filter((names) => names.length > 0)).toEqual([NAMES]);
    const rows = await rowsOf<{ readonly name: string }>(
      client,
      'select name from race.migrations order by id',
    );
    expect(rows.map(({ name }) => name)).toEqual(NAMES);
  });

  it('leave nothing behind when one of them fails', async () => {
    await client.query('create schema blocked; create table blocked.compression_records (x int)');
    const core = await open('blocked');

    await expect(core.migrate()).rejects.toMatchObject({ code: 'STORE_FAILED' });

    expect(await shapeOf('blocked')).toEqual(['compression_records.x integerYES']);
    await client.query('drop table blocked.compression_records');
    expect(await core.migrate()).toEqual(NAMES);
  });

  it('leave a core that finds them missing closed, by SCHEMA_OUTDATED naming what is pending', async () => {
    await expect(open('nothing', true)).rejects.toMatchObject({
      code: 'SCHEMA_OUTDATED',
      details: { schema: 'nothing', pending: NAMES },
    });
    const core = await open('one_behind');
    await core.migrate();
    await core.revert();
    await expect(open('one_behind', true)).rejects.toMatchObject({
      code: 'SCHEMA_OUTDATED',
      details: { schema: 'one_behind', pending: NAMES.slice(-1) },
    });
  });

  it('of a later version close the door to this one, by SCHEMA_TOO_NEW, and stay as they are', async () => {
    const core = await open('later');
    await core.migrate();
    await client.query(
      `insert into later.migrations (timestamp, name) values (9999999999999, 'Later9999999999999')`,
    );
    const refusal = { code: 'SCHEMA_TOO_NEW', details: { unknown: ['Later9999999999999'] } };
    await expect(open('later', true)).rejects.toMatchObject(refusal);
    await expect(core.migrate()).rejects.toMatchObject(refusal);
    await expect(core.revert()).rejects.toMatchObject(refusal);
    expect(await rowsOf(client, 'select 1 from later.migrations')).toHaveLength(NAMES.length + 1);
  });

  it('keep two schemas of one database apart', async () => {
    const [one, other] = [await open('first'), await open('second')];
    await one.migrate();
    await other.migrate();
    await one.projects.create('only here');
    expect(await other.projects.list()).toEqual([]);
    await other.projects.create('only here');
  });

  it('share a database with a host’s own tables, migrations and DataSource', async () => {
    const host = new DataSource({
      type: 'postgres',
      url: database.url,
      migrations: [CreateTickets1700000000001],
      migrationsTableName: 'migrations',
    });
    await host.initialize();
    try {
      await host.runMigrations();
      await host.query(`insert into plans (title) values ('a ticket')`);
      const core = await createOssature({
        store: { kind: 'data-source', dataSource: host },
        config: { schema: 'guest' },
        checkSchema: false,
      });
      expect(await core.migrate()).toEqual(NAMES);
      await aRootWith(core, 'a:0.5:10');
      expect(await core.revert({ force: true })).toBe(NAMES.at(-1));
      await core.migrate();
      await core.close();

      expect(host.isInitialized).toBe(true);
      expect(await host.query('select title from plans')).toEqual([{ title: 'a ticket' }]);
      expect(await host.query('select name from migrations')).toEqual([
        { name: 'CreateTickets1700000000001' },
      ]);
      await host.undoLastMigration();
      expect(await host.query(`select to_regclass('public.plans') as found`)).toEqual([
        { found: null },
      ]);
      expect(await host.query('select count(*)::int as plans from guest.plans')).toEqual([
        { plans: 1 },
      ]);
    } finally {
      await host.destroy();
    }
  });
});
