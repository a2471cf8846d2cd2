/** The laws of lessons on Postgres: fewer histories than in memory, each on a database of its own. */
import { afterAll } from '@jest/globals';
import { describeLessonProperties } from '../../application/lessons/lesson-properties.js';
import { type LessonsOnPostgres, openLessonsOnPostgres } from './lessons-on-postgres.js';

/** A law looks at two stores at a time: the history's and the one that is rebuilt from its events. */
const AT_A_TIME = 2;
const opened: LessonsOnPostgres[] = [];

async function open(): Promise<LessonsOnPostgres> {
  while (opened.length >= AT_A_TIME) await opened.shift()?.close();
  const store = await openLessonsOnPostgres();
  opened.push(store);
  return store;
}

afterAll(async () => {
  for (const store of opened) await store.close();
});

describeLessonProperties(open, open, 2);
