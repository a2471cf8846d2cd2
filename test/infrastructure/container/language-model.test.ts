/** The model of a core: given, configured, or none; and what is bound to it. */
import { describe, expect, it } from '@jest/globals';
import { createOssature, type OssatureOptions, TOKENS } from '../../../src/index.js';
import { requireLanguageModel } from '../../../src/infrastructure/models/require-language-model.js';
import { scriptedModel } from '../../support/scripted-model.js';

const MODEL = { baseUrl: 'http://127.0.0.1:9/v1', model: 'configured' };

async function boundBy(options: Omit<OssatureOptions, 'store'>) {
  const core = await createOssature({ store: { kind: 'in-memory' }, ...options });
  const bound = {
    model: core.resolve(TOKENS.languageModel)?.name ?? null,
    summarizer: core.resolve(TOKENS.summarise)?.name ?? null,
    windowTokens: core.resolve(TOKENS.summarise)?.windowTokens ?? null,
    config: core.resolve(TOKENS.config).model,
  };
  await core.close();
  return bound;
}

describe('the language model of a core', () => {
  it('is none where nobody gave one', async () => {
    expect(await boundBy({})).toMatchObject({ model: null, summarizer: null });
  });

  it('is the configured one, and writes the summaries', async () => {
    expect(await boundBy({ config: { model: { ...MODEL, windowTokens: 32_000 } } })).toMatchObject({
      model: 'configured',
      summarizer: 'configured',
      windowTokens: 32_000,
    });
  });

  it('is the one of the host, before the configured one', async () => {
    const options = { config: { model: MODEL }, languageModel: scriptedModel() };

    expect(await boundBy(options)).toMatchObject({ model: 'scripted', summarizer: 'scripted' });
  });

  it('leaves the summaries to a summarizer of the host', async () => {
    const summarizer = {
      name: 'own',
      windowTokens: null,
      overheadTokens: 0,
      summarise: () => Promise.reject(new Error('not called')),
    };

    expect(await boundBy({ languageModel: scriptedModel(), summarizer })).toMatchObject({
      model: 'scripted',
      summarizer: 'own',
    });
  });

  it('keeps its key to itself', async () => {
    const { config } = await boundBy({ config: { model: { ...MODEL, apiKey: 'sk-1' } } });

    expect(config).toEqual(MODEL);
  });

  it('is MODEL_UNAVAILABLE where one is needed and there is none', () => {
    expect(() => requireLanguageModel(null)).toThrow(
      expect.objectContaining({ code: 'MODEL_UNAVAILABLE', details: { reason: 'no-model' } }),
    );
  });
});
