import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { array, assert, asyncProperty, string } from 'fast-check';
import { Client } from 'pg';
import {
  plainArray,
  textArray,
} from '../../../src/infrastructure/persistence/typeorm/array-text.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const same = <Value>(value: Value): Value => value;

describe('arrays as Postgres reads them', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const readBack = async (array: string, type: string): Promise<unknown> => {
    const { rows } = await client.query<{ value: unknown }>(
      `select to_json($1::${type}[]) as value`,
      [array],
    );
    return rows[0]?.value;
  };

  it.each([
    ['nothing', []],
    ['an empty text', ['']],
    ['the word null', ['null', 'NULL']],
    ['commas and braces', ['a,b', '{c}', '{}']],
    ['quotes and backslashes', ['say "no"', '\\', '\\"', 'C:\\new']],
    ['white space', [' a ', '\n', '\t']],
  ])('texts come back as they were: %s', async (_, texts) => {
    expect(await readBack(textArray(texts, same), 'text')).toEqual(texts);
  });

  it('any storable texts come back as they were', async () => {
    const storable = string({ unit: 'grapheme' }).filter((text) => !text.includes('\u0000'));
    await assert(
      asyncProperty(array(storable), async (texts) => {
        expect(await readBack(textArray(texts, same), 'text')).toEqual(texts);
      }),
      { seed: 20, numRuns: 100 },
    );
  });

  it('ids and reasons need no quotes', async () => {
    const words = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'over-budget', 'superseded'];
    expect(await readBack(plainArray(words, same), 'text')).toEqual(words);
    expect(await readBack(plainArray([], same), 'text')).toEqual([]);
  });

  it('numbers come back to the last bit', async () => {
    const numbers = [0, 1, 0.1 + 0.2, 5e-324, 1 / 3, 2 ** 53 - 1];
    expect(await readBack(plainArray(numbers, same), 'double precision')).toEqual(numbers);
  });
});
