import { describe, expect, it } from '@jest/globals';
import { OssatureError } from '../../../../src/domain/kernel/errors.js';
import { windowOfModel } from '../../../../src/domain/session/pass/model-windows.js';
import {
  type PassSettingsInput,
  resolveSettings,
} from '../../../../src/domain/session/pass/settings.js';

function faultOf(given: PassSettingsInput, model: string | null = 'claude-sonnet-4-5'): string {
  try {
    resolveSettings(given, model);
    return 'accepted';
  } catch (error) {
    return OssatureError.is(error, 'INVALID_CONFIG') ? error.message : 'another error';
  }
}

describe('resolveSettings', () => {
  it('takes the window of the model and fills in what is left out', () => {
    const { settings, notes } = resolveSettings({}, 'claude-sonnet-4-5');
    expect(notes).toEqual([]);
    expect(settings).toMatchObject({
      windowTokens: 200_000,
      outputReserveTokens: 32_000,
      usableTokens: 168_000,
      fillTokens: 126_000,
      drainTokens: 67_200,
      keepTurns: 8,
      keepTokens: 20_000,
      summaryTokens: 6_000,
      oversizeTokens: 16_800,
      previewCharacters: 2_000,
      summarizerWindowTokens: 60_000,
      minFreedTokens: null,
      hysteresisTokens: 8_400,
      strategy: 'auto',
      fallback: 'offline',
      triggers: [['sliding_window']],
    });
  });

  it('holds its own ceilings in a tiny window', () => {
    expect(resolveSettings({ windowTokens: 4_000 }, null).settings).toMatchObject({
      outputReserveTokens: 800,
      usableTokens: 3_200,
      summaryTokens: 800,
      oversizeTokens: 320,
      summarizerWindowTokens: 2_000,
    });
  });

  it('bounds a summarizer request by half of the window of its own model', () => {
    const { settings } = resolveSettings({}, 'gpt-4.1', 16_000);
    expect(settings.summarizerWindowTokens).toBe(8_000);
  });

  // prettier-ignore
  it.each([
    { field: 'window_tokens',            given: { windowTokens: 999 } },
    { field: 'window_tokens',            given: { windowTokens: Number.NaN } },
    { field: 'output_reserve_tokens',    given: { outputReserveTokens: 100_001 } },
    { field: 'fill_line',                given: { fillLine: 0.96 } },
    { field: 'fill_line',                given: { fillLine: 0.09 } },
    { field: 'drain_line',               given: { drainLine: 0.66 } },
    { field: 'drain_line',               given: { drainLine: 0.04 } },
    { field: 'drain_line',               given: { fillLine: 0.12, drainLine: 0.12 } },
    { field: 'boundary_line',            given: { boundaryLine: 0.8 } },
    { field: 'keep_turns',               given: { keepTurns: 0 } },
    { field: 'keep_tokens',              given: { keepTokens: 1.5 } },
    { field: 'slide_turns',              given: { slideTurns: 0 } },
    { field: 'summary_tokens',           given: { summaryTokens: 42_001 } },
    { field: 'oversize_tokens',          given: { oversizeTokens: 0 } },
    { field: 'preview_characters',       given: { previewCharacters: 1 } },
    { field: 'summarizer_window_tokens', given: { summarizerWindowTokens: 100_001 } },
    { field: 'min_freed_tokens',         given: { minFreedTokens: 0 } },
    { field: 'hysteresis_tokens',        given: { hysteresisTokens: -1 } },
    { field: 'strategy',                 given: { strategy: 'best' as 'auto' } },
    { field: 'max_model_retries',        given: { maxModelRetries: -1 } },
    { field: 'pass_timeout_ms',          given: { passTimeoutMs: 0 } },
    { field: 'triggers',                 given: { triggers: [] } },
    { field: 'triggers',                 given: { triggers: [[]] } },
    { field: 'triggers',                 given: { triggers: [['never' as 'importance']] } },
  ])('refuses $given and names $field', ({ field, given }) => {
    expect(faultOf(given)).toMatch(new RegExp(`^${field} must be`));
  });

  it('accepts a drain line exactly a tenth below the fill line', () => {
    expect(faultOf({ fillLine: 0.75, drainLine: 0.65 })).toBe('accepted');
  });

  it('notes a fill line outside of the usual', () => {
    expect(resolveSettings({ fillLine: 0.5, windowTokens: 10_000 }, null).notes).toHaveLength(1);
    expect(resolveSettings({ fillLine: 0.8, windowTokens: 10_000 }, null).notes).toEqual([]);
  });

  it('asks for the window of a model that it does not know, naming the flag', () => {
    expect(faultOf({}, 'my-model')).toContain('--window N');
    expect(faultOf({}, null)).toContain('--window N');
  });

  // prettier-ignore
  it.each([
    { agent: 'parent',    model: 'claude-opus-4-1[1m]', fillTokens: 726_000 },
    { agent: 'sub-agent', model: 'claude-haiku-4-5',    fillTokens: 126_000 },
    { agent: 'reviewer',  model: 'gpt-4o-mini',         fillTokens: 76_800 },
    { agent: 'teammate',  model: 'openai/gpt-5.1',      fillTokens: 276_000 },
  ])('$agent counts with the window of $model', ({ model, fillTokens }) => {
    expect(resolveSettings({}, model).settings.fillTokens).toBe(fillTokens);
  });
});

describe('windowOfModel', () => {
  // prettier-ignore
  it.each([
    { model: 'us.anthropic.claude-sonnet-4-20250514-v1:0', window: 200_000 },
    { model: 'gpt-4-0613',                                 window: 8_192 },
    { model: 'GPT-4o-2024-08-06',                          window: 128_000 },
    { model: 'o1-2024-12-17',                              window: 200_000 },
    { model: 'o10',                                        window: null },
    { model: 'models/gemini-2.5-pro',                      window: 1_048_576 },
    { model: 'gpt-40',                                     window: null },
    { model: '',                                           window: null },
  ])('$model has $window', ({ model, window }) => {
    expect(windowOfModel(model)).toBe(window);
  });
});
