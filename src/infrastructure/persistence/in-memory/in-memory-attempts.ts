/** Attempts with their replays, over maps. */
import type { CompressionAttempt } from '../../../domain/lessons/attempt.js';
import type { AttemptRepository, StoredArm } from '../../../domain/lessons/repositories.js';
import { refused } from './in-memory-lesson-changes.js';
import type { LessonState } from './in-memory-lesson-state.js';
import { idsWith, paged } from './in-memory-lessons.js';

export function inMemoryAttempts(current: () => LessonState): AttemptRepository {
  const get = (attemptId: string): CompressionAttempt => {
    const attempt = current().attempts.get(attemptId);
    if (attempt !== undefined) return attempt;
    throw refused('NOT_FOUND', `There is no attempt ${attemptId}.`);
  };
  const requireRunning = (attemptId: string): void => {
    if (get(attemptId).outcome === 'running') return;
    throw refused('STALE', `Attempt ${attemptId} is closed already.`);
  };
  const all = (): readonly CompressionAttempt[] => [...current().attempts.values()];
  const isRunningOn = (lessonId: string) => (attempt: CompressionAttempt) =>
    attempt.lessonId === lessonId && attempt.outcome === 'running';

  const save = (attempt: CompressionAttempt, candidate: CompressionAttempt['candidate']): void => {
    requireRunning(attempt.attemptId);
    const saved = get(attempt.attemptId).candidate ?? candidate;
    current().attempts.set(attempt.attemptId, { ...attempt, candidate: saved });
  };

  return {
    async open(attempt) {
      if (all().some(isRunningOn(attempt.lessonId))) return false;
      current().attempts.set(attempt.attemptId, attempt);
      return true;
    },
    async renew(attempt) {
      save(attempt, attempt.candidate);
    },
    async prolong({ attemptId, leaseUntil, calls }) {
      requireRunning(attemptId);
      current().attempts.set(attemptId, { ...get(attemptId), leaseUntil, calls });
    },
    async close(attempt, replays) {
      save(attempt, null);
      current().replays.set(attempt.attemptId, replays);
    },
    lockRunning: async (attemptId) => current().attempts.get(attemptId)?.outcome === 'running',
    get: async (attemptId) => get(attemptId),
    findByPrefix: async (prefix, limit) => idsWith(current().attempts, prefix, limit),
    findRunning: async (lessonId) => all().find(isRunningOn(lessonId)) ?? null,
    listExpired: async (now, limit) =>
      all()
        .filter(
          ({ outcome, leaseUntil }) =>
            outcome === 'running' && leaseUntil.getTime() <= now.getTime(),
        )
        .sort((a, b) => (a.attemptId < b.attemptId ? -1 : 1))
        .slice(0, limit),
    list: async ({ lessonId, outcome }, page) =>
      paged(
        all()
          .filter(
            (attempt) =>
              (lessonId === undefined || attempt.sourceIds.includes(lessonId)) &&
              (outcome === undefined || attempt.outcome === outcome),
          )
          .sort((a, b) => (a.attemptId < b.attemptId ? 1 : -1)),
        page,
        ({ attemptId }) => attemptId,
        (attempt) => attempt,
      ),
    listReplays: async (attemptId) => current().replays.get(get(attemptId).attemptId) ?? [],
    lastAttemptNo: async (lessonId) =>
      all().reduce(
        (last, attempt) =>
          attempt.lessonId === lessonId && !attempt.dryRun
            ? Math.max(last, attempt.attemptNo)
            : last,
        0,
      ),
    listFailedCandidates: async (lessonId) =>
      all().flatMap(({ attemptId, dryRun, candidate, sourceIds }) => {
        if (dryRun || candidate === null || !sourceIds.includes(lessonId)) return [];
        const episodeIds = (current().replays.get(attemptId) ?? []).flatMap((replay) =>
          replay.arm === 'candidate' && replay.outcome === 'failed' ? [replay.episodeId] : [],
        );
        return episodeIds.length === 0 ? [] : [{ digest: candidate.digest, episodeIds }];
      }),
    async findArms(armKeys, since) {
      const wanted = new Set(armKeys);
      const found = new Map<string, StoredArm>();
      const stored = [...current().replays.values()]
        .flat()
        .filter(
          ({ armKey, startedAt, outcome, reused }) =>
            wanted.has(armKey) &&
            !reused &&
            outcome !== 'unreadable' &&
            startedAt.getTime() >= since.getTime(),
        )
        .sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
      for (const { armKey, outcome, reason, missing } of stored) {
        found.set(armKey, { armKey, outcome, reason, missing });
      }
      return found;
    },
  };
}
