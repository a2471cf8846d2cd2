/** The scenarios of lessons on Postgres. */
import { afterAll, expect, it } from '@jest/globals';
import { describeLessonScenarios } from '../../application/lessons/lesson-scenarios.js';
import { type LessonsOnPostgres, openLessonsOnPostgres } from './lessons-on-postgres.js';

let opened: Promise<LessonsOnPostgres> | undefined;
afterAll(async () => (await opened)?.close());

describeLessonScenarios(() => (opened ??= openLessonsOnPostgres()));

it('S26: no column of any table holds what looked like a key in the scenarios before', async () => {
  const { dataSource } = await (opened ??= openLessonsOnPostgres());
  const tables = await dataSource.query<{ name: string }[]>(
    `select table_name as name from information_schema.tables where table_schema = 'ossature'`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await dataSource.query<{ row: string }[]>(
      `select to_jsonb(t)::text as row from ossature."${name}" t`,
    );
    rows.push(...found.map(({ row }) => row));
  }
  expect(rows.filter((row) => row.includes('[redacted:anthropic-key'))).not.toEqual([]);
  expect(rows.filter((row) => /sk-ant-a1B2/.test(row))).toEqual([]);
});
