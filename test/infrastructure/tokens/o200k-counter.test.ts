import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createO200kCounter } from '../../../src/infrastructure/tokens/o200k-counter.js';

const counter = createO200kCounter();

/** The package throws on names of special tokens unless it is told that they are plain text. */
function reference(text: string): number {
  return countTokens(text, {
    allowedSpecial: new Set<string>(),
    disallowedSpecial: new Set<string>(),
  });
}

/**
 * Characters that stand at the edges of the split pattern. Without U+FEFF and U+0085: the package
 * compared with takes the first for white space and the second not, the other way round from the
 * reference implementation. They have a table of their own.
 */
// prettier-ignore
const NASTY = [
  ['a', 'B', 'Z', 'AB', 'm', 'D', 'é', 'ß', 'ẞ', 'İ', 'ı', '\u01c5', '\u02b0', '\u0301', '\u200d'],
  [' ', '  ', '\t', '\v', '\n', '\r', '\r\n', '\u00a0', '\u2028', '\u3000', '\u0000', '\u007f'],
  ["'", '’', "'s", "'LL", "'rE", "'ve", "'\u017f", '\u017f', '\u212a', 's', 't', 're'],
  ['1', '23', '٣', '\u{1d7d8}', 'Ⅳ', '½', '/', '.', '(', '-', '_', '=', '"', '<|endoftext|>'],
  ['日', '本', '가', 'ا', '\u0915', '\u093f', '\u{10400}', '\u{10428}', '😀', '👨‍👩‍👧', '\ud800', '\udc00'],
].flat();

describe('createO200kCounter', () => {
  // prettier-ignore
  it.each([
    { rule: 'no text is no token',                        text: '' },
    { rule: 'a word takes its leading space',             text: 'Hello world, it works' },
    { rule: 'a contraction ends a word in any case',      text: "don't DON'T we'll WE'LL I'm you'Re 'tis" },
    { rule: 'a contraction leaves the letters behind it', text: "it'sa 'llama don'ts" },
    { rule: 'a curly apostrophe makes no contraction',    text: 'don’t we’ll' },
    { rule: 'a word breaks before a capital',             text: 'camelCase HTTPServer XMLHttpRequest aB' },
    { rule: 'caseless letters end the capitals',          text: '日A ʰAB Aʰ日B' },
    { rule: 'marks belong to words and to symbols',       text: 'e\u0301a .\u0301A \u0301\u0301AB ..\u0301' },
    { rule: 'digits come in threes',                      text: '1 12 123 1234 1234567 ٠١٢٣٤ ½Ⅳ' },
    { rule: 'symbols take line breaks and slashes',       text: '});\n\n//\n/ */\r\n =>\n' },
    { rule: 'white space up to a line break is one',      text: ' \t \r\n\n  \n   x\n' },
    { rule: 'the last space goes to the word',            text: 'a    b  ' },
    { rule: 'names of special tokens are plain text',     text: '<|endoftext|><|im_start|> <|endofprompt|>' },
    { rule: 'lone surrogates count as U+FFFD',            text: 'a\ud800b\udc00\udc00 \ud83d' },
    { rule: 'emoji sequences are symbols',                text: '👨‍👩‍👧👍🏽 🇩🇪😀😀' },
  ])('$rule', ({ text }) => {
    expect(counter.count(text)).toBe(reference(text));
  });

  // prettier-ignore
  it.each([
    { rule: 'a byte order mark is a symbol',             text: 'a\ufeffb',              tokens: 3 },
    { rule: 'byte order marks join',                     text: 'a\ufeff\ufeff b',       tokens: 3 },
    { rule: 'a byte order mark takes its line break',    text: ' \ufeff\n',             tokens: 2 },
    { rule: 'U+0085 is white space',                     text: ' \u0085\n x',           tokens: 4 },
  ])('$rule, as in the reference implementation', ({ text, tokens }) => {
    expect(counter.count(text)).toBe(tokens);
  });

  it.each(['a', 'A', 'Aa', 'ab', ' ', '\n', ' \n', '=', '7', '日', '日A', '😀', '\u0301', '.\n/'])(
    'runs of %j count exactly on both sides of every limit',
    (unit) => {
      for (const times of [1, 2, 15, 16, 17, 31, 32, 33, 95, 96, 97, 300, 1500]) {
        const text = unit.repeat(times);
        expect([times, counter.count(text)]).toEqual([times, reference(text)]);
      }
    },
  );

  it('agrees with the published encoding on any text', () => {
    const nasty = fc
      .array(fc.constantFrom(...NASTY), { maxLength: 24 })
      .map((parts) => parts.join(''));
    const any = fc
      .string({ unit: 'binary', maxLength: 60 })
      .filter((text) => !/[\ufeff\u0085]/.test(text));
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: nasty }, any), (text) => {
        expect(counter.count(text)).toBe(reference(text));
      }),
      { seed: 20_240_513, numRuns: 3_000 },
    );
  });

  it('counts a line the same, whatever stands around it and however often it came', () => {
    const line = fc.constantFrom('foo();', '  bar', '}', '/', ' ', "it'", '日本', 'a'.repeat(170));
    const end = fc.constantFrom('\n', '\n\n', '\r\n', '\n ', '\n/', "\n'", '\n\u3000', '');
    const text = fc
      .array(fc.tuple(line, end), { maxLength: 9 })
      .map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(text, (lines) => {
        expect([counter.count(lines), counter.count(lines)]).toEqual(
          Array(2).fill(reference(lines)),
        );
      }),
      { seed: 20_261_201, numRuns: 3_000 },
    );
  });

  it.each([" don't", '\n    x', ' 1234', '𐐀𐐨', '日A', ' \n/', '.\u0301', '😀', "a'"])(
    'long texts of %j count exactly, wherever they are looked at in parts',
    (unit) => {
      for (const before of ['', 'x', ' \n', '-'.repeat(9)]) {
        const text = `${before}${`${unit.repeat(15)}x `.repeat(80_000 / 15 / unit.length)}`;
        expect(counter.count(text)).toBe(reference(text));
      }
    },
  );

  it('gives the same count again, whatever was counted in between', () => {
    const texts = Array.from({ length: 200 }, (_, index) => `word${index} item_${index * 7919}`);
    const before = texts.map((text) => counter.count(text));
    for (let index = 0; index < 100_000; index += 1) counter.count(` filler${index}`);
    expect(texts.map((text) => counter.count(text))).toEqual(before);
  });
});
