/** Lessons over maps, with the transactions and the lock that a store gives. */
import {
  createInMemoryLessonLock,
  inMemoryLessonRepositories,
} from '../../src/infrastructure/persistence/in-memory/in-memory-lesson-store.js';
import {
  copyOfLessons,
  emptyLessons,
} from '../../src/infrastructure/persistence/in-memory/in-memory-lesson-state.js';
import type { LessonStore } from './lesson-world.js';

export function inMemoryLessonStore(): LessonStore {
  let committed = emptyLessons();
  let last: Promise<unknown> = Promise.resolve();
  return {
    repositories: inMemoryLessonRepositories(() => committed),
    unitOfWork: (work) => {
      const run = last.then(async () => {
        const draft = copyOfLessons(committed);
        const result = await work(inMemoryLessonRepositories(() => draft));
        committed = draft;
        return result;
      });
      last = run.catch(() => {});
      return run;
    },
    lock: createInMemoryLessonLock(),
  };
}
