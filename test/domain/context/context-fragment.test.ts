import { describe, expect, it } from '@jest/globals';
import { requireFragment, requireWeighed } from '../../../src/domain/context/context-fragment.js';
import { OssatureError } from '../../../src/domain/kernel/errors.js';

const DECISION = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const SOUND = { fragmentId: 'a', content: 'text', tokenCount: 1, relevance: 0.5 };

function breachOf(work: () => unknown): OssatureError {
  try {
    work();
  } catch (error) {
    if (OssatureError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('requireFragment', () => {
  it.each([
    { ...SOUND },
    { ...SOUND, decisionId: DECISION },
    { ...SOUND, decisionId: null },
    { ...SOUND, decisionId: undefined },
    { ...SOUND, content: '' },
    { ...SOUND, tokenCount: 0, relevance: 0 },
    { ...SOUND, tokenCount: Number.MAX_SAFE_INTEGER, relevance: 1 },
    { ...SOUND, relevance: -0 },
    { ...SOUND, extra: 'ignored' },
  ])('accepts %j', (fragment) => {
    expect(() => requireFragment(fragment, 0)).not.toThrow();
  });

  // prettier-ignore
  it.each([
    { field: 'fragmentId', value: '' },
    { field: 'fragmentId', value: 7 },
    { field: 'fragmentId', value: undefined },
    { field: 'content',    value: null },
    { field: 'content',    value: undefined },
    { field: 'tokenCount', value: -1 },
    { field: 'tokenCount', value: 1.5 },
    { field: 'tokenCount', value: NaN },
    { field: 'tokenCount', value: Infinity },
    { field: 'tokenCount', value: 2 ** 53 },
    { field: 'tokenCount', value: '1' },
    { field: 'relevance',  value: -0.1 },
    { field: 'relevance',  value: 1.1 },
    { field: 'relevance',  value: NaN },
    { field: 'relevance',  value: '0.5' },
    { field: 'decisionId', value: '' },
    { field: 'decisionId', value: DECISION.toLowerCase() },
    { field: 'decisionId', value: `8${DECISION.slice(1)}` },
    { field: 'decisionId', value: 5 },
  ])('refuses $field $value and names the fragment and the field', ({ field, value }) => {
    const error = breachOf(() => requireFragment({ ...SOUND, [field]: value }, 3));

    expect(error.code).toBe('INVALID_FRAGMENT');
    expect(error.message).toContain(field);
    expect(error.message).toContain('index 3');
    expect(error.details).toMatchObject({ index: 3, field });
  });

  it.each([null, undefined, 'text', 7, true])('refuses %j, which is no object', (value) => {
    const error = breachOf(() => requireFragment(value, 2));

    expect([error.code, error.details]).toEqual([
      'INVALID_FRAGMENT',
      { fragmentId: null, index: 2, field: 'fragment' },
    ]);
  });

  it('never repeats content', () => {
    const error = breachOf(() => requireFragment({ ...SOUND, content: ['secret'] }, 0));

    expect(error.message).not.toContain('secret');
  });
});

describe('requireWeighed', () => {
  it('asks for no content', () => {
    expect(() => requireWeighed({ fragmentId: 'a', tokenCount: 1, relevance: 1 }, 0)).not.toThrow();
  });
});
