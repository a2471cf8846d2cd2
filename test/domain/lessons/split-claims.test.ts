import { describe, expect, it } from '@jest/globals';
import { exactValues, KnownValues } from '../../../src/domain/lessons/exact-values.js';
import { appendBlock, ledgerOf, splitBody } from '../../../src/domain/lessons/split-claims.js';
import { sha256 } from '../../../src/infrastructure/system/node-system.js';

const shown = (body: string): readonly string[] =>
  splitBody(body).map(({ kind, text }) => `${kind}: ${text}`);

const FILLER = Array.from({ length: 20 }, (_, at) => `word${at}x`).join(' ');

describe('splitBody', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['a paragraph is one claim', 'One line\nand another.', ['claim: One line\nand another.']],
    ['a list item is one claim', '- one\n  goes on\n- two', ['claim: one\ngoes on', 'claim: two']],
    ['a heading is a frame', '# Retry\nAlways.', ['frame: # Retry', 'claim: Always.']],
    [
      'an underlined heading is a frame',
      'Retry\n=====\nAlways.',
      ['frame: Retry', 'claim: Always.'],
    ],
    [
      'a line that ends with a colon is a frame',
      'Mind this:\n- one',
      ['frame: Mind this:', 'claim: one'],
    ],
    [
      'the head of a table is a frame, its rows are claims',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      ['frame: | a | b |', 'frame: |---|---|', 'claim: | 1 | 2 |'],
    ],
    [
      'a fenced block is one claim',
      '```\na\n\nb\n```\nEnd.',
      ['claim: ```\na\n\nb\n```', 'claim: End.'],
    ],
    ['a fence that stays open runs to the end', '```\na\n\nb', ['claim: ```\na\n\nb']],
    ['a short paragraph stays whole', 'One. Two. Three.', ['claim: One. Two. Three.']],
    [
      'a long one is split at sentence ends',
      `${FILLER} ends. Then ${FILLER} too.`,
      [`claim: ${FILLER} ends.`, `claim: Then ${FILLER} too.`],
    ],
    [
      'and never inside numbers, code or abbreviations',
      `${FILLER} 1.6 s, e.g. Twice, \`a. B\`. Then ${FILLER} too.`,
      [`claim: ${FILLER} 1.6 s, e.g. Twice, \`a. B\`.`, `claim: Then ${FILLER} too.`],
    ],
    ['nothing has no parts', '  \n\n', []],
  ])('%s', (_rule, body, parts) => {
    expect(shown(body)).toEqual(parts);
  });

  it('claims keep their ids when a block is appended, also behind an open fence', () => {
    for (const body of ['One.\n\n- two\n- three', 'One.\n\n```\nleft open']) {
      const before = ledgerOf(body, sha256);
      const after = ledgerOf(appendBlock(body, 'Another one.'), sha256);
      expect(after.slice(0, before.length).map(({ claimId }) => claimId)).toEqual(
        before.map(({ claimId }) => claimId),
      );
      expect(after.at(-1)?.text).toBe('Another one.');
    }
  });
});

describe('exactValues', () => {
  it.each([
    ['Delays are 100ms then 1.6s, 25 percent', '100ms 1.6s 25%'],
    ['Delays 100ms/400ms/1.6s', '100ms 400ms 1.6s'],
    ['Give up after 7 attempts', '7'],
    ['wait 20 seconds, at most 1,200 MB', '20s 1200MB'],
    ['run `npm run build` with --force', 'npm run build --force'],
    [
      'see https://a.example/b, or ./src/a.ts and config.yaml',
      'https://a.example/b ./src/a.ts config.yaml',
    ],
    ['call readFile or read_file with MAX_SIZE', 'readFile read_file MAX_SIZE'],
    ['Mind @body200, and/or not', '@body200'],
    ['plain words only, e.g. these', ''],
  ])('of "%s" are "%s"', (text, values) => {
    expect(exactValues(text).join(' ')).toBe(values);
  });

  it.each([
    ['25%', true],
    ['npm run build', true],
    ['config.yaml', true],
    ['7', false],
  ])('%s is known: %s', (value, known) => {
    const texts = ['wait 25 percent, then npm run build', 'see `config.yaml`.'];
    expect(new KnownValues(texts).has(value)).toBe(known);
  });
});
