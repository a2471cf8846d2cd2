/** Questions of lessons whose answer is checked JSON: what is not answered is thrown, as the ports want it. */
import type { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { askForJson } from '../ask-for-json.js';
import type { LanguageModel, ModelUsage } from '../language-model.js';
import type { Material } from '../quote-material.js';

export interface ModelQuestion<Value> {
  readonly instruction: string;
  readonly input: Material;
  readonly schema: z.ZodType<Value>;
  readonly signal: AbortSignal;
  readonly check?: (value: Value) => string | null;
}

/** @throws OssatureError MODEL_UNAVAILABLE, MODEL_UNREADABLE. */
export async function askModel<Value>(
  model: LanguageModel,
  question: ModelQuestion<Value>,
): Promise<{ readonly value: Value; readonly usage: ModelUsage }> {
  // One call: an attempt counts its calls, and a second one would hide the first answer from its record.
  const answer = await askForJson(model, { ...question, tries: 1 });
  if (answer.outcome === 'answered') return { value: answer.value, usage: answer.usage };
  const { reason, message, error } = answer;
  throw (
    error ??
    new OssatureError('MODEL_UNREADABLE', message, { details: { reason, model: model.name } })
  );
}
