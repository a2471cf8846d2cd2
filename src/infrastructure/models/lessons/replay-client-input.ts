/** What the process of one replay is told on stdin, as JSON. */
import type { HttpModelOptions } from '../http-language-model.js';

export interface ReplayClientInput {
  readonly endpoint: Pick<HttpModelOptions, 'baseUrl' | 'model' | 'apiKey'>;
  readonly system: string;
  readonly text: string;
  readonly timeoutMs: number;
}

/** Exit code of that process where the model answered, but cut, filtered or with nothing. */
export const MODEL_UNREADABLE_EXIT = 3;
