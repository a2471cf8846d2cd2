import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { parserOf } from '../../../src/infrastructure/persistence/typeorm/column-values.js';
import { HARD_IDS, HARD_TEXTS } from '../../contracts/sample-values.js';
import { connect } from '../../support/builders.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const TIMES = [
  '2026-03-04T05:06:07.089Z',
  '1970-01-01T00:00:00.000Z',
  '1900-01-01T00:00:00.001Z',
  '0001-01-01T12:00:00.000Z',
  '9999-12-30T23:59:59.999Z',
];

describe('the columns’ text', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = await connect(database.url);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** What the server writes for a value, as our parser reads it. */
  async function readBack(expression: string, value: unknown): Promise<unknown> {
    const { rows } = await client.query<{ readonly value: unknown }>({
      text: `select ${expression} as value`,
      values: [value],
      types: { getTypeParser: parserOf },
    });
    return rows[0]?.value;
  }

  it.each(['UTC', 'Europe/Amsterdam', 'Asia/Kolkata', 'America/St_Johns'])(
    'gives every time to the millisecond where the server lives in %s',
    async (zone) => {
      await client.query(`set time zone '${zone}'`);
      for (const time of TIMES) {
        expect(await readBack('$1::text::timestamptz', time)).toEqual(new Date(time));
      }
    },
  );

  it('gives no time at all where the server does not write ISO', async () => {
    await client.query(`set datestyle to 'German'`);
    await expect(readBack('$1::text::timestamptz', TIMES[0])).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    await client.query(`set datestyle to 'ISO'`);
  });

  it.each([
    ['text[]', []],
    ['text[]', HARD_IDS],
    ['text[]', Object.values(HARD_TEXTS)],
    ['bigint[]', []],
    ['bigint[]', [0, Number.MAX_SAFE_INTEGER]],
    ['double precision[]', [0, 0.1, 5e-324, 1 - Number.EPSILON / 2]],
    ['bigint', Number.MAX_SAFE_INTEGER],
    ['double precision', 5e-324],
    ['boolean', true],
    ['boolean', false],
    ['text', 'NULL'],
    ['jsonb', { a: [{ 'b"': null }, 1e-7, '🏗️'] }],
  ])('gives %s as it was written', async (type, value) => {
    expect(await readBack(`$1::${type}`, value)).toEqual(value);
  });
});
