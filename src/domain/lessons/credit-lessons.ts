/** What a use says of each lesson that was served, and what that changes. */
import type { CheckedUse } from './check-use.js';
import { withNewEvidence } from './eligibility.js';
import type { EpisodeOutcome, LessonUse, UseReceipt } from './episode.js';
import type { Lesson } from './lesson.js';
import type { LessonChange } from './lesson-event.js';

export type Credit = LessonUse & {
  /** Why nothing is credited; null: something is. */
  readonly reason: UseReceipt['notCredited'][number]['reason'] | null;
};

/** @param before lessons that an earlier use of the same session credited; a session's end credits each once. */
export function creditLessons(
  { served, used, corrected }: CheckedUse,
  outcome: EpisodeOutcome,
  before: ReadonlySet<string>,
): readonly Credit[] {
  return served.map((lessonId) => {
    const isUsed = used?.includes(lessonId) === true;
    const isCorrected = corrected.includes(lessonId);
    const base = {
      lessonId,
      used: isUsed,
      corrected: isCorrected,
      succeeded: false,
      credited: false,
    };
    if (used === null) return { ...base, reason: 'no-verdict' };
    if (used.length === 0) return { ...base, reason: 'nothing-helped' };
    if (!isUsed) return { ...base, reason: 'not-used' };
    if (before.has(lessonId)) return { ...base, reason: 'already-credited' };
    if (outcome === 'unknown' && !isCorrected) return { ...base, reason: 'outcome-unknown' };
    const succeeded = outcome === 'success' && !isCorrected;
    return { ...base, succeeded, credited: true, reason: null };
  });
}

/** @param hasSpan whether a span of the lesson was seen working. */
export function creditChanges(
  lesson: Lesson,
  uses: readonly Credit[],
  episodeId: string,
  hasSpan: boolean,
  now: Date,
): readonly LessonChange[] {
  const { lessonId } = lesson;
  const use = uses.find((one) => one.lessonId === lessonId);
  const credited = use?.credited === true;
  const succeeded = use?.succeeded === true;
  const changes: LessonChange[] = [
    {
      kind: 'stats-added',
      lessonId,
      delta: {
        shown: 1,
        ...(credited
          ? {
              successes: Number(succeeded),
              failures: Number(!succeeded),
              savedTokens: lesson.level0Tokens - lesson.tokens,
              lastUsedAt: now,
            }
          : {}),
      },
    },
  ];
  if (succeeded) changes.push({ kind: 'coverage-added', lessonId, episodeIds: [episodeId] });
  if (succeeded || hasSpan) {
    const compression = withNewEvidence(lesson.compression);
    changes.push({ kind: 'compression-state-set', lessonId, compression });
  }
  return changes;
}
