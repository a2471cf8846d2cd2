/** Which lessons apply to a task, by a model that sees titles and gists alone. */
import { z } from 'zod';
import type { JudgeRelevance } from '../../../application/lessons/ports.js';
import type { LanguageModel } from '../language-model.js';
import { askModel } from './ask-model.js';

/** Changed with every change of the words below: results are told apart by it. */
const PROMPT_VERSION = 'lesson-relevance/1';

const INSTRUCTION = [
  'An agent is about to begin the quoted task. Each lesson is known by its title and by a line that says when it applies.',
  'For every lesson say in relevance, from 0 to 1, how sure you are that it applies to this task, and in reason, in at most 15 words, why. A shared word is no reason: its situation must be the one of the task.',
  'Name each lesson once, by its number.',
].join('\n');

export function promptedLessonRelevance(model: LanguageModel): JudgeRelevance {
  return {
    identity: `${model.name} ${PROMPT_VERSION}`,
    async judge({ prompt, lessons }, signal) {
      const { value } = await askModel(model, {
        instruction: INSTRUCTION,
        input: {
          TASK: prompt,
          LESSONS: lessons
            .map(({ title, gist }, index) => `${index + 1}. ${title}\n   ${gist}`)
            .join('\n'),
        },
        schema: z.object({
          lessons: z.array(
            z.object({
              number: z.int().min(1).max(lessons.length),
              relevance: z.number().min(0).max(1),
              reason: z.string(),
            }),
          ),
        }),
        signal,
        check: (answer) => {
          const named = new Set(answer.lessons.map(({ number }) => number));
          if (named.size < answer.lessons.length) return 'a lesson was named twice';
          return named.size < lessons.length ? 'a lesson was left out' : null;
        },
      });
      return value.lessons.flatMap(({ number, relevance, reason }) => {
        const lesson = lessons[number - 1];
        return lesson === undefined ? [] : [{ lessonId: lesson.lessonId, relevance, reason }];
      });
    },
  };
}
