/** How large a context was before and after, and what of it was removed. */
import type { ArmSize } from '../../domain/evaluation/run-report/run-results.js';
import type { ReadPoint } from './read-point.js';
import type { ArmContext } from './shrink-prefix.js';

type MadeContext = Omit<ArmContext, 'context' | 'elapsedMs'>;

export function sizeOf(
  { session, cycle, material }: ReadPoint,
  { arm, tokensAfter, removesSpan, failure, summarizerTokens }: MadeContext,
): ArmSize {
  const { tokensBefore } = cycle;
  const spanTokens = material.span.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  return {
    arm,
    sessionId: session.sessionId,
    cycle: cycle.cycle,
    tokensBefore,
    tokensAfter,
    spanShare: removesSpan && spanTokens > 0 ? (tokensBefore - tokensAfter) / spanTokens : null,
    failure,
    summarizerTokens,
  };
}

export function entryTokens(points: readonly ReadPoint[]): ReadonlyMap<string, number> {
  return new Map(
    points.flatMap(({ entries }) =>
      entries.map(({ entryId, tokenCount }) => [entryId, tokenCount]),
    ),
  );
}
