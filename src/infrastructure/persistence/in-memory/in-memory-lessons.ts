/** Lessons over maps. */
import { cooldownSeconds } from '../../../domain/lessons/eligibility.js';
import type { TrackRecord } from '../../../domain/lessons/evidence.js';
import {
  isCostly,
  type Lesson,
  type LessonSummary,
  posterior,
} from '../../../domain/lessons/lesson.js';
import { DEFAULT_LESSON_SETTINGS } from '../../../domain/lessons/lesson-settings.js';
import { subtreeOf } from '../../../domain/lessons/lesson-graph.js';
import type {
  ApexMatch,
  DueFilter,
  LessonRepository,
  Lineage,
  Page,
  Paged,
  Scope,
} from '../../../domain/lessons/repositories.js';
import { regressionEntries } from './in-memory-episodes.js';
import { applyChange, found } from './in-memory-lesson-changes.js';
import type { LessonState } from './in-memory-lesson-state.js';

export function inMemoryLessons(current: () => LessonState): LessonRepository {
  const all = (): readonly Lesson[] =>
    [...current().lessons.values()].sort((a, b) => (a.lessonId < b.lessonId ? -1 : 1));
  const apexes = (scope: Scope): readonly Lesson[] =>
    all().filter((lesson) => lesson.isApex && isInScope(lesson, scope));

  return {
    get: async (lessonId) => found(current(), lessonId),
    findMany: async (ids) => [...new Set(ids)].flatMap((id) => current().lessons.get(id) ?? []),
    findByPrefix: async (prefix, limit) => idsWith(current().lessons, prefix, limit),
    findByFingerprint: async (projectId, bodyFingerprint) =>
      all().find(
        (lesson) =>
          lesson.level === 0 &&
          lesson.projectId === projectId &&
          lesson.bodyFingerprint === bodyFingerprint,
      ) ?? null,
    list: async ({ scope, family, status, level, costly, apex }, page) =>
      paged(
        all().filter(
          (lesson) =>
            isInScope(lesson, scope) &&
            (family === undefined || lesson.family === family) &&
            (status === undefined || lesson.status === status) &&
            (level === undefined || lesson.level === level) &&
            (costly !== true || isCostly(lesson.stats)) &&
            (apex !== true || lesson.isApex),
        ),
        page,
        ({ lessonId }) => lessonId,
        withoutBody,
      ),
    listDue: async (filter, page) =>
      paged(
        all()
          .filter((lesson) => isDue(current(), lesson, filter))
          .sort((a, b) => b.stats.successes - a.stats.successes),
        page,
        ({ lessonId }) => lessonId,
        withoutBody,
      ),
    lineage: async (lessonId) => lineageOf(current(), found(current(), lessonId).lessonId),
    listTexts: async (lessonId) => current().texts.filter((text) => text.lessonId === lessonId),
    ledgers: async (ids) =>
      new Map(
        ids.map((id) => [
          id,
          { claims: current().claims.get(id) ?? [], dropped: current().dropped.get(id) ?? [] },
        ]),
      ),
    evidence: async (ids) =>
      new Map(
        ids.map((id) => [
          id,
          {
            spans: current().spans.get(id) ?? [],
            hints: current().hints.get(id) ?? [],
            rescues: [...current().rescues.values()].filter(({ lessonId }) => lessonId === id),
          },
        ]),
      ),
    listCovers: async (childIds) =>
      childIds.flatMap((childId) => {
        const order = (current().claims.get(childId) ?? []).map(({ claimId }) => claimId);
        return [...current().covers.values()]
          .filter((cover) => cover.childId === childId)
          .sort((a, b) => order.indexOf(a.childClaimId) - order.indexOf(b.childClaimId));
      }),
    async trackRecords(ids) {
      const wanted = new Set(ids);
      const records = new Map<string, TrackRecord>();
      for (const { lessonId, target, tries, rescues } of current().tries.values()) {
        if (!wanted.has(lessonId)) continue;
        const key = JSON.stringify(target);
        const known = records.get(key) ?? { target, tries: 0, rescues: 0 };
        records.set(key, {
          target,
          tries: known.tries + tries,
          rescues: known.rescues + rescues,
        });
      }
      return [...records.values()];
    },
    listRepairs: async (lessonId) =>
      current().repairs.filter((repair) => repair.lessonId === lessonId),
    listRepairable: async (scope, minRescues, page) =>
      paged(
        all().filter(
          (lesson) =>
            lesson.level > 0 &&
            isInScope(lesson, scope) &&
            Math.max(0, ...openRescues(current(), lesson.lessonId).values()) >= minRescues,
        ),
        page,
        ({ lessonId }) => lessonId,
        ({ lessonId }) => lessonId,
      ),
    countCompressionBugs: async (lessonId, version) =>
      current().events.filter(
        ({ change }) =>
          change.kind === 'compression-bug' &&
          change.lessonId === lessonId &&
          change.version === version,
      ).length,

    findConflict: async (conflictId) => current().conflicts.get(conflictId) ?? null,
    findOpenConflicts: async (ids) =>
      [...current().conflicts.values()].filter(
        ({ status, lessonIds }) => status === 'open' && lessonIds.some((id) => ids.includes(id)),
      ),
    listConflicts: async ({ scope, open }, page) =>
      paged(
        [...current().conflicts.values()]
          .filter(
            ({ status, lessonIds }) =>
              (open === undefined || open === (status === 'open')) &&
              lessonIds.some((id) => isInScope(found(current(), id), scope)),
          )
          .sort((a, b) => (a.conflictId < b.conflictId ? 1 : -1)),
        page,
        ({ conflictId }) => conflictId,
        (conflict) => conflict,
      ),

    async searchApexes(scope, terms) {
      const asked = new Set(terms);
      const seen = apexes(scope).map((lesson): ApexMatch => {
        const own = current().terms.get(lesson.lessonId) ?? [];
        return {
          lesson: withoutBody(lesson),
          length: own.reduce((sum, { count }) => sum + count, 0),
          terms: own.filter(({ term }) => asked.has(term)),
        };
      });
      const total = seen.reduce((sum, { length }) => sum + length, 0);
      return {
        lessonsInScope: seen.length,
        meanLength: seen.length === 0 ? 0 : total / seen.length,
        documentFrequencies: new Map(
          [...asked].map((term) => [
            term,
            seen.filter((match) => match.terms.some((one) => one.term === term)).length,
          ]),
        ),
        matches: seen.filter((match) => match.terms.length > 0),
      };
    },
    listByPosterior: async (scope, limit, except) =>
      apexes(scope)
        .filter(({ lessonId }) => !except.includes(lessonId))
        .sort((a, b) => posterior(b.stats) - posterior(a.stats))
        .slice(0, limit)
        .map(withoutBody),
    servableExtras: async (ids, limit) =>
      new Map(
        ids.map((lessonId) => {
          const state = current();
          const dropped = state.dropped.get(lessonId) ?? [];
          const lineage = new Set(lineageOf(state, lessonId).lessons.map((one) => one.lessonId));
          const rescuesOf = (fingerprint: string): number =>
            [...state.rescues.values()].filter(
              (rescue) => rescue.fingerprint === fingerprint && lineage.has(rescue.lessonId),
            ).length;
          const conflict = [...state.conflicts.values()].find(
            ({ status, lessonIds }) => status === 'open' && lessonIds.includes(lessonId),
          );
          return [
            lessonId,
            {
              lessonId,
              droppedCount: dropped.length,
              sticky: dropped
                .map((entry) => ({ ...entry, rescues: rescuesOf(entry.fingerprint) }))
                .filter(({ rescues }) => rescues > 0)
                .sort((a, b) => b.rescues - a.rescues)
                .slice(0, limit),
              question: conflict?.question ?? null,
            },
          ];
        }),
      ),

    lock: async (ids) => [...new Set(ids)].sort().map((id) => found(current(), id)),
    async append(changes, at) {
      const state = current();
      for (const change of changes) {
        applyChange(state, change, at);
        state.events.push({ seq: state.events.length + 1, at, change });
      }
    },
    listEvents: async (afterSeq, limit) => current().events.slice(afterSeq, afterSeq + limit),
  };
}

export function lineageOf(state: LessonState, lessonId: string): Lineage {
  const ids = new Set([lessonId]);
  for (const id of ids) {
    for (const { childId, parentId } of state.edges) {
      if (childId === id) ids.add(parentId);
      if (parentId === id) ids.add(childId);
    }
  }
  return {
    lessons: [...ids]
      .map((id) => withoutBody(found(state, id)))
      .sort((a, b) => a.level - b.level || (a.lessonId < b.lessonId ? -1 : 1)),
    edges: state.edges.filter(({ childId }) => ids.has(childId)),
  };
}

export function idsWith(
  held: ReadonlyMap<string, unknown>,
  prefix: string,
  limit: number,
): readonly string[] {
  return [...held.keys()]
    .filter((id) => id.startsWith(prefix))
    .sort()
    .slice(0, limit);
}

/** @param sorted in the order of the list. */
export function paged<Item, Shown>(
  sorted: readonly Item[],
  { limit, after }: Page,
  keyOfItem: (item: Item) => string,
  show: (item: Item) => Shown,
): Paged<Shown> {
  const from = after === null ? 0 : 1 + sorted.findIndex((item) => keyOfItem(item) === after);
  const items = sorted.slice(from, from + limit);
  const last = items.at(-1);
  const isMore = from + items.length < sorted.length;
  return {
    items: items.map(show),
    next: isMore && last !== undefined ? keyOfItem(last) : null,
  };
}

function withoutBody({ body: _body, ...summary }: Lesson): LessonSummary {
  return summary;
}

function isInScope({ projectId }: Pick<Lesson, 'projectId'>, scope: Scope): boolean {
  return scope === undefined || projectId === null || projectId === scope;
}

function openRescues(state: LessonState, lessonId: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const rescue of state.rescues.values()) {
    if (rescue.lessonId !== lessonId || rescue.repairId !== null) continue;
    counts.set(rescue.fingerprint, (counts.get(rescue.fingerprint) ?? 0) + 1);
  }
  return counts;
}

function isDue(state: LessonState, lesson: Lesson, filter: DueFilter): boolean {
  const { compression, stats } = lesson;
  const seconds = cooldownSeconds(compression.rejections, {
    ...DEFAULT_LESSON_SETTINGS,
    'compression.cooldown_s': filter.cooldownSeconds,
    'compression.cooldown_max_s': filter.cooldownMaxSeconds,
  });
  const { lastAttemptAt } = compression;
  return (
    isInScope(lesson, filter.scope) &&
    lesson.status === 'active' &&
    lesson.isApex &&
    lesson.level < filter.maxLevel &&
    stats.successes >= filter.minSuccesses &&
    lesson.tokens >= filter.minTokens &&
    !compression.saturated &&
    (lastAttemptAt === null || filter.now.getTime() >= lastAttemptAt.getTime() + seconds * 1_000) &&
    regressionEntries(state, subtreeOf(state, lesson.lessonId)).some(
      ({ quarantined }) => !quarantined,
    )
  );
}
