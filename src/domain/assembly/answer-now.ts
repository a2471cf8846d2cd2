/** Answers of a host's part that has to answer at once. */

/**
 * The answer as it is. A promise is no answer, and nobody waits for it: a later rejection of it would end
 * the host's process.
 */
export function answerNow<Answer>(answer: Answer): Answer {
  if (answer instanceof Promise) answer.catch(() => undefined);
  return answer;
}
