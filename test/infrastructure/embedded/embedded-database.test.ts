import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import {
  type EmbeddedDatabase,
  embeddedConnection,
  openEmbedded,
} from '../../../src/infrastructure/persistence/embedded/embedded-database.js';

const home = mkdtempSync(join(tmpdir(), 'ossature-home-'));
let database: EmbeddedDatabase;
let pool: Pool;

/** `pg` takes any stream that looks like a socket; its types ask for a Duplex. */
function aPool(connectionTimeoutMillis = 20_000): Pool {
  const stream = (): Duplex => database.stream();
  return new Pool({
    user: 'postgres',
    database: 'postgres',
    max: 1,
    connectionTimeoutMillis,
    stream,
  });
}

beforeAll(async () => {
  database = await openEmbedded(home);
});
beforeEach(async () => {
  pool = aPool();
  await pool.query('DROP TABLE IF EXISTS notes');
  await pool.query('CREATE TABLE notes (id int PRIMARY KEY, body text)');
});
afterEach(() => pool.end());
afterAll(async () => {
  await database.close();
  rmSync(home, { recursive: true, force: true });
});

describe('the embedded database', () => {
  it('lies in a folder named after its major version', async () => {
    const { rows } = await pool.query<{ version: string }>(
      "SELECT current_setting('server_version') AS version",
    );
    expect(rows[0]?.version).toMatch(/^18\./);
    expect(database.dataFolder).toBe(join(home, 'embedded-18', 'data'));
  });

  it('values have the types that pg gives for a server', async () => {
    const { rows } = await pool.query(
      `SELECT 1::int8 AS big, 1.5::numeric AS exact, '\\x01'::bytea AS bytes, '{"a":1}'::jsonb AS tree,
              ARRAY['a','b'] AS list, to_timestamp(0) AS at`,
    );
    expect(rows).toEqual([
      {
        big: '1',
        exact: '1.5',
        bytes: Buffer.from([1]),
        tree: { a: 1 },
        list: ['a', 'b'],
        at: new Date(0),
      },
    ]);
  });

  it('errors carry the code and the constraint of Postgres', async () => {
    await pool.query("INSERT INTO notes VALUES (1, 'one')");
    await expect(pool.query("INSERT INTO notes VALUES (1, 'two')")).rejects.toMatchObject({
      code: '23505',
      constraint: 'notes_pkey',
    });
  });

  it('a megabyte goes in and many rows come out', async () => {
    const body = 'ü'.repeat(512 * 1024);
    await pool.query('INSERT INTO notes VALUES (1, $1)', [body]);
    const { rows } = await pool.query<{ body: string }>('SELECT body FROM notes');
    expect(rows[0]?.body === body).toBe(true);
    expect((await pool.query('SELECT generate_series(1, 20000)')).rowCount).toBe(20_000);
  });

  it('what a dropped client left open is gone for the next one', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query("SET search_path = pg_catalog; INSERT INTO public.notes VALUES (1, 'lost')");
    client.release(true);
    const { rows } = await pool.query(
      "SELECT count(*)::int AS notes, current_setting('search_path') AS path FROM notes",
    );
    expect(rows).toEqual([{ notes: 0, path: 'public' }]);
  });

  it('a second pool waits for the session instead of writing into a transaction of the first', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    const second = aPool();
    const written = second.query("INSERT INTO notes VALUES (2, 'kept')");
    await client.query("INSERT INTO notes VALUES (1, 'rolled back')");
    await client.query('ROLLBACK');
    client.release(true);
    await written;
    await second.end();
    expect((await pool.query('SELECT id FROM notes')).rows).toEqual([{ id: 2 }]);
  });

  it('a wait that lasts too long is an error, and the session stays usable', async () => {
    const client = await pool.connect();
    const second = aPool(100);
    await expect(second.query('SELECT 1')).rejects.toThrow(/timeout/);
    await second.end();
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    client.release();
  });

  it('a heavy statement does not block the event loop', async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await pool.query('SELECT count(*) FROM generate_series(1, 1000000)');
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });

  it('TypeORM nests transactions on it', async () => {
    await pool.end();
    const source = await new DataSource(embeddedConnection(database)).initialize();
    await source.transaction(async (outer) => {
      await outer.query("INSERT INTO notes VALUES (1, 'outer')");
      await expect(
        outer.transaction(async (inner) => {
          await inner.query("INSERT INTO notes VALUES (2, 'inner')");
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
    });
    const rows = await source.query<{ id: number }[]>('SELECT id FROM notes');
    await source.destroy();
    pool = aPool();
    expect(rows).toEqual([{ id: 1 }]);
  });
});
