import type { LanguageModel } from './language-model.js';
import { modelUnavailable } from './model-failure.js';

/** Called before any work, so that what cannot be done writes nothing. @throws OssatureError MODEL_UNAVAILABLE. */
export function requireLanguageModel(model: LanguageModel | null): LanguageModel {
  if (model !== null) return model;
  throw modelUnavailable(
    'no-model',
    'This needs a language model, and there is none. Set OSSATURE_MODEL and OSSATURE_MODEL_BASE_URL; a program gives `languageModel` or `config.model` to createOssature.',
    undefined,
  );
}
