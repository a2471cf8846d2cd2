/** Which lessons may be merged. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { subtreeOf } from '../../domain/lessons/lesson-graph.js';
import type { ResolvedLessonSettings } from '../../domain/lessons/lesson-settings.js';
import type { LessonNeeds } from './lesson-needs.js';
import { joinedLineage } from './open-attempt.js';

/** @throws OssatureError FEATURE_OFF, INVALID_INPUT, NOT_FOUND, CYCLE, NOT_ELIGIBLE; in this order. */
export async function requireMergeable(
  { repositories }: LessonNeeds,
  lessonIds: readonly string[],
  first: Lesson,
  { values }: ResolvedLessonSettings,
): Promise<void> {
  if (!values['merge.enabled']) {
    throw new OssatureError('FEATURE_OFF', 'Merging is off: set lessons.merge.enabled to true.', {
      details: { setting: 'lessons.merge.enabled' },
    });
  }
  for (const id of lessonIds) requireUlid(id, 'lesson_id');
  const most = values['merge.max_group'];
  const distinct = new Set(lessonIds);
  if (distinct.size < lessonIds.length || distinct.size < 2 || distinct.size > most) {
    throw new OssatureError('INVALID_INPUT', `A merge takes 2 to ${most} different lessons.`, {
      details: { field: 'lesson_ids' },
    });
  }
  const lineage = await joinedLineage(repositories, lessonIds);
  for (const id of lessonIds) {
    const below = subtreeOf(lineage, id);
    const other = lessonIds.find((one) => one !== id && below.has(one));
    if (other === undefined) continue;
    throw new OssatureError('CYCLE', `Lesson ${id} stands above ${other}.`, {
      details: { above: id, below: other },
    });
  }
  const lessons = await repositories.lessons.findMany(lessonIds);
  const unfit = lessons.find(
    ({ isApex, status, projectId }) =>
      !isApex || status !== 'active' || projectId !== first.projectId,
  );
  if (unfit !== undefined) {
    throw new OssatureError(
      'NOT_ELIGIBLE',
      `Lesson ${unfit.lessonId} is no active apex of the same project.`,
      { details: { lessonId: unfit.lessonId, failing: ['not-apex'] } },
    );
  }
  const together = await repositories.episodes.countUsedTogether(lessonIds);
  if (together >= values['merge.min_co_use']) return;
  throw new OssatureError(
    'NOT_ELIGIBLE',
    `These lessons were used together ${together} times in work that succeeded, and ${values['merge.min_co_use']} are needed.`,
    { details: { lessonIds, failing: ['too-few-successes'] } },
  );
}
