/** A check that needs no judge, drawn from an episode that went well. */
import type { EpisodeCheck } from './episode.js';
import { exactValues } from './exact-values.js';
import type { Lesson } from './lesson.js';

/** The exact values that the used lessons and the accepted summary share; null: none. */
export function harvestCheck(
  used: readonly Lesson[],
  acceptedSummary: string | null,
): EpisodeCheck | null {
  const known = new Set(used.flatMap(({ body }) => exactValues(body)));
  const values = exactValues(acceptedSummary ?? '').filter((value) => known.has(value));
  return values.length === 0 ? null : { type: 'contains', values };
}
