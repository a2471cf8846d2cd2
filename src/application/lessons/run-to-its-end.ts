/** Whatever happens to the work of an attempt, the attempt is closed. */
import { OssatureError } from '../../domain/kernel/errors.js';
import { Aborted } from './ask-model.js';
import type { AttemptRun } from './attempt-run.js';
import { type AttemptEnd, type ClosedAttempt, closeAttempt } from './close-attempt.js';

/** Runs the work and closes the attempt by what it gave; what it throws closes it as abandoned. */
export async function runToItsEnd(
  run: AttemptRun,
  work: () => Promise<AttemptEnd>,
): Promise<ClosedAttempt> {
  try {
    return await closeAttempt(run, await work());
  } catch (error) {
    const abandoned: AttemptEnd = {
      outcome: 'abandoned',
      reason: null,
      details: { because: error instanceof Aborted ? 'aborted' : 'broken off' },
      gate: null,
      accepted: null,
    };
    const isTakenAway = OssatureError.is(error, 'STALE');
    if (error instanceof Aborted || isTakenAway) return closeAttempt(run, abandoned);
    await closeAttempt(run, abandoned).catch((fault: unknown) => {
      // The store is out of reach: the lease runs out, and the next worker closes the attempt.
      run.needs.log.warn('lesson.attempt-not-closed', { fault: String(fault) });
    });
    throw error;
  }
}
