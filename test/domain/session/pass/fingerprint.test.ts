import { describe, expect, it } from '@jest/globals';
import {
  passFingerprint,
  type PassInputs,
} from '../../../../src/domain/session/pass/fingerprint.js';
import { STUB_TOKENS, stubText } from '../../../../src/domain/session/pass/stub-text.js';
import { QUARTERS } from '../random-transcript.js';
import { someSettings } from './pass-fixture.js';

const itself = (text: string): string => text;

const INPUTS: PassInputs = {
  cutSeq: 0,
  lastSeq: 9,
  leftUnitIds: [],
  previewedSeqs: [],
  summaryHash: null,
  frameTokens: 100,
  settings: someSettings(),
  strategy: 'offline',
  counterName: 'o200k_base',
  counterVersion: '1',
};

describe('passFingerprint', () => {
  it.each<Partial<PassInputs>>([
    { cutSeq: 3 },
    { lastSeq: 10 },
    { leftUnitIds: ['u1'] },
    { previewedSeqs: [2] },
    { summaryHash: 'h' },
    { frameTokens: 101 },
    { settings: someSettings({ keepTurns: 9 }) },
    { strategy: 'anchored' },
    { counterName: 'estimate' },
    { counterVersion: '2' },
  ])('changes with %j', (change) => {
    expect(passFingerprint({ ...INPUTS, ...change }, itself)).not.toBe(
      passFingerprint(INPUTS, itself),
    );
  });

  it('does not depend on the order of fields', () => {
    const settings = Object.fromEntries(
      Object.entries(INPUTS.settings).reverse(),
    ) as unknown as PassInputs['settings'];
    expect(passFingerprint({ ...INPUTS, settings }, itself)).toBe(passFingerprint(INPUTS, itself));
  });
});

describe('stubText', () => {
  it('is one line with a handle, within what a plan counts for it', () => {
    const text = stubText({ kind: 'assistant-text', firstSeq: 100_000, lastSeq: 100_200 }, 25_000);
    expect(text).toBe(
      '[left out here: assistant-text, entries 100000 to 100200, 25000 tokens; the whole: entry:100000]',
    );
    expect(QUARTERS.count(text)).toBeLessThan(STUB_TOKENS);
    expect(stubText({ kind: 'read', firstSeq: 4, lastSeq: 4 }, 90)).toContain('entry 4, 90 tokens');
  });
});
