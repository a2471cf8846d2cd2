/**
 * A client of a language model, as our adapters need it. No recipe calls it: recipes have ports of their
 * own, which the adapters of this folder answer by asking a model. It is the usual thing a host brings.
 */

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface ModelRequest {
  /** What the model is to do. Ours alone: nothing quoted from elsewhere stands in it. */
  readonly system: string;
  /** In order, the first and the last from `user`. Quoted material is delimited and called data. */
  readonly messages: readonly ModelMessage[];
  /** `json`: one JSON object is wanted; a client that can hold the model to that does so. */
  readonly format: 'json' | 'text';
  /** Tokens of the answer at most. Left out: as many as the model gives. */
  readonly maxOutputTokens?: number;
}

/** As reported by whoever ran the model; null: not reported. */
export interface ModelUsage {
  readonly inputTokens: number | null;
  /** Part of `inputTokens` that was read from a cache. */
  readonly cachedInputTokens: number | null;
  /** With the tokens spent on thinking. */
  readonly outputTokens: number | null;
}

/**
 * Why the answer ends. `length`: it was cut; `filtered`: withheld or declined, wholly or in part;
 * `error`: broken off by a fault; `other`: anything else, and where nothing was said.
 */
export type FinishReason = 'stop' | 'length' | 'filtered' | 'error' | 'other';

export interface ModelAnswer {
  readonly text: string;
  readonly usage: ModelUsage;
  readonly finishReason: FinishReason;
}

/**
 * Port: one question, one answer. Called several times at once, never inside a transaction. An answer that
 * was cut or filtered is returned with its reason, not thrown.
 *
 * Once the signal is aborted, it ends soon with MODEL_UNAVAILABLE; who calls waits no longer than that.
 *
 * @throws OssatureError MODEL_UNAVAILABLE: nothing came, whoever asks again later may be luckier;
 * MODEL_UNREADABLE: something came that is no answer. Neither holds a key or a word of the request. Any
 * other error counts as MODEL_UNAVAILABLE.
 */
export interface LanguageModel {
  /** Recorded as the producer of what comes of an answer, `model:<name>`. */
  readonly name: string;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}
