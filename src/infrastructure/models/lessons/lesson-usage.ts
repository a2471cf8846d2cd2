import type { ModelUsage as LessonUsage } from '../../../application/lessons/ports.js';
import type { ModelUsage } from '../language-model.js';

/** What was reported, for a spread: left out where one of both figures was not. */
export function reportedUsage({ inputTokens, outputTokens }: ModelUsage): {
  readonly usage?: LessonUsage;
} {
  return inputTokens === null || outputTokens === null
    ? {}
    : { usage: { inputTokens, outputTokens } };
}
