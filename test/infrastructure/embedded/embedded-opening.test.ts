/** Who may open the embedded database, what survives a kill, and what is said when it cannot be opened. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import {
  type EmbeddedDatabase,
  openEmbedded,
} from '../../../src/infrastructure/persistence/embedded/embedded-database.js';
import { findTemplate } from '../../../src/infrastructure/persistence/embedded/embedded-template.js';
import { compileSources, OtherProcess } from './compiled-sources.js';

/** Each opening takes 1.5 s of CPU time, several times that on a busy machine. */
jest.setTimeout(180_000);

const homes = mkdtempSync(join(tmpdir(), 'ossature-homes-'));
const newHome = () => mkdtempSync(join(homes, 'home-'));
let compiled: string;
let withoutTemplate: string;

beforeAll(() => {
  compiled = compileSources('with-template');
  withoutTemplate = compileSources('without-template');
});
afterAll(() => {
  rmSync(compiled, { recursive: true, force: true });
  rmSync(withoutTemplate, { recursive: true, force: true });
  rmSync(homes, { recursive: true, force: true });
});

async function query(database: EmbeddedDatabase, statement: string): Promise<unknown[]> {
  const client = new Client({
    user: 'postgres',
    database: 'postgres',
    stream: () => database.stream(),
  });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(statement);
  await client.end();
  return rows;
}

/** Inserts row after row and prints each number once it was acknowledged. */
const WRITER = `
import pg from 'pg';
import { openEmbedded } from './embedded-database.js';
const [home, from] = process.argv.slice(2);
const database = await openEmbedded(home, { lockTimeoutMs: 30000, onFirstStart: () => console.log('first start') });
const client = new pg.Client({ user: 'postgres', database: 'postgres', stream: () => database.stream() });
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS acknowledged (id int PRIMARY KEY, body text)');
for (let id = Number(from); ; id++) {
  await client.query('INSERT INTO acknowledged VALUES ($1, $2)', [id, 'x'.repeat(500)]);
  console.log(id);
}
`;

describe('openEmbedded', () => {
  it('kill -9 loses no acknowledged row, and the next process takes over', async () => {
    const home = newHome();
    const acknowledged: number[] = [];
    for (let round = 0; round < 3; round++) {
      const writer = new OtherProcess(compiled, WRITER, home, String(round * 100_000));
      await writer.printed(25 + round * 20);
      await writer.kill();
      acknowledged.push(...writer.lines.map(Number));
    }
    const database = await openEmbedded(home);
    const rows = (await query(database, 'SELECT id FROM acknowledged')) as { id: number }[];
    await database.close();
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  it('a second process is refused with the holder and the ways out, until the first is gone', async () => {
    const home = newHome();
    const writer = new OtherProcess(compiled, WRITER, home, '0');
    await writer.printed(1);
    const told: number[] = [];
    const refused = openEmbedded(home, {
      lockTimeoutMs: 200,
      onWaiting: ({ pid }) => told.push(pid),
    });
    await expect(refused).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringMatching(
        new RegExp(`${writer.pid}.*stop it.*agents database start.*DATABASE_URL`),
      ),
      details: { pid: writer.pid },
    });
    expect(told).toEqual([writer.pid]);
    await writer.kill();
    const database = await openEmbedded(home, { lockTimeoutMs: 0 });
    await database.close();
  });

  it('two openings in one process exclude each other too', async () => {
    const home = newHome();
    const first = await openEmbedded(home);
    await expect(openEmbedded(home, { lockTimeoutMs: 100 })).rejects.toMatchObject({
      code: 'STORE_BUSY',
    });
    await first.close();
  });

  it('after closing, a stream fails and the data is there for the next opening', async () => {
    const home = newHome();
    const first = await openEmbedded(home);
    await query(first, 'CREATE TABLE kept AS SELECT 1 AS one');
    await first.close();
    await expect(query(first, 'SELECT 1')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const second = await openEmbedded(home);
    expect(await query(second, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
    await second.close();
    await second.close();
  });

  it('with a template the first start needs no warning and leaves no draft', async () => {
    const home = newHome();
    expect(findTemplate()).toBeDefined();
    let warned = false;
    const database = await openEmbedded(home, { onFirstStart: () => (warned = true) });
    await database.close();
    expect(warned).toBe(false);
    expect(readdirSync(join(home, 'embedded-18'))).toEqual(['data']);
  });

  it('without a template the first start warns; killed in the middle, the next one heals it', async () => {
    const home = newHome();
    const killed = new OtherProcess(withoutTemplate, WRITER, home, '0');
    expect(await killed.printed(1)).toEqual(['first start']);
    const draft = join(home, 'embedded-18', 'new');
    while (!existsSync(join(draft, 'PG_VERSION')))
      await new Promise((done) => setTimeout(done, 20));
    await killed.kill();
    expect(existsSync(join(home, 'embedded-18', 'data'))).toBe(false);

    const next = new OtherProcess(compiled, WRITER, home, '0');
    expect((await next.printed(2)).slice(0, 2)).toEqual(['0', '1']);
    await next.kill();
    expect(existsSync(draft)).toBe(false);
  });

  // prettier-ignore
  it.each([
    { rule: 'data of a newer Postgres is refused',                 folder: 'embedded-18', major: 19, code: 'SCHEMA_TOO_NEW' },
    { rule: 'data of an older Postgres is refused',                folder: 'embedded-18', major: 17, code: 'STORE_FAILED' },
    { rule: 'no empty database is made beside data of an older one', folder: 'embedded-17', major: 17, code: 'STORE_FAILED' },
  ])('$rule', async ({ folder, major, code }) => {
    const home = newHome();
    const found = join(home, folder, 'data');
    mkdirSync(found, { recursive: true });
    writeFileSync(join(found, 'PG_VERSION'), `${major}\n`);
    await expect(openEmbedded(home)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/export FILE.*import FILE/),
      details: { folder: found, found: major },
    });
  });

  it.each([
    { rule: 'a home below a file', home: join('/etc/hostname', 'home'), reason: 'ENOTDIR' },
    { rule: 'a home that cannot be made', home: '/proc/ossature', reason: 'ENOENT' },
  ])('$rule is named', async ({ home, reason }) => {
    await expect(openEmbedded(home)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining(dirname(home)),
      details: { reason },
    });
  });

  it('a data folder that is none is named, and the lock is free again', async () => {
    const home = newHome();
    mkdirSync(join(home, 'embedded-18', 'data'), { recursive: true });
    writeFileSync(join(home, 'embedded-18', 'data', 'PG_VERSION'), '18\n');
    await expect(openEmbedded(home)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining(home),
    });
    expect(existsSync(join(home, 'embedded-18', 'lock'))).toBe(false);
  });
});
