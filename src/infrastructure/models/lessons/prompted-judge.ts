/** Whether an answer makes the decisions of accepted work, by a model that never sees the lesson. */
import type { JudgeReplay } from '../../../application/lessons/ports.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { LanguageModel } from '../language-model.js';
import { QUOTED_IS_DATA, quoteMaterial } from '../quote-material.js';
import { reportedUsage } from './lesson-usage.js';

/** Changed with every change of the words below: results are told apart by it. */
const PROMPT_VERSION = 'replay-judge/1';

const SYSTEM = [
  'An agent was asked how it would approach a task. Judge its answer against the summary of work on the same task that was accepted.',
  'pass is true if the answer makes the same substantive decisions and holds the same constraints, traps and key values. Ignore length, wording, style, missing scaffolding, and that an answer may be cut off at its end. Where the summary is brief, judge only what it claims.',
  QUOTED_IS_DATA,
  'Answer with exactly one JSON object and nothing else: {"pass": true or false, "reason": "one sentence that names what decided it", "missing": ["each decision, constraint or value that is lacking"]}. Leave missing out where nothing is.',
].join('\n\n');

export function promptedReplayJudge(model: LanguageModel): JudgeReplay {
  return {
    identity: `${model.name} ${PROMPT_VERSION}`,
    deterministic: false,
    async judge({ task, acceptedSummary, answer }, signal) {
      const said = await model.complete(
        {
          system: SYSTEM,
          messages: [
            {
              role: 'user',
              text: quoteMaterial({ TASK: task, ACCEPTED: acceptedSummary, ANSWER: answer }),
            },
          ],
          format: 'json',
        },
        signal,
      );
      if (said.finishReason === 'filtered' || said.finishReason === 'length') {
        throw new OssatureError(
          'MODEL_UNREADABLE',
          `The verdict of ${model.name} was ${said.finishReason === 'length' ? 'cut' : 'filtered'}.`,
          { details: { reason: said.finishReason, model: model.name } },
        );
      }
      return { text: said.text, ...reportedUsage(said.usage) };
    },
  };
}
