/** Episodes and uses over maps. */
import { isReplayable, type RegressionEntry } from '../../../domain/lessons/episode.js';
import { subtreeOf } from '../../../domain/lessons/lesson-graph.js';
import type { EpisodeRepository } from '../../../domain/lessons/repositories.js';
import { found as foundLesson, refused } from './in-memory-lesson-changes.js';
import { keyOf, type LessonState } from './in-memory-lesson-state.js';

export function inMemoryEpisodes(current: () => LessonState): EpisodeRepository {
  const get = (episodeId: string) => {
    const episode = current().episodes.get(episodeId);
    if (episode !== undefined) return episode;
    throw refused('NOT_FOUND', `There is no episode ${episodeId}.`);
  };
  return {
    async insert(episode) {
      const { episodes } = current();
      if (episodes.has(episode.episodeId)) {
        throw refused('STORE_FAILED', `The id ${episode.episodeId} is already stored.`);
      }
      episodes.set(episode.episodeId, episode);
    },
    get: async (episodeId) => get(episodeId),
    getMany: async (ids) => ids.map(get),
    findByPrefix: async (prefix, limit) =>
      [...current().episodes.keys()]
        .filter((id) => id.startsWith(prefix))
        .sort()
        .slice(0, limit),
    findUse: async (useKey) => current().uses.find((use) => use.useKey === useKey) ?? null,
    async insertUse(use) {
      const { uses } = current();
      get(use.episodeId);
      if (use.useKey !== null && uses.some(({ useKey }) => useKey === use.useKey)) {
        throw refused('ALREADY_EXISTS', `The key ${use.useKey} recorded a use before.`);
      }
      uses.push(use);
    },
    async findCredited(sessionId, lessonIds) {
      const credited = new Set(
        current()
          .uses.filter((use) => use.sessionId === sessionId)
          .flatMap(({ lessons }) => lessons.flatMap((one) => (one.credited ? [one.lessonId] : []))),
      );
      return lessonIds.filter((id) => credited.has(id));
    },
    async regressionSet(lessonId, limit) {
      const state = current();
      const entries = regressionEntries(
        state,
        subtreeOf(state, foundLesson(state, lessonId).lessonId),
      );
      if (entries.length <= limit) return entries;
      const newest = [...entries]
        .sort(
          (a, b) =>
            b.createdAt.getTime() - a.createdAt.getTime() || (a.episodeId < b.episodeId ? 1 : -1),
        )
        .slice(0, limit);
      return [...new Set([...entries.filter(({ stickyAt }) => stickyAt !== null), ...newest])];
    },
    listCovered: async (lessonId) => current().coverage.get(lessonId) ?? [],
    async listMarks(lessonId, episodeId) {
      const below = subtreeOf(current(), lessonId);
      return [...current().marks.values()].filter(
        (mark) =>
          below.has(mark.lessonId) && (episodeId === undefined || mark.episodeId === episodeId),
      );
    },
    async countUsedTogether(lessonIds) {
      const { uses, episodes } = current();
      return uses.filter(
        ({ episodeId, lessons }) =>
          episodes.get(episodeId)?.outcome === 'success' &&
          lessonIds.every((id) =>
            lessons.some((one) => one.lessonId === id && one.used && !one.corrected),
          ),
      ).length;
    },
  };
}

/** The regression set of a subtree, by id. */
export function regressionEntries(
  state: LessonState,
  subtree: ReadonlySet<string>,
): readonly RegressionEntry[] {
  const ties = new Map<string, Set<string>>();
  const tie = (episodeId: string, lessonId: string): void => {
    const tied = ties.get(episodeId) ?? new Set();
    ties.set(episodeId, tied.add(lessonId));
  };
  for (const lessonId of subtree) {
    for (const episodeId of state.coverage.get(lessonId) ?? []) tie(episodeId, lessonId);
  }
  for (const { episodeId, lessons } of state.uses) {
    for (const { lessonId, used, corrected } of lessons) {
      if (used && !corrected && subtree.has(lessonId)) tie(episodeId, lessonId);
    }
  }
  return [...ties]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([episodeId, tied]) => {
      const episode = state.episodes.get(episodeId);
      if (episode === undefined || !isReplayable(episode)) return [];
      const [highest] = [...tied].sort(
        (a, b) => foundLesson(state, b).level - foundLesson(state, a).level || (a < b ? -1 : 1),
      );
      const marks = [...subtree].flatMap((lessonId) =>
        (['sticky', 'exposed', 'quarantined'] as const).flatMap(
          (kind) => state.marks.get(keyOf(lessonId, episodeId, kind)) ?? [],
        ),
      );
      const stickyTimes = marks.flatMap(({ kind, markedAt }) =>
        kind === 'sticky' ? [markedAt.getTime()] : [],
      );
      return [
        {
          episodeId,
          axis: episode.axis,
          createdAt: episode.createdAt,
          tiedTo: highest ?? '',
          stickyAt: stickyTimes.length === 0 ? null : new Date(Math.max(...stickyTimes)),
          exposed: marks.some(({ kind }) => kind === 'exposed'),
          quarantined: marks.some(
            ({ kind, lessonId, sourceDigest }) =>
              kind === 'quarantined' && foundLesson(state, lessonId).bodyDigest === sourceDigest,
          ),
        },
      ];
    });
}
