/** Descents, servings and policies of lessons, over maps. */
import type {
  DescentRepository,
  LessonPolicyRepository,
  ServingRepository,
} from '../../../domain/lessons/repositories.js';
import { refused } from './in-memory-lesson-changes.js';
import { keyOf, type LessonState } from './in-memory-lesson-state.js';
import { idsWith } from './in-memory-lessons.js';

export function inMemoryDescents(current: () => LessonState): DescentRepository {
  const get = (descentId: string) => {
    const descent = current().descents.get(descentId);
    if (descent !== undefined) return descent;
    throw refused('NOT_FOUND', `There is no descent ${descentId}.`);
  };
  return {
    async insert(descent) {
      current().descents.set(descent.descentId, descent);
    },
    lock: async (descentId) => get(descentId),
    get: async (descentId) => get(descentId),
    findByPrefix: async (prefix, limit) => idsWith(current().descents, prefix, limit),
    async update(descent, steps) {
      const known = new Map(get(descent.descentId).steps.map((step) => [step.step, step]));
      for (const step of steps) known.set(step.step, step);
      current().descents.set(descent.descentId, {
        ...descent,
        steps: [...known.values()].sort((a, b) => a.step - b.step),
      });
    },
  };
}

export function inMemoryServings(current: () => LessonState): ServingRepository {
  return {
    find: async (sessionId, lessonIds) =>
      lessonIds.flatMap((lessonId) => current().servings.get(keyOf(sessionId, lessonId)) ?? []),
    async put(servings) {
      for (const serving of servings) {
        current().servings.set(keyOf(serving.sessionId, serving.lessonId), serving);
      }
    },
    async clear(sessionId) {
      const { servings } = current();
      const gone = [...servings].filter(([, serving]) => serving.sessionId === sessionId);
      for (const [key] of gone) servings.delete(key);
      return gone.length;
    },
  };
}

export function inMemoryLessonPolicies(current: () => LessonState): LessonPolicyRepository {
  return {
    get: async (projectId) => current().lessonPolicies.get(projectId ?? '') ?? {},
    async set(projectId, overrides) {
      current().lessonPolicies.set(projectId ?? '', overrides);
    },
    async change(projectId, given, without) {
      const kept = Object.entries(current().lessonPolicies.get(projectId ?? '') ?? {}).filter(
        ([key]) => !without.some((each) => each === key),
      );
      current().lessonPolicies.set(projectId ?? '', { ...Object.fromEntries(kept), ...given });
    },
  };
}
