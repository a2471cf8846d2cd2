/** The store of lessons on Postgres keeps every rule of its contract, and its tables hold what is stated. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import {
  createTypeormStore,
  type TypeormLessonStore,
} from '../../../src/infrastructure/persistence/typeorm/typeorm-store.js';
import { adding, aLesson } from '../../contracts/lesson-values.js';
import { NOW } from '../../contracts/sample-values.js';
import { describeLessonStore } from '../../contracts/testing.js';
import { LESSON_COLUMNS_BY_TABLE, LESSON_TABLES } from './lesson-tables.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

let database: TestDatabase;
let dataSource: DataSource;
let lessons: TypeormLessonStore;
beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  const store = createTypeormStore(dataSource, 'ossature');
  await store.administration.migrator.migrate();
  ({ lessons } = store);
}, 60_000);
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('the store of lessons on Postgres', () => {
  describeLessonStore({ describe, it }, () => lessons);

  it('holds a lesson for this process alone, over all of them', async () => {
    const other = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    const elsewhere = createTypeormStore(other, 'ossature').lessons;
    try {
      const inside = await lessons.lock('a lesson', async () => [
        await elsewhere.lock('a lesson', async () => 'both'),
        await elsewhere.lock('another', async () => 'another'),
      ]);
      expect(inside).toEqual({
        held: true,
        result: [{ held: false }, { held: true, result: 'another' }],
      });
      expect(await elsewhere.lock('a lesson', async () => 'after')).toMatchObject({ held: true });
    } finally {
      await other.destroy();
    }
  });
});

/** Columns whose names are words of SQL, or whose fields are. */
const OTHERWISE_NAMED: Readonly<Record<string, string>> = {
  claim_values: 'values',
  mechanical_check: 'check',
  start_at: 'start',
  end_at: 'end',
  ending: 'end',
};

describe('an export with lessons', () => {
  it('fills another store with the same rows, whose events go on from there', async () => {
    const other = await createTestDatabase();
    const target = await new DataSource({ type: 'postgres', url: other.url }).initialize();
    try {
      const lesson = aLesson();
      const { lessonId } = lesson;
      const seen = { count: 1, firstSeenAt: NOW, lastSeenAt: NOW };
      const hint = { source: 'complaint', claimIds: [], episodeId: null, addedAt: NOW } as const;
      await lessons.unitOfWork(async (bound) => {
        await bound.lessons.append(
          [
            adding(lesson),
            { kind: 'spans-set', lessonId, spans: [{ text: 'x', start: 0, end: 1, ...seen }] },
            { kind: 'hints-set', lessonId, hints: [{ text: 'x', ...hint }] },
          ],
          NOW,
        );
        const shown = {
          sessionId: 'moved',
          version: 1,
          form: 'body',
          turn: 0,
          servedAt: NOW,
        } as const;
        await bound.servings.put([{ ...shown, lessonId }]);
      });
      const lines: string[] = [];
      const { rows } = await createTypeormStore(dataSource, 'ossature').administration.exportStore(
        (line) => void lines.push(line),
      );
      const store = createTypeormStore(target, 'ossature');
      await store.administration.migrator.migrate();
      const imported = await store.administration.importStore(Readable.from(lines));
      expect(imported.rows).toEqual(rows);
      expect(LESSON_TABLES.filter((table) => (rows[table] ?? 0) === 0)).toEqual([]);
      const { lessons: before } = store.lessons.repositories;
      const last = (await lessons.repositories.lessons.listEvents(0, 10_000)).at(-1)?.seq ?? 0;
      await store.lessons.unitOfWork((bound) => bound.lessons.append([adding(aLesson())], NOW));
      expect(await before.listEvents(last, 10)).toHaveLength(1);
    } finally {
      await target.destroy();
      await other.drop();
    }
  });
});

describe('the tables of lessons', () => {
  it.each(Object.entries(LESSON_COLUMNS_BY_TABLE))(
    '%s has the columns that are stated, each named as its field',
    async (table, [mapped, filled]) => {
      const found = await dataSource.query<readonly { readonly name: string }[]>(
        `select column_name as name from information_schema.columns
         where table_schema = 'ossature' and table_name = $1`,
        [table],
      );
      const stated = [...Object.keys(mapped), ...filled];
      expect(found.map(({ name }) => name).sort()).toEqual(stated.sort());
      for (const [column, [, field]] of Object.entries(mapped)) {
        const inCamelCase = column.replace(/_([a-z])/g, (_all, letter: string) =>
          letter.toUpperCase(),
        );
        expect(field).toBe(OTHERWISE_NAMED[column] ?? inCamelCase);
      }
    },
  );

  const refusing: readonly (readonly [string, string])[] = [
    ['the text of a level-0 lesson is never rewritten', `update ossature.lessons set body = 'x'`],
    ['no lesson is deleted', 'delete from ossature.lessons'],
    ['no event is changed', `update ossature.lesson_events set kind = 'x'`],
    ['no event is deleted', 'delete from ossature.lesson_events'],
    ['no earlier text is deleted', 'delete from ossature.lesson_texts'],
    ['no edge is deleted', 'delete from ossature.lesson_edges'],
    ['no episode is changed', `update ossature.episodes set prompt = 'x'`],
    ['a closed attempt stays', `update ossature.compression_attempts set passed = 0`],
    ['no replay is changed', `update ossature.replay_results set outcome = 'passed'`],
    ['successes and failures are attempts', 'update ossature.lessons set attempts = attempts + 1'],
    ['an apex is told truly', 'update ossature.lessons set is_apex = not is_apex'],
    ['a holder has the claim', `update ossature.dropped_claims set claim_ids = '{c99}'`],
    ['a holder stands below', 'update ossature.dropped_claims set holder_id = lesson_id'],
    ['a level fits its edges', 'update ossature.lesson_edges set parent_level = 5'],
    ['tables are not emptied', 'truncate ossature.lessons cascade'],
  ];
  it.each(refusing)('see to it that %s', async (_rule, statement) => {
    await expect(dataSource.query(statement)).rejects.toThrow(
      /violates|stay as they are|apex|have the claim|is not below/,
    );
  });
});
