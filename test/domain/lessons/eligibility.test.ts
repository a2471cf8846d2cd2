import { describe, expect, it } from '@jest/globals';
import {
  cooldownSeconds,
  eligibility,
  withNewEvidence,
} from '../../../src/domain/lessons/eligibility.js';
import { type Lesson, NEVER_COMPRESSED, NO_STATS } from '../../../src/domain/lessons/lesson.js';
import { DEFAULT_LESSON_SETTINGS } from '../../../src/domain/lessons/lesson-settings.js';

const NOW = new Date('2026-03-29T01:30:00.000Z');

type Rules = Pick<Lesson, 'status' | 'isApex' | 'level' | 'stats' | 'tokens' | 'compression'>;

const SOUND: Rules = {
  status: 'active',
  isApex: true,
  level: 0,
  tokens: 32,
  stats: { ...NO_STATS, attempts: 2, successes: 2 },
  compression: NEVER_COMPRESSED,
};

const after = (seconds: number, rejections = 1) => ({
  compression: {
    ...NEVER_COMPRESSED,
    rejections,
    lastAttemptAt: new Date(NOW.getTime() - seconds * 1_000),
  },
});

describe('eligibility', () => {
  it.each<readonly [string, Partial<Rules>, readonly string[]]>([
    ['a proven apex', {}, []],
    ['one success', { stats: { ...NO_STATS, successes: 1 } }, ['too-few-successes']],
    [
      'shown often, used once',
      { stats: { ...NO_STATS, shown: 5, successes: 1 } },
      ['too-few-successes'],
    ],
    ['level 5', { level: 5 }, []],
    ['level 6', { level: 6 }, ['max-level']],
    ['a live parent', { isApex: false }, ['not-apex']],
    ['disputed', { status: 'disputed' }, ['not-active']],
    ['demoted', { status: 'demoted', isApex: false }, ['not-active', 'not-apex']],
    ['superseded', { status: 'superseded', isApex: false }, ['not-active', 'not-apex']],
    ['archived', { status: 'archived', isApex: false }, ['not-active', 'not-apex']],
    ['31 tokens', { tokens: 31 }, ['too-small']],
    ['tried 899 s ago', after(899), ['cooling-down']],
    ['tried 900 s ago', after(900), []],
    ['tried in the future, by a clock that ran backwards', after(-60), ['cooling-down']],
    ['rejected twice, 1,799 s ago', after(1_799, 2), ['cooling-down']],
    ['rejected twice, 1,800 s ago', after(1_800, 2), []],
    ['saturated', { compression: { ...NEVER_COMPRESSED, saturated: true } }, ['saturated']],
  ])('S2: %s: %j fails %j', (_case, changed, failing) => {
    const verdict = eligibility({ ...SOUND, ...changed }, 1, DEFAULT_LESSON_SETTINGS, NOW);

    expect(verdict).toMatchObject({ failing, eligible: failing.length === 0 });
  });

  it('S2: without an episode to replay nothing is compressed', () => {
    expect(eligibility(SOUND, 0, DEFAULT_LESSON_SETTINGS, NOW).failing).toEqual(['no-episodes']);
  });

  it.each([
    [0, 900],
    [1, 900],
    [2, 1_800],
    [3, 3_600],
    [4, 7_200],
    [7, 57_600],
    [8, 86_400],
    [1_000, 86_400],
  ])('after %d rejections in a row it waits %d s', (rejections, seconds) => {
    expect(cooldownSeconds(rejections, DEFAULT_LESSON_SETTINGS)).toBe(seconds);
  });

  it('new evidence ends streak and saturation, and not the wait itself', () => {
    const tired = { ...NEVER_COMPRESSED, rejections: 5, saturated: true, lastAttemptAt: NOW };

    expect(withNewEvidence(tired)).toEqual({
      ...tired,
      rejections: 0,
      saturated: false,
      evidence: 1,
    });
  });

  it.each(['UTC', 'America/New_York', 'Asia/Tokyo'])(
    'P15: the zone of the process, %s, plays no part',
    (zone) => {
      const before = process.env['TZ'];
      process.env['TZ'] = zone;
      try {
        const verdicts = [899, 900].map((seconds) =>
          eligibility({ ...SOUND, ...after(seconds) }, 1, DEFAULT_LESSON_SETTINGS, NOW),
        );
        expect(verdicts.map(({ eligible }) => eligible)).toEqual([false, true]);
      } finally {
        if (before === undefined) delete process.env['TZ'];
        else process.env['TZ'] = before;
      }
    },
  );
});
