import { describe, expect, it } from '@jest/globals';
import {
  configFromEnv,
  type OssatureConfigInput,
  parseConfig,
} from '../../../src/infrastructure/config/config.js';

const MODEL = { baseUrl: 'https://api.example.com/v1', model: 'small' };
const ENV = {
  OSSATURE_MODEL: 'small',
  OSSATURE_MODEL_BASE_URL: 'https://api.example.com/v1',
};

describe('the model among the settings', () => {
  it('may be left out', () => {
    expect(parseConfig()).not.toHaveProperty('model');
  });

  it('is taken as it is given', () => {
    const model = { ...MODEL, apiKey: 'sk-1', windowTokens: 128_000 };

    expect(parseConfig({ model }).model).toEqual(model);
  });

  // prettier-ignore
  it.each<{ rule: string; model: unknown; field: string }>([
    { rule: 'no address',          model: { model: 'small' },                             field: 'baseUrl' },
    { rule: 'no name',             model: { baseUrl: MODEL.baseUrl },                     field: 'model' },
    { rule: 'an address that is none', model: { ...MODEL, baseUrl: 'api.example.com' },   field: 'baseUrl' },
    { rule: 'a password in it',    model: { ...MODEL, baseUrl: 'https://me:pw@host/v1' }, field: 'baseUrl' },
    { rule: 'a name of two lines', model: { ...MODEL, model: 'a\nb' },                    field: 'model' },
    { rule: 'a blank key',         model: { ...MODEL, apiKey: ' ' },                      field: 'apiKey' },
    { rule: 'a window too small',  model: { ...MODEL, windowTokens: 10 },                 field: 'windowTokens' },
    { rule: 'a word unknown',      model: { ...MODEL, temperature: 1 },                   field: 'temperature' },
    { rule: 'null',                model: null,                                           field: '' },
    { rule: 'a name alone',        model: 'small',                                        field: 'model' },
  ])('is INVALID_CONFIG with $rule', ({ model, field }) => {
    expect(() => parseConfig({ model } as OssatureConfigInput)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', details: { field } }),
    );
  });

  it.each([
    { rule: 'a key', model: { ...MODEL, apiKey: 'sk secret' } },
    { rule: 'an address', model: { ...MODEL, baseUrl: 'https://me:secret@host' } },
  ])('is refused without repeating $rule', ({ model }) => {
    expect(() => parseConfig({ model })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });
});

describe('the model in the environment', () => {
  it('needs an address: no endpoint is taken for granted', () => {
    expect(configFromEnv(ENV).config.model).toEqual(MODEL);
    expect(configFromEnv({}).config).not.toHaveProperty('model');
  });

  it('may have a key and a window', () => {
    const env = { ...ENV, OSSATURE_MODEL_API_KEY: 'sk-1', OSSATURE_MODEL_WINDOW_TOKENS: '32000' };

    expect(configFromEnv(env).config.model).toEqual({
      ...MODEL,
      apiKey: 'sk-1',
      windowTokens: 32_000,
    });
  });

  it.each([
    { rule: 'the name alone', env: { OSSATURE_MODEL: 'small' }, field: 'OSSATURE_MODEL_BASE_URL' },
    {
      rule: 'the address alone',
      env: { OSSATURE_MODEL_BASE_URL: MODEL.baseUrl },
      field: 'OSSATURE_MODEL',
    },
    {
      rule: 'an address that is none',
      env: { ...ENV, OSSATURE_MODEL_BASE_URL: 'example' },
      field: 'OSSATURE_MODEL_BASE_URL',
    },
    {
      rule: 'a window that is no number',
      env: { ...ENV, OSSATURE_MODEL_WINDOW_TOKENS: 'large' },
      field: 'OSSATURE_MODEL_WINDOW_TOKENS',
    },
  ])('is INVALID_CONFIG with $rule', ({ env, field }) => {
    expect(() => configFromEnv(env)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', details: { field } }),
    );
  });

  it('is none of an endpoint where it is offline', () => {
    expect(configFromEnv({ ...ENV, OSSATURE_MODEL: 'offline' }).config).not.toHaveProperty('model');
  });
});
