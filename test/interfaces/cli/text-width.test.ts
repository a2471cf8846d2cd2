import { describe, expect, it } from '@jest/globals';
import { printable, textWidth, truncate, wrap } from '../../../src/interfaces/cli/text-width.js';

describe('textWidth', () => {
  it.each([
    { rule: 'a letter takes one column', text: 'abc', width: 3 },
    { rule: 'a Chinese character takes two', text: '漢字', width: 4 },
    { rule: 'an emoji takes two', text: '👍', width: 2 },
    { rule: 'a family joined to one takes two', text: '👨‍👩‍👧', width: 2 },
    { rule: 'a flag takes two', text: '🇩🇪', width: 2 },
    { rule: 'a combining mark takes none', text: 'e\u0301', width: 1 },
    { rule: 'a zero-width space takes none', text: 'a\u200Bb', width: 2 },
    { rule: 'a full-width letter takes two', text: 'Ａ', width: 2 },
    { rule: 'a box line takes one', text: '─│', width: 2 },
  ])('$rule', ({ text, width }) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('truncate', () => {
  it.each([
    { rule: 'what fits stays', text: 'abcd', columns: 4, shown: 'abcd' },
    { rule: 'what does not is cut and marked', text: 'abcde', columns: 4, shown: 'abc…' },
    { rule: 'a wide character is never halved', text: '漢字漢字', columns: 6, shown: '漢字…' },
    { rule: 'an emoji is never parted', text: 'a👨‍👩‍👧b', columns: 2, shown: 'a…' },
  ])('$rule', ({ text, columns, shown }) => {
    expect(truncate(text, columns)).toBe(shown);
  });
});

describe('wrap', () => {
  it.each([
    { rule: 'parts at blanks', text: 'one two three', columns: 7, lines: ['one two', 'three'] },
    { rule: 'parts a long word', text: 'abcdefgh', columns: 3, lines: ['abc', 'def', 'gh'] },
    { rule: 'an empty text is one empty line', text: '', columns: 3, lines: [''] },
  ])('$rule', ({ text, columns, lines }) => {
    expect(wrap(text, columns)).toEqual(lines);
  });
});

describe('printable', () => {
  it.each([
    { rule: 'an escape sequence is shown, not obeyed', text: 'a\u001B[2Jb', shown: 'a␛[2Jb' },
    { rule: 'a line end in a cell is a blank', text: 'a\n  b', shown: 'a b' },
    { rule: 'a change of direction is replaced', text: 'a\u202Eb', shown: 'a\uFFFDb' },
    { rule: 'a tab is a blank', text: 'a\tb', shown: 'a b' },
  ])('$rule', ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });
});
