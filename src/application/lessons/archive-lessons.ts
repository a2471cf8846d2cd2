/** Takes lessons out of service, unless one that stays needs them as holders. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { LessonSummary } from '../../domain/lessons/lesson.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { changeStanding } from '../../domain/lessons/lesson-graph.js';
import type { LessonNeeds } from './lesson-needs.js';
import { joinedLineage } from './open-attempt.js';

/** @throws OssatureError HOLDER_IN_USE, INVALID_ID, NOT_FOUND. */
export async function archiveLessons(
  needs: LessonNeeds,
  lessonIds: readonly string[],
): Promise<readonly LessonSummary[]> {
  for (const id of lessonIds) requireUlid(id, 'lesson_id');
  return needs.unitOfWork(async (repositories) => {
    const { lessons } = repositories;
    await lessons.lock(lessonIds);
    const lineage = await joinedLineage(repositories, lessonIds);
    const gone = new Set(lessonIds);
    const staying = lineage.lessons.filter(
      ({ lessonId, status }) => !gone.has(lessonId) && status !== 'archived',
    );
    const ledgers = await lessons.ledgers(staying.map((one) => one.lessonId));
    const usedBy = [...ledgers].flatMap(([id, { dropped }]) =>
      dropped.some(({ holderId }) => gone.has(holderId)) ? [id] : [],
    );
    if (usedBy.length > 0) {
      throw new OssatureError(
        'HOLDER_IN_USE',
        `What was dropped is still held there, for ${usedBy.join(', ')}. Archive those, too.`,
        { details: { usedBy } },
      );
    }
    const archived = { status: 'archived' as const, demotedBecause: null };
    const changes = changeStanding(lineage, new Map([...gone].map((id) => [id, archived])));
    await lessons.append(changes, needs.clock());
    return lessons.findMany(lessonIds);
  });
}
