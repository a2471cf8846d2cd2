import { describe, expect, it } from '@jest/globals';
import { chooseSample, holdsOut } from '../../../src/domain/lessons/regression-sample.js';
import type { RegressionEntry } from '../../../src/domain/lessons/episode.js';
import { sha256 } from '../../../src/infrastructure/system/node-system.js';

const IDS = Array.from({ length: 12 }, (_, at) => `e${String(at + 1).padStart(2, '0')}`);

const entry = (episodeId: string, fields: Partial<RegressionEntry> = {}): RegressionEntry => ({
  episodeId,
  axis: null,
  createdAt: new Date(0),
  tiedTo: 'n_retry',
  stickyAt: null,
  exposed: false,
  quarantined: false,
  ...fields,
});

const sampleOf = (
  attemptNo: number,
  set: readonly RegressionEntry[],
  holdoutFraction = 0,
  known: ReadonlySet<string> = new Set(),
) => chooseSample({ lessonId: 'n_retry', attemptNo, set, size: 5, holdoutFraction, known }, sha256);

describe('chooseSample', () => {
  const set = IDS.map((id) => entry(id));

  it.each([
    [1, 'e04 e07 e10 e03 e12'],
    [2, 'e08 e06 e01 e10 e04'],
  ])('S16, P10: attempt %d takes %s, whatever the order of arrival', (attemptNo, wanted) => {
    for (const arrived of [set, [...set].reverse()]) {
      expect(sampleOf(attemptNo, arrived).inSample.join(' ')).toBe(wanted);
    }
  });

  it('S16: what failed before is in every later sample', () => {
    const failed = set.map((one) =>
      one.episodeId === 'e02' ? { ...one, stickyAt: new Date(1) } : one,
    );

    expect(sampleOf(2, failed).inSample.join(' ')).toBe('e02 e08 e06 e01 e10');
  });

  it('sticky episodes alone may make it larger, up to twice its size', () => {
    const failed = set.map((one, at) => ({ ...one, stickyAt: new Date(at) }));

    expect(sampleOf(1, failed).inSample).toEqual([...IDS].reverse().slice(0, 10));
  });

  it('each stratum comes before a second of any', () => {
    const strata = set.map((one) => (one.episodeId === 'e11' ? { ...one, axis: 'rare' } : one));

    expect(sampleOf(1, strata).inSample).toContain('e11');
  });

  it('a set that is no larger is taken whole', () => {
    expect(sampleOf(1, set.slice(0, 5)).inSample).toHaveLength(5);
  });

  it('what an agent knows anyway comes last', () => {
    const known = new Set(['e04', 'e07']);

    expect(sampleOf(1, set, 0, known).inSample.slice(0, 3).join(' ')).toBe('e10 e03 e12');
  });

  it('quarantined episodes are out', () => {
    const flaky = set.map((one) => (one.episodeId === 'e04' ? { ...one, quarantined: true } : one));

    expect(sampleOf(1, flaky).inSample).not.toContain('e04');
  });

  it.each([
    [0.2, 'e03'],
    [0.3, 'e01 e03 e09'],
  ])('S17: a share of %d holds out %s', (fraction, wanted) => {
    const plan = sampleOf(1, set, fraction);

    expect(IDS.filter((id) => holdsOut(id, fraction, sha256)).join(' ')).toBe(wanted);
    expect(plan.inSample.join(' ')).toBe('e04 e07 e10 e12 e06');
    expect([...plan.heldOut].sort().join(' ')).toBe(wanted);
  });

  it('an exposed episode is in the sample from then on', () => {
    const exposed = set.map((one) => (one.episodeId === 'e03' ? { ...one, exposed: true } : one));

    expect(sampleOf(1, exposed, 0.2)).toMatchObject({ heldOut: [], split: true });
  });

  it('with too few left nothing is held out, and what would have been is shown to nobody', () => {
    const few = set.filter(({ episodeId }) => ['e01', 'e03', 'e09', 'e02'].includes(episodeId));
    const plan = sampleOf(1, few, 0.3);

    expect(plan).toMatchObject({ split: false, heldOut: [] });
    expect([...plan.unshown].sort()).toEqual(['e01', 'e03', 'e09']);
  });
});
