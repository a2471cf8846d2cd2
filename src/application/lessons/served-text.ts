import type { DroppedClaim } from '../../domain/lessons/claim.js';
import { BETWEEN_PARTS } from '../../domain/lessons/pack-recall.js';

/** What an agent is shown of a lesson: its text, what experience says belongs to it, an open question. */
export function servedText({
  text,
  patches,
  question,
}: {
  readonly text: string;
  readonly patches: readonly DroppedClaim[];
  readonly question: string | null;
}): string {
  return [
    text,
    ...patches.map(({ claim }) => claim),
    ...(question === null ? [] : [question]),
  ].join(BETWEEN_PARTS);
}
