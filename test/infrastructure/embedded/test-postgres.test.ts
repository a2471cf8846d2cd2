import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase } from '../../support/postgres.js';

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('createTestDatabase', () => {
  it('each call gives an empty database of its own', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    try {
      await ask(one.url, 'CREATE TABLE plans (id int)');
      expect(await ask(two.url, "SELECT to_regclass('plans') AS found")).toEqual([{ found: null }]);
    } finally {
      await Promise.all([one.drop(), two.drop()]);
    }
  });

  it('the server is at least version 15', async () => {
    const database = await createTestDatabase();
    const rows = await ask(database.url, 'SHOW server_version_num');
    await database.drop();
    expect(Number((rows[0] as { server_version_num: string }).server_version_num)).toBeGreaterThan(
      150_000,
    );
  });

  it('a dropped database ends its connections', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    const lost = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    await database.drop();
    expect((await lost).message).toMatch(/terminat/);
  });
});
