/** After a session was ended by the server, the next read finds a living one. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../support/builders.js';
import { openOnPostgres } from '../support/stores.js';

describe('a connection that the server ended', () => {
  let opened: Awaited<ReturnType<typeof openOnPostgres>>;
  beforeAll(async () => {
    opened = await openOnPostgres();
  });
  afterAll(() => opened.close());

  it('is not handed out again', async () => {
    const client = await connect(opened.url);
    await client.query(
      'create function ossature.hang_up() returns text language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return null; end $$',
    );
    for (let round = 0; round < 5; round += 1) {
      await client.query('alter table ossature.projects rename to projects_kept');
      await client.query(
        'create view ossature.projects as select null::text as project_id, ossature.hang_up() as name, now() as created_at',
      );
      await expect(opened.core.projects.list()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      await client.query('drop view ossature.projects');
      await client.query('alter table ossature.projects_kept rename to projects');
      await expect(opened.core.projects.list()).resolves.toEqual([]);
    }
    await client.end();
  });
});
