/** A model whose answers are given beforehand, one for each call, and which keeps what it was asked. */
import type {
  LanguageModel,
  ModelAnswer,
  ModelRequest,
} from '../../src/infrastructure/models/language-model.js';

/** A text ends with `stop`; a function is called in place of the model. */
export type ScriptedAnswer =
  | string
  | Partial<ModelAnswer>
  | ((request: ModelRequest, signal: AbortSignal) => Promise<ModelAnswer>);

export interface ScriptedModel extends LanguageModel {
  readonly requests: readonly ModelRequest[];
}

/** Each call reports 10 tokens in, of them 4 cached, and 3 out. After the last answer there is no other. */
export function scriptedModel(...answers: readonly ScriptedAnswer[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    requests,
    complete: async (request, signal) => {
      const next = answers[requests.length];
      requests.push(request);
      if (next === undefined) throw new Error('There are no more answers.');
      if (typeof next === 'function') return next(request, signal);
      return {
        text: '',
        usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3 },
        finishReason: 'stop',
        ...(typeof next === 'string' ? { text: next } : next),
      };
    },
  };
}
