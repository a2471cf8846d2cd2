import { describe, expect, it } from '@jest/globals';
import { jsonFault, requireText, textFault } from '../../../src/domain/kernel/text.js';
import { HARD_TEXTS } from '../../contracts/sample-values.js';

const UNSTORABLE = [
  ['U+0000', 'a\u0000b'],
  ['a high surrogate alone', 'a\ud83c'],
  ['a low surrogate alone', '\udf08b'],
  ['surrogates in the wrong order', '\udf08\ud83c'],
  ['a high surrogate before a pair', '\ud83c\ud83c\udf08'],
] as const;

describe('textFault', () => {
  it.each(Object.entries(HARD_TEXTS))('finds none in %s', (_, text) => {
    expect(textFault(text)).toBeNull();
  });

  it.each(UNSTORABLE)('finds %s', (_, text) => {
    expect(textFault(text)).not.toBeNull();
  });
});

describe('requireText', () => {
  it('gives the text as it is', () => {
    expect(requireText('  two words\n', 'goal')).toBe('  two words\n');
    expect(requireText('four', 'goal', { maxLength: 4 })).toBe('four');
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n\t\u00a0'],
    ['too much', 'fives'],
    ['a number', 7],
    ['null', null],
    ['absent', undefined],
    ...UNSTORABLE,
  ])('refuses %s, naming the field, with the code asked for', (_, value) => {
    expect(() => requireText(value, 'goal', { maxLength: 4 })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', details: { field: 'goal' } }),
    );
    expect(() => requireText(value, 'goal', { maxLength: 4, code: 'INVALID_TRANSCRIPT' })).toThrow(
      expect.objectContaining({ code: 'INVALID_TRANSCRIPT' }),
    );
  });
});

describe('jsonFault', () => {
  it('finds none in what JSON holds', () => {
    expect(jsonFault({ a: [1, null, { 'é🏗️': 'text' }] })).toBeNull();
    expect(jsonFault(null)).toBeNull();
  });

  it.each(UNSTORABLE)('finds %s in a text and in a key, however deep', (_, text) => {
    expect(jsonFault({ a: [{ b: text }] })).not.toBeNull();
    expect(jsonFault({ a: [{ [text]: 1 }] })).not.toBeNull();
  });
});
