/** How useful each way down would be, by a model that sees them all at once. */
import { z } from 'zod';
import type { RankDescent, RankRequest } from '../../../application/lessons/ports.js';
import type { LanguageModel } from '../language-model.js';
import { askModel } from './ask-model.js';

/** Changed with every change of the words below: results are told apart by it. */
const PROMPT_VERSION = 'descent-ranking/1';

const INSTRUCTION = [
  'An agent was given a short lesson and failed at the task. Each option below is a piece of knowledge that could be added.',
  'For every option say in usefulness, from 0 (beside the point) to 1 (supplies exactly what was missing), how much it would help with this task after this failure. Judge what an option says, not its length. Most options deserve 0.',
  'Name each option once, by its label.',
].join('\n');

export function promptedDescentRanking(model: LanguageModel): RankDescent {
  return {
    identity: `${model.name} ${PROMPT_VERSION}`,
    async rank({ prompt, diagnosis, options }, signal) {
      const labels = new Set(options.map(({ label }) => label));
      const { value } = await askModel(model, {
        instruction: INSTRUCTION,
        input: {
          TASK: prompt,
          FAILURE: failureText(diagnosis),
          OPTIONS: options.map(({ label, text }) => `[${label}] ${text}`).join('\n\n'),
        },
        schema: z.object({
          scores: z.array(z.object({ label: z.string(), usefulness: z.number().min(0).max(1) })),
        }),
        signal,
        check: ({ scores }) => {
          const named = new Set(scores.map(({ label }) => label));
          const unknown = scores.find(({ label }) => !labels.has(label));
          if (unknown !== undefined) return `there is no option ${unknown.label}`;
          if (named.size < scores.length) return 'an option was named twice';
          return named.size < labels.size ? 'an option was left out' : null;
        },
      });
      const usefulness = new Map(value.scores.map((each) => [each.label, each.usefulness]));
      return options.map(({ label }) => usefulness.get(label) ?? 0);
    },
  };
}

function failureText({ category, missing, wrongStep }: RankRequest['diagnosis']): string {
  return [
    ...(category === null ? [] : [`kind: ${category}`]),
    ...missing.map((each) => `missing: ${each}`),
    ...(wrongStep === null ? [] : [`wrong step: ${wrongStep}`]),
  ].join('\n');
}
