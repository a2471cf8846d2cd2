/** A store of lessons on a database of its own, in which every project that is named exists. */
import { DataSource } from 'typeorm';
import type {
  LessonRepositories,
  LessonStore,
} from '../../../src/application/lessons/lesson-store.js';
import { createTypeormStore } from '../../../src/infrastructure/persistence/typeorm/typeorm-store.js';
import { createTestDatabase } from '../../support/postgres.js';

export interface LessonsOnPostgres extends LessonStore {
  readonly dataSource: DataSource;
  readonly url: string;
  close(): Promise<void>;
}

export async function openLessonsOnPostgres(): Promise<LessonsOnPostgres> {
  const database = await createTestDatabase();
  const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  const store = createTypeormStore(dataSource, 'ossature');
  await store.administration.migrator.migrate();
  const { lessons } = store;

  const known = new Set<string | null>([null]);
  const makeProject = async (projectId: string | null): Promise<void> => {
    if (known.has(projectId)) return;
    await dataSource.query(
      `insert into ossature.projects values ($1, $1, now()) on conflict do nothing`,
      [projectId],
    );
    known.add(projectId);
  };
  const withProjects = (bound: LessonRepositories): LessonRepositories => ({
    ...bound,
    lessons: {
      ...bound.lessons,
      append: async (changes, at) => {
        for (const change of changes) {
          if (change.kind === 'lesson-added') await makeProject(change.lesson.projectId);
        }
        await bound.lessons.append(changes, at);
      },
    },
    episodes: {
      ...bound.episodes,
      insert: async (episode) => {
        await makeProject(episode.projectId);
        await bound.episodes.insert(episode);
      },
    },
    descents: {
      ...bound.descents,
      insert: async (descent) => {
        await makeProject(descent.projectId);
        await bound.descents.insert(descent);
      },
    },
    lessonPolicies: {
      ...bound.lessonPolicies,
      set: async (projectId, overrides) => {
        await makeProject(projectId);
        await bound.lessonPolicies.set(projectId, overrides);
      },
      change: async (projectId, given, without) => {
        await makeProject(projectId);
        await bound.lessonPolicies.change(projectId, given, without);
      },
    },
  });
  return {
    repositories: withProjects(lessons.repositories),
    unitOfWork: (work) => lessons.unitOfWork((bound) => work(withProjects(bound))),
    lock: lessons.lock,
    dataSource,
    url: database.url,
    close: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
