import { describe, expect, it } from '@jest/globals';
import {
  parseLessonSettings,
  parseStoredSettings,
  resolveLessonSettings,
} from '../../../src/domain/lessons/lesson-settings.js';

describe('settings of lessons', () => {
  it('a value equal to its default is not stored', () => {
    expect(
      parseStoredSettings({ 'compression.max_ratio': 0.75, 'compression.regression_k': 4 }),
    ).toEqual({ 'compression.regression_k': 4 });
  });

  it('a default that is asked for stands against a weaker layer', () => {
    const call = parseLessonSettings({
      'compression.max_ratio': 0.75,
      'compression.control': true,
    });
    const { values, origins } = resolveLessonSettings([
      { origin: 'call', settings: call },
      {
        origin: 'environment',
        settings: parseLessonSettings({
          'compression.max_ratio': 0.5,
          'compression.control': false,
        }),
      },
    ]);

    expect([values['compression.max_ratio'], values['compression.control']]).toEqual([0.75, true]);
    expect(origins).toEqual({ 'compression.max_ratio': 'call', 'compression.control': 'call' });
  });

  it.each([
    ['an unknown key', { 'compression.ratio': 0.5 }, 'lessons.compression.ratio'],
    ['a ratio above 1', { 'compression.max_ratio': 1.5 }, 'from 0.01 to 1'],
    ['no number', { 'compression.max_ratio': Number.NaN }, 'from 0.01 to 1'],
    ['a fraction of an episode', { 'compression.regression_k': 2.5 }, 'from 1 to 100'],
    ['another word', { 'compression.baseline': 'never' }, 'one of on-failure, always, off'],
    ['a list', [], 'must be an object'],
  ])('%s is refused by name and range', (_case, given, message) => {
    expect(() => parseLessonSettings(given)).toThrow(message);
    expect(() => parseLessonSettings(given)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    );
  });

  it.each(['replay.command', 'replay.env_allow', 'privacy.redact'])(
    'nothing stored may set %s',
    (key) => {
      const given = { 'replay.command': 'rm', 'replay.env_allow': ['A'], 'privacy.redact': false };
      const value = given[key as keyof typeof given];
      expect(() => parseStoredSettings({ [key]: value })).toThrow('by the host or the environment');
      expect(parseLessonSettings({ [key]: value })).toEqual({ [key]: value });
    },
  );

  it('call goes before project, environment, host and default, and each value tells its origin', () => {
    const { values, origins } = resolveLessonSettings([
      { origin: 'call', settings: { 'compression.regression_k': 1 } },
      {
        origin: 'project',
        settings: { 'compression.regression_k': 2, 'compression.max_level': 3 },
      },
      { origin: 'environment', settings: { 'compression.max_level': 4 } },
      { origin: 'host', settings: { 'compression.max_level': 5, 'recall.fanout': 6 } },
    ]);

    expect([
      values['compression.regression_k'],
      values['compression.max_level'],
      values['recall.fanout'],
      values['compression.max_ratio'],
    ]).toEqual([1, 3, 6, 0.75]);
    expect(origins).toEqual({
      'compression.regression_k': 'call',
      'compression.max_level': 'project',
      'recall.fanout': 'host',
    });
  });
});
