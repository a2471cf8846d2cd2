/** Results of replays that do not depend on a candidate, used again while they are fresh. */
import type { StoredArm } from '../../domain/lessons/repositories.js';
import { armKey, type ReplayParts } from './replay-episode.js';

const DAY_MS = 86_400_000;

/** Stored results of these episodes with that text, or without any, as far as they are fresh enough. */
export async function findArms(
  parts: ReplayParts,
  ids: readonly string[],
  lesson: string | null,
): Promise<ReadonlyMap<string, StoredArm>> {
  const { needs, settings } = parts;
  const days = settings['replay.arm_reuse_days'];
  if (days === 0 || ids.length === 0) return new Map();
  const lessonDigest = lesson === null ? null : needs.digest(lesson);
  return needs.repositories.attempts.findArms(
    ids.map((id) => armKey(parts, id, lessonDigest, needs.digest)),
    new Date(needs.clock().getTime() - days * DAY_MS),
  );
}

/** Those of the episodes that an agent without the lesson is known to solve. */
export async function solvedWithout(
  parts: ReplayParts,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const stored = await findArms(parts, ids, null);
  return new Set(
    ids.filter(
      (id) => stored.get(armKey(parts, id, null, parts.needs.digest))?.outcome === 'passed',
    ),
  );
}
