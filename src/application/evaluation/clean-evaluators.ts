/**
 * Whatever an evaluator answers is repaired and redacted before anything else is done with it: it comes
 * from a model or a host, and is stored, graded and sent on to a judge.
 */
import type { JsonValue } from '../../domain/redaction/json-value.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import type { Evaluator, Evaluators } from './ports.js';

type Ask<Request, Answer> = (request: Request, signal: AbortSignal) => Promise<Answer>;

/** @param redact null: nothing is redacted, and what is ill-formed is repaired all the same. */
export function cleanEvaluators(
  { writer, answerer, judge }: Evaluators,
  redact: Redact | null,
): Evaluators {
  const cleaner = new TextCleaner(redact ?? NO_REDACTION);
  const cleaned = <Request, Answer>(
    evaluator: Evaluator<Ask<Request, Answer>> | null,
  ): Evaluator<Ask<Request, Answer>> | null =>
    evaluator === null
      ? null
      : {
          ...evaluator,
          async work(request, signal) {
            try {
              const answer = await evaluator.work(request, signal);
              return cleaner.cleanJson(answer as JsonValue) as Answer;
            } catch (error) {
              const message = error instanceof Error ? error.message : String(error);
              throw new Error(cleaner.clean(message), { cause: error });
            }
          },
        };
  return { writer: cleaned(writer), answerer: cleaned(answerer), judge: cleaned(judge) };
}
