/** Undoing a migration drops no row without a word, on a server and on a store that migrates itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { Migrator } from '../../src/infrastructure/persistence/typeorm/migrator.js';
import { agents, answer, fragmentLines } from '../interfaces/cli/cli-support.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const NEWEST_FIRST = MIGRATIONS.map(({ name }) => name).reverse();
const RECORDS = 'CreateCompressionRecords1764500000003';
/** They make tables that a spawn leaves empty. */
const NEWER = NEWEST_FIRST.slice(0, NEWEST_FIRST.indexOf(RECORDS));

describe('a revert of a migration whose tables hold rows', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let child: unknown;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    await agents(['database', 'migrate'], { env });
    await agents(['project', 'create', 'demo'], { env });
    const root = ['plan', 'create', '--project', 'demo', '--name', 'root', '--goal', 'g'];
    await agents(root, { env });
    const stdin = fragmentLines('kept:0.9:10', 'left:0.1:90');
    await agents(['plan', 'import', 'root', '-'], { env, stdin });
    const spawn = ['plan', 'spawn', 'root', '--goal', 'g', '--skeleton-ratio', '0.5'];
    child = (await answer(spawn, { env })).data?.['plan_id'];
  });
  afterAll(() => database.drop());

  it('is refused with their number and the way out, and changes nothing', async () => {
    for (const name of NEWER) {
      const { data } = await answer(['database', 'revert'], { env });
      expect(data?.['reverted']).toBe(name);
    }
    const refused = await answer(['database', 'revert'], { env });
    expect(refused).toMatchObject({ exit_code: 1, data: null });
    expect(refused.messages[0]).toMatchObject({
      code: 'WOULD_LOSE_DATA',
      text: expect.stringMatching(
        /1 in compression_records\. Nothing was changed\..*export FILE.*--force\.$/,
      ),
      details: { lost: { compression_records: 1 } },
    });
    await agents(['database', 'migrate'], { env });
    const { data } = await answer(['plan', 'dropped', String(child)], { env });
    expect(data?.['dropped']).toEqual([expect.objectContaining({ id: 'left' })]);
  });

  it('with --force leaves plans that say that the record of their spawn is missing', async () => {
    for (const _ of [...NEWER, RECORDS]) await agents(['database', 'revert', '--force'], { env });
    await agents(['database', 'migrate'], { env });

    const missing = /record of this plan's spawn is missing/;
    const status = await answer(['plan', 'status', String(child)], { env });
    expect(status.messages).toEqual([{ level: 'warning', text: expect.stringMatching(missing) }]);
    const dropped = await agents(['plan', 'dropped', String(child)], { env });
    expect(dropped.exitCode).toBe(1);
    expect(dropped.stdout).toMatch(/^What was dropped .* is not known/);
    expect(dropped.stderr).toMatch(missing);
    const recall = await answer(['plan', 'recall', String(child), 'left'], { env });
    expect(recall.messages[0]).toMatchObject({
      code: 'NOT_FOUND',
      text: expect.stringMatching(/record of the spawn of plan .* is missing/),
    });
  });
});

describe('a revert on a store that migrates itself', () => {
  const home = mkdtempSync(join(tmpdir(), 'ossature-revert-'));
  const env = { OSSATURE_HOME: home };
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('goes further down each time, says what the next command does, and a check changes nothing', async () => {
    await agents(['project', 'create', 'demo'], { env });
    const reverted: unknown[] = [];
    let refusal: unknown = null;
    for (const _ of NEWEST_FIRST) {
      const { data, messages } = await answer(['database', 'revert'], { env });
      if (data === null) [refusal] = messages;
      else reverted.push(data['reverted']);
    }
    expect(reverted).toEqual(NEWEST_FIRST.slice(0, -1));
    expect(refusal).toMatchObject({
      text: expect.stringMatching(/1 in projects\..*migrates itself: the next command/),
    });
    const last = await answer(['database', 'revert', '--force'], { env });
    expect(last).toMatchObject({
      data: { reverted: NEWEST_FIRST.at(-1) },
      messages: [{ level: 'info', text: expect.stringMatching(/^The next command/) }],
    });
    const check = await answer(['database', 'check'], { env });
    expect(check).toMatchObject({ exit_code: 1, data: { state: 'outdated', applied: [] } });
  }, 180_000);
});

describe('a revert that would drop values of a column', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  const addColour = {
    name: 'AddColour1764500000099',
    up: (runner: QueryRunner) => runner.query('alter table things add colour text'),
    down: (runner: QueryRunner) => runner.query('alter table things drop colour'),
  };
  const createThings = {
    name: 'CreateThings1764500000098',
    up: (runner: QueryRunner) => runner.query('create table things (id int)'),
    down: (runner: QueryRunner) => runner.query('drop table things'),
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('counts them too, and what is null is no loss', async () => {
    const migrator = new Migrator(dataSource, 'colours', [createThings, addColour]);
    await migrator.migrate();
    await dataSource.query(`insert into colours.things values (1, 'red'), (2, null)`);
    await expect(migrator.revert()).rejects.toMatchObject({
      code: 'WOULD_LOSE_DATA',
      details: { lost: { 'things.colour': 1 } },
    });
    await dataSource.query('update colours.things set colour = null');
    expect(await migrator.revert()).toBe(addColour.name);
    await expect(migrator.revert()).rejects.toMatchObject({ details: { lost: { things: 2 } } });
    expect(await migrator.revert({ force: true })).toBe(createThings.name);
  });
});
