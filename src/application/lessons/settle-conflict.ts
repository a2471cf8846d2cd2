/** Two lessons contradict each other: a person says which of them stays. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { LessonConflict } from '../../domain/lessons/evidence.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { changeStanding } from '../../domain/lessons/lesson-graph.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';

export interface SettleRequest {
  readonly conflictId: string;
  /** One of the two lessons, or `both`. */
  readonly keep: string;
  readonly note?: string;
}

/** @throws OssatureError INVALID_ID, NOT_FOUND, CONFLICT_CLOSED, HOLDER_IN_USE. */
export async function settleConflict(
  needs: LessonNeeds,
  request: SettleRequest,
): Promise<LessonConflict> {
  const { conflictId, keep } = request;
  requireUlid(conflictId, 'conflict_id');
  const { values } = await settingsFor(needs, null, undefined);
  const note = cleanerOf(needs, values['privacy.redact'])
    .clean(request.note ?? '')
    .trim();
  return needs.unitOfWork(async ({ lessons }) => {
    const found = await lessons.findConflict(conflictId);
    if (found === null) {
      throw new OssatureError('NOT_FOUND', `There is no conflict ${conflictId}.`);
    }
    await lessons.lock(found.lessonIds);
    const conflict = (await lessons.findConflict(conflictId)) ?? found;
    if (conflict.status === 'closed') {
      throw new OssatureError('CONFLICT_CLOSED', `Conflict ${conflictId} was settled before.`, {
        details: { conflictId },
      });
    }
    const kept = keep === 'both' ? conflict.lessonIds : [keep];
    if (!kept.every((id) => conflict.lessonIds.includes(id))) {
      throw new OssatureError(
        'NOT_FOUND',
        `keep must be both, ${conflict.lessonIds[0]} or ${conflict.lessonIds[1]}.`,
        { details: { field: 'keep' } },
      );
    }
    const now = needs.clock();
    const closed: LessonConflict = {
      ...conflict,
      status: 'closed',
      kept,
      note: note === '' ? null : note,
      closedAt: now,
    };
    const open = await lessons.findOpenConflicts(conflict.lessonIds);
    const stillDisputed = new Set(
      open.flatMap((one) => (one.conflictId === conflictId ? [] : one.lessonIds)),
    );
    for (const lessonId of conflict.lessonIds) {
      const lineage = await lessons.lineage(lessonId);
      const isKept = kept.includes(lessonId);
      const standing = isKept
        ? { status: 'active' as const, demotedBecause: null }
        : { status: 'archived' as const, demotedBecause: null };
      const wanted = isKept ? [lessonId] : lineage.lessons.map((one) => one.lessonId);
      const changes =
        isKept && stillDisputed.has(lessonId)
          ? []
          : changeStanding(lineage, new Map(wanted.map((id) => [id, standing])));
      await lessons.append(changes, now);
    }
    await lessons.append([{ kind: 'conflict-closed', conflict: closed }], now);
    return closed;
  });
}
