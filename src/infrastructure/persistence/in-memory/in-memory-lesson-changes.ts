/** What each event of a lesson changes, with the rules that the database enforces by constraints. */
import { OssatureError, type ErrorCode } from '../../../domain/kernel/errors.js';
import type { Lesson } from '../../../domain/lessons/lesson.js';
import { subtreeOf } from '../../../domain/lessons/lesson-graph.js';
import type { LessonChange, StatsDelta } from '../../../domain/lessons/lesson-event.js';
import { keyOf, type LessonState } from './in-memory-lesson-state.js';

export function applyChange(state: LessonState, change: LessonChange, at: Date): void {
  const { lessons } = state;
  const update = (lessonId: string, fields: (lesson: Lesson) => Partial<Lesson>): void => {
    const lesson = found(state, lessonId);
    lessons.set(lessonId, { ...lesson, ...fields(lesson), updatedAt: at });
  };
  switch (change.kind) {
    case 'lesson-added':
      requireNewLesson(state, change.lesson);
      lessons.set(change.lesson.lessonId, change.lesson);
      state.claims.set(change.lesson.lessonId, change.claims);
      state.terms.set(change.lesson.lessonId, change.terms);
      return;
    case 'edge-added':
      addEdge(state, change.edge);
      return;
    case 'standing-changed': {
      const { status, demotedBecause, isApex, version } = change;
      update(change.lessonId, () => ({ status, demotedBecause, isApex, version }));
      return;
    }
    case 'text-changed': {
      const { lessonId, text, version, claims } = change;
      const { body, tokens, bodyDigest, version: before } = found(state, lessonId);
      state.texts.push({ lessonId, version: before, body, tokens, bodyDigest, replacedAt: at });
      update(lessonId, () => ({ ...text, version }));
      state.claims.set(lessonId, claims);
      return;
    }
    case 'level0-resized':
      update(change.lessonId, () => ({ level0Tokens: change.level0Tokens }));
      return;
    case 'assurance-changed': {
      const { lessonId, provisionalBecause, passRateLowerBound } = change;
      update(lessonId, () => ({ provisionalBecause, passRateLowerBound }));
      return;
    }
    case 'manifest-set': {
      found(state, change.lessonId);
      const hasOne = new Set(change.dropped.map(({ fingerprint }) => fingerprint));
      if (hasOne.size < change.dropped.length)
        throw refused('STORE_FAILED', 'A claim is listed twice.');
      for (const { holderId } of change.dropped) found(state, holderId);
      state.dropped.set(change.lessonId, change.dropped);
      return;
    }
    case 'covers-set':
      for (const cover of change.covers) {
        state.covers.set(keyOf(cover.childId, cover.childClaimId, cover.parentId), cover);
      }
      return;
    case 'coverage-added': {
      const known = state.coverage.get(change.lessonId) ?? [];
      for (const id of change.episodeIds) {
        if (!state.episodes.has(id)) throw refused('STORE_FAILED', `There is no episode ${id}.`);
      }
      state.coverage.set(change.lessonId, [...new Set([...known, ...change.episodeIds])].sort());
      return;
    }
    case 'mark-set': {
      const { mark } = change;
      state.marks.set(keyOf(mark.lessonId, mark.episodeId, mark.kind), mark);
      return;
    }
    case 'mark-lifted':
      state.marks.delete(keyOf(change.lessonId, change.episodeId, change.mark));
      return;
    case 'spans-set':
      state.spans.set(change.lessonId, change.spans);
      return;
    case 'hints-set':
      state.hints.set(change.lessonId, change.hints);
      return;
    case 'stats-added':
      // Statistics leave `updatedAt` as it is: it tells of the text and its standing.
      lessons.set(change.lessonId, withStats(found(state, change.lessonId), change.delta));
      return;
    case 'compression-state-set': {
      const lesson = found(state, change.lessonId);
      lessons.set(change.lessonId, { ...lesson, compression: change.compression });
      return;
    }
    case 'target-tried': {
      const { lessonId, target, rescued } = change;
      const key = keyOf(lessonId, JSON.stringify(target));
      const { tries, rescues } = state.tries.get(key) ?? { tries: 0, rescues: 0 };
      state.tries.set(key, {
        lessonId,
        target,
        tries: tries + 1,
        rescues: rescues + Number(rescued),
      });
      return;
    }
    case 'rescue-recorded':
      state.rescues.set(change.rescue.rescueId, change.rescue);
      return;
    case 'repair-recorded':
      state.repairs.push(change.repair);
      for (const id of change.rescueIds) {
        const rescue = state.rescues.get(id);
        if (rescue === undefined) throw refused('STORE_FAILED', `There is no rescue ${id}.`);
        state.rescues.set(id, { ...rescue, repairId: change.repair.repairId });
      }
      return;
    case 'conflict-opened':
    case 'conflict-closed':
      state.conflicts.set(change.conflict.conflictId, change.conflict);
      return;
    case 'attempt-ended':
    case 'compression-bug':
    case 'knowledge-gap':
      return;
  }
}

export function found(state: LessonState, lessonId: string): Lesson {
  const lesson = state.lessons.get(lessonId);
  if (lesson !== undefined) return lesson;
  throw refused('NOT_FOUND', `There is no lesson ${lessonId}. List the lessons to see them.`);
}

export function refused(code: ErrorCode, message: string): OssatureError {
  return new OssatureError(code, message);
}

function requireNewLesson(state: LessonState, lesson: Lesson): void {
  if (state.lessons.has(lesson.lessonId)) {
    throw refused('STORE_FAILED', `The id ${lesson.lessonId} is already stored.`);
  }
  if (lesson.level > 0) return;
  const twin = [...state.lessons.values()].find(
    (other) =>
      other.level === 0 &&
      other.projectId === lesson.projectId &&
      other.bodyFingerprint === lesson.bodyFingerprint,
  );
  if (twin !== undefined) {
    throw refused('ALREADY_EXISTS', `Lesson ${twin.lessonId} has this text already.`);
  }
}

function addEdge(state: LessonState, edge: LessonState['edges'][number]): void {
  const child = found(state, edge.childId);
  const parent = found(state, edge.parentId);
  const fits =
    edge.childLevel === child.level &&
    edge.parentLevel === parent.level &&
    (edge.kind === 'compression'
      ? edge.parentLevel === edge.childLevel + 1
      : edge.parentLevel > edge.childLevel);
  if (!fits) {
    throw refused(
      'LEVEL_RULE',
      `An edge from level ${edge.childLevel} to ${edge.parentLevel} breaks the rule of levels.`,
    );
  }
  if (subtreeOf(state, edge.childId).has(edge.parentId)) {
    throw refused('CYCLE', `Lesson ${edge.parentId} stands below ${edge.childId}.`);
  }
  const hasTwin = state.edges.some(
    ({ childId, parentId }) =>
      childId === edge.childId &&
      (parentId === edge.parentId || state.lessons.get(parentId)?.bodyDigest === parent.bodyDigest),
  );
  if (hasTwin) throw refused('ALREADY_EXISTS', 'The source has been given this text before.');
  state.edges.push(edge);
}

function withStats(lesson: Lesson, delta: StatsDelta): Lesson {
  const { successes = 0, failures = 0, shown = 0, expansions = 0, rescues = 0 } = delta;
  const { stats } = lesson;
  return {
    ...lesson,
    stats: {
      shown: stats.shown + shown,
      attempts: stats.attempts + successes + failures,
      successes: stats.successes + successes,
      failures: stats.failures + failures,
      expansions: stats.expansions + expansions,
      rescues: stats.rescues + rescues,
      savedTokens: stats.savedTokens + (delta.savedTokens ?? 0),
      addedTokens: stats.addedTokens + (delta.addedTokens ?? 0),
      lastUsedAt: delta.lastUsedAt ?? stats.lastUsedAt,
    },
  };
}
