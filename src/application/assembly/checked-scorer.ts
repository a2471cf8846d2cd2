/** Holds a scorer of the host's to its port: a score in 0..1 for each fragment, and no throw. */
import { answerNow } from '../../domain/assembly/answer-now.js';
import { failureMessage } from '../../domain/assembly/failure-message.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';

/** The scorer; what it breaks is a STAGE_BREACH whose `details.stage` is `relevance`. */
export function checkedScorer(score: FragmentScorer): FragmentScorer {
  return (goal, fragments) => {
    const scores = called(() => score(goal, fragments)) as Partial<ArrayLike<unknown>> | undefined;
    if (scores?.length !== fragments.length) {
      throw breach(`did not give one score for each of ${fragments.length} fragments`);
    }
    const given = scores as ArrayLike<number>;
    for (let at = 0; at < given.length; at += 1) {
      const one = given[at];
      if (typeof one !== 'number' || !(one >= 0 && one <= 1)) {
        throw breach(`gave fragment ${at} a score that is no number from 0 to 1`, { index: at });
      }
    }
    return given as ReturnType<FragmentScorer>;
  };
}

function called(score: () => unknown): unknown {
  try {
    return answerNow(score());
  } catch (error) {
    throw breach(`threw: ${failureMessage(error, 'no error')}`, {}, error);
  }
}

function breach(broken: string, details: object = {}, cause?: unknown): OssatureError {
  return new OssatureError(
    'STAGE_BREACH',
    `The fragment scorer ${broken}. Nothing was made: mend it, or leave fragmentScorer out to use ours.`,
    { details: { stage: 'relevance', ...details }, cause },
  );
}
