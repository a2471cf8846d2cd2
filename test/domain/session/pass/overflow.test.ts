import { describe, expect, it } from '@jest/globals';
import {
  array,
  assert as assertProperty,
  constantFrom,
  integer,
  property,
  record,
} from 'fast-check';
import { calibrate, calibrateByOverflow } from '../../../../src/domain/session/pass/calibration.js';
import {
  nextOverflowStep,
  type OverflowStep,
} from '../../../../src/domain/session/pass/overflow.js';
import type { PassState } from '../../../../src/domain/session/pass/pass-state.js';
import type { PassSettings } from '../../../../src/domain/session/pass/settings.js';
import { adopted, aState, aUnit, previewed, someSettings } from './pass-fixture.js';

/** Climbs the ladder to its end. A provider may go on refusing what we think fits. */
function recover(
  given: PassState,
  settings: PassSettings,
  providerTakes = Number.POSITIVE_INFINITY,
): { readonly names: readonly string[]; readonly last: OverflowStep } {
  let state = given;
  let hasPassed = false;
  let refusedTokens: number | null = null;
  const names: string[] = [];
  for (;;) {
    const step = nextOverflowStep(state, settings, { hasPassed, refusedTokens });
    names.push(step.step);
    if (names.length > 200) throw new Error('The ladder does not end.');
    if (step.step === 'stop') return { names, last: step };
    if (step.step === 'fits') {
      if (step.usedTokens <= providerTakes) return { names, last: step };
      refusedTokens = step.usedTokens;
    } else if (step.step === 'preview') state = previewed(state, step.seqs, 300);
    else {
      hasPassed = true;
      state = adopted(state, step, settings.summaryTokens);
    }
  }
}

describe('nextOverflowStep', () => {
  it.each([2, 10, 100])('brings a session of %s windows under the window', (windows) => {
    const settings = someSettings();
    const sizes = Array.from({ length: windows * 20 }, (_, index) => 300 + (index % 7) * 60);
    const { names, last } = recover(aState(sizes), settings);
    expect(names).toEqual(['offline-pass', 'fits']);
    expect(last).toMatchObject({ step: 'fits' });
  });

  it('previews come first, then the pass, then halves, then the stop', () => {
    const settings = someSettings();
    const units = [
      ...Array.from({ length: 30 }, (_, index) => aUnit(index + 1, 1, 900)),
      aUnit(31, 2, 5_000),
    ];
    const { names } = recover(aState([], { units }), settings, 200);
    expect(names[0]).toBe('preview');
    expect(names[1]).toBe('offline-pass');
    expect(names).toContain('halve-tail');
    expect(names.at(-1)).toBe('stop');
  });

  it('a frame above the window ends in the stop with its breakdown', () => {
    const parts = { ...aState([]).parts, toolTokens: 12_000 };
    const { last } = recover(aState([400, 400], { parts }), someSettings());
    expect(last).toMatchObject({
      step: 'stop',
      reason: 'floor-over-budget',
      breakdown: { toolTokens: 12_000 },
    });
  });

  it('ends under the window or in the stop for every session and provider', () => {
    assertProperty(
      property(
        record({
          sizes: array(integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 80 }),
          frame: integer({ min: 0, max: 11_000 }),
          prompt: integer({ min: 0, max: 4_000 }),
          factor: constantFrom(0.5, 1, 2),
          providerTakes: constantFrom(10, 3_000, 9_000, 1_000_000),
        }),
        ({ sizes, frame, prompt, factor, providerTakes }) => {
          const settings = someSettings();
          const parts = { ...aState([]).parts, systemTokens: frame };
          const state = aState(sizes, { parts, factor, latestPrompt: { seq: 1, tokens: prompt } });
          const { names, last } = recover(state, settings, providerTakes);
          expect(names.filter((name) => name === 'preview').length).toBeLessThanOrEqual(1);
          expect(names.filter((name) => name === 'offline-pass').length).toBeLessThanOrEqual(1);
          if (last.step === 'fits')
            expect(last.usedTokens).toBeLessThanOrEqual(settings.usableTokens);
          else expect(last).toMatchObject({ step: 'stop', reason: 'floor-over-budget' });
        },
      ),
      { seed: 20261106, numRuns: 300 },
    );
  });
});

describe('calibration', () => {
  // prettier-ignore
  it.each([
    { rule: 'a report moves the factor by a fifth of the way', factor: calibrate(1, 1_000, 1_500),                      is: 1.1 },
    { rule: 'the factor never falls below a half',             factor: calibrate(0.5, 1_000, 1),                        is: 0.5 },
    { rule: 'the factor never rises above two',                factor: calibrate(2, 1, 1_000_000),                      is: 2 },
    { rule: 'an empty count tells nothing',                    factor: calibrate(1.2, 0, 50),                           is: 1.2 },
    { rule: 'an overflow with numbers counts in full',         factor: calibrateByOverflow(1, 1_000, 1_400, 1_200),     is: 1.4 },
    { rule: 'an overflow without numbers is above the window', factor: calibrateByOverflow(1, 1_000, null, 1_199),      is: 1.2 },
    { rule: 'an overflow never lowers the factor',             factor: calibrateByOverflow(1.5, 1_000, 1_100, 1_000),   is: 1.5 },
    { rule: 'an overflow of nothing tells nothing',            factor: calibrateByOverflow(1.5, 0, null, 1_000),        is: 1.5 },
  ])('$rule', ({ factor, is }) => {
    expect(factor).toBeCloseTo(is, 10);
  });
});
