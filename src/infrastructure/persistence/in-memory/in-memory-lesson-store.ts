/** Every repository of lessons over one state, and the lock of one process. */
import type {
  LessonLock,
  LessonRepositories,
  LessonStore,
  LessonUnitOfWork,
} from '../../../application/lessons/lesson-store.js';
import { inMemoryAttempts } from './in-memory-attempts.js';
import {
  inMemoryDescents,
  inMemoryLessonPolicies,
  inMemoryServings,
} from './in-memory-descents.js';
import { inMemoryEpisodes } from './in-memory-episodes.js';
import { copyOfLessons, emptyLessons, type LessonState } from './in-memory-lesson-state.js';
import { inMemoryLessons } from './in-memory-lessons.js';

/** One transaction at a time, on a copy that is swapped in when it succeeds. */
export function createInMemoryLessonStore(): LessonStore {
  let committed = emptyLessons();
  let last: Promise<unknown> = Promise.resolve();
  const unitOfWork: LessonUnitOfWork = (work) => {
    const run = last.then(async () => {
      const draft = copyOfLessons(committed);
      const result = await work(inMemoryLessonRepositories(() => draft));
      committed = draft;
      return result;
    });
    last = run.catch(() => {});
    return run;
  };
  const reading = inMemoryLessonRepositories(() => committed);
  return {
    unitOfWork,
    lock: createInMemoryLessonLock(),
    repositories: withWritesInTurn(reading, unitOfWork),
  };
}

/** A write outside of any transaction is one of its own, so that a copy under way cannot overwrite it. */
function withWritesInTurn(
  reading: LessonRepositories,
  unitOfWork: LessonUnitOfWork,
): LessonRepositories {
  const { episodes, attempts, descents, servings, lessonPolicies } = reading;
  return {
    ...reading,
    episodes: {
      ...episodes,
      insert: (...given) => unitOfWork((all) => all.episodes.insert(...given)),
      insertUse: (...given) => unitOfWork((all) => all.episodes.insertUse(...given)),
    },
    attempts: {
      ...attempts,
      open: (...given) => unitOfWork((all) => all.attempts.open(...given)),
      renew: (...given) => unitOfWork((all) => all.attempts.renew(...given)),
      prolong: (...given) => unitOfWork((all) => all.attempts.prolong(...given)),
      close: (...given) => unitOfWork((all) => all.attempts.close(...given)),
    },
    descents: {
      ...descents,
      insert: (...given) => unitOfWork((all) => all.descents.insert(...given)),
      update: (...given) => unitOfWork((all) => all.descents.update(...given)),
    },
    servings: {
      ...servings,
      put: (...given) => unitOfWork((all) => all.servings.put(...given)),
      clear: (...given) => unitOfWork((all) => all.servings.clear(...given)),
    },
    lessonPolicies: {
      ...lessonPolicies,
      set: (...given) => unitOfWork((all) => all.lessonPolicies.set(...given)),
      change: (...given) => unitOfWork((all) => all.lessonPolicies.change(...given)),
    },
  };
}

function inMemoryLessonRepositories(current: () => LessonState): LessonRepositories {
  return {
    lessons: inMemoryLessons(current),
    episodes: inMemoryEpisodes(current),
    attempts: inMemoryAttempts(current),
    descents: inMemoryDescents(current),
    servings: inMemoryServings(current),
    lessonPolicies: inMemoryLessonPolicies(current),
  };
}

function createInMemoryLessonLock(): LessonLock {
  const held = new Set<string>();
  return async (lessonId, work) => {
    if (held.has(lessonId)) return { held: false };
    held.add(lessonId);
    try {
      return { held: true, result: await work() };
    } finally {
      held.delete(lessonId);
    }
  };
}
