/** The levels of one piece of advice as a graph: what stands below, what above, what is served. */
import { LIVE, type Lesson, type LessonStatus, SERVABLE } from './lesson.js';
import type { LessonChange } from './lesson-event.js';
import type { Lineage } from './repositories.js';

export function childrenOf({ edges }: Pick<Lineage, 'edges'>, lessonId: string) {
  return edges.flatMap(({ childId, parentId }) => (parentId === lessonId ? [childId] : []));
}

export function parentsOf({ edges }: Pick<Lineage, 'edges'>, lessonId: string) {
  return edges.flatMap(({ childId, parentId }) => (childId === lessonId ? [parentId] : []));
}

/** The lesson and everything below it. */
export function subtreeOf(lineage: Pick<Lineage, 'edges'>, lessonId: string): ReadonlySet<string> {
  return reach(lessonId, (id) => childrenOf(lineage, id));
}

/** Everything above the lesson, itself left out. */
export function aboveOf(lineage: Pick<Lineage, 'edges'>, lessonId: string): ReadonlySet<string> {
  const all = new Set(reach(lessonId, (id) => parentsOf(lineage, id)));
  all.delete(lessonId);
  return all;
}

/** The level-0 lessons of its own subtree, ascending by id. */
export function level0Of({ lessons, edges }: Lineage, lessonId: string): readonly string[] {
  const below = subtreeOf({ edges }, lessonId);
  return lessons
    .flatMap(({ lessonId: id, level }) => (level === 0 && below.has(id) ? [id] : []))
    .sort();
}

/** Servable status, and no live parent. */
export function isApexAmong(
  { lessons, edges }: Lineage,
  lessonId: string,
  statusOf: (id: string) => LessonStatus | undefined = statuses(lessons),
): boolean {
  const status = statusOf(lessonId);
  if (status === undefined || !SERVABLE.includes(status)) return false;
  return !parentsOf({ edges }, lessonId).some((id) => LIVE.includes(statusOf(id) ?? 'archived'));
}

type Standing = Pick<Lesson, 'status' | 'demotedBecause'>;

/** The changes that give these lessons another status, and every lesson of the lineage its right flag. */
export function changeStanding(
  lineage: Lineage,
  wanted: ReadonlyMap<string, Standing>,
): readonly LessonChange[] {
  const statusOf = (id: string): LessonStatus | undefined =>
    wanted.get(id)?.status ?? lineage.lessons.find(({ lessonId }) => lessonId === id)?.status;
  return lineage.lessons.flatMap((lesson): LessonChange[] => {
    const { lessonId, status, demotedBecause } = wanted.has(lesson.lessonId)
      ? { ...lesson, ...wanted.get(lesson.lessonId) }
      : lesson;
    const isApex = isApexAmong(lineage, lessonId, statusOf);
    if (status === lesson.status && isApex === lesson.isApex) return [];
    const version = lesson.version + 1;
    return [{ kind: 'standing-changed', lessonId, status, demotedBecause, isApex, version }];
  });
}

/** An apex that failed or grew too large goes; what it superseded and nothing else stands for comes back. */
export function demote(
  lineage: Lineage,
  apexId: string,
  because: 'regressed' | 'retired',
): readonly LessonChange[] {
  const statusOf = statuses(lineage.lessons);
  const wanted = new Map<string, Standing>([
    [apexId, { status: 'demoted', demotedBecause: because }],
  ]);
  for (const childId of childrenOf(lineage, apexId)) {
    const hasOther = parentsOf(lineage, childId).some(
      (id) => id !== apexId && LIVE.includes(statusOf(id) ?? 'archived'),
    );
    if (statusOf(childId) === 'superseded' && !hasOther) {
      wanted.set(childId, { status: 'active', demotedBecause: null });
    }
  }
  return changeStanding(lineage, wanted);
}

function statuses(lessons: Lineage['lessons']) {
  const known = new Map(lessons.map(({ lessonId, status }) => [lessonId, status]));
  return (id: string): LessonStatus | undefined => known.get(id);
}

function reach(from: string, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const id of reached) for (const following of next(id)) reached.add(following);
  return reached;
}
