/** Every repository of lessons over one state, and the lock of one process. */
import type { LessonLock, LessonRepositories } from '../../../application/lessons/lesson-store.js';
import { inMemoryAttempts } from './in-memory-attempts.js';
import {
  inMemoryDescents,
  inMemoryLessonPolicies,
  inMemoryServings,
} from './in-memory-descents.js';
import { inMemoryEpisodes } from './in-memory-episodes.js';
import type { LessonState } from './in-memory-lesson-state.js';
import { inMemoryLessons } from './in-memory-lessons.js';

export function inMemoryLessonRepositories(current: () => LessonState): LessonRepositories {
  return {
    lessons: inMemoryLessons(current),
    episodes: inMemoryEpisodes(current),
    attempts: inMemoryAttempts(current),
    descents: inMemoryDescents(current),
    servings: inMemoryServings(current),
    lessonPolicies: inMemoryLessonPolicies(current),
  };
}

export function createInMemoryLessonLock(): LessonLock {
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
