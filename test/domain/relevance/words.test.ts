import { describe, expect, it } from '@jest/globals';
import { stemWord } from '../../../src/domain/relevance/stem-word.js';
import { forEachRun, termsOfRun } from '../../../src/domain/relevance/words.js';

function termsOf(text: string): string {
  const terms: string[] = [];
  forEachRun(text, (start, end) => terms.push(...termsOfRun(text.slice(start, end))));
  return terms.join(' ');
}

describe('termsOfRun', () => {
  // prettier-ignore
  it.each([
    { rule: 'words are lower-case stems',              text: 'Connected connections',        terms: 'connect connect' },
    { rule: 'function words carry nothing',            text: 'what did they do about it',    terms: '' },
    { rule: 'camel case gives whole and parts',        text: 'readUserFile',                 terms: 'readuserfile read user file' },
    { rule: 'snake case gives whole and parts',        text: 'read_user_file',               terms: 'readuserfile read user file' },
    { rule: 'an acronym stays together',               text: 'parseHTTPHeader',              terms: 'parsehttpheader pars http header' },
    { rule: 'a path gives its segments',               text: 'src/plan.ts',                  terms: 'src plan ts' },
    { rule: 'an error code gives whole and parts',     text: 'E1002',                        terms: 'e1002 e 1002' },
    { rule: 'numbers are words',                       text: 'since 2026',                   terms: 'sinc 2026' },
    { rule: 'Chinese gives characters and pairs',      text: '预算表',                        terms: '预 预算 算 算表 表' },
    { rule: 'Arabic gives words',                      text: 'ميزانية المشروع',              terms: 'ميزانية المشروع' },
    { rule: 'an emoji stands alone',                   text: 'ship🚀🚀',                     terms: 'ship 🚀 🚀' },
    { rule: 'punctuation and blanks carry nothing',    text: ' -- …!? ',                     terms: '' },
    { rule: 'accents belong to their word',            text: 'Zürich café',                  terms: 'zürich café' },
  ])('$rule', ({ text, terms }) => {
    expect(termsOf(text)).toBe(terms);
  });

  it('a run of a million letters is one short word', () => {
    expect(termsOf('a'.repeat(1_000_000))).toHaveLength(64);
  });
});

describe('stemWord', () => {
  // prettier-ignore
  it.each([
    ['caresses', 'caress'], ['ponies', 'poni'],       ['cats', 'cat'],         ['agreed', 'agre'],
    ['plastered', 'plaster'], ['motoring', 'motor'],  ['conflated', 'conflat'], ['hopping', 'hop'],
    ['filing', 'file'],     ['falling', 'fall'],      ['happy', 'happi'],      ['sky', 'sky'],
    ['relational', 'relat'], ['conditional', 'condit'], ['digitizer', 'digit'], ['vietnamization', 'vietnam'],
    ['electrical', 'electr'], ['hopefulness', 'hope'], ['adoption', 'adopt'],  ['effective', 'effect'],
    ['probate', 'probat'],  ['rate', 'rate'],         ['controlling', 'control'], ['is', 'is'],
  ])('%s becomes %s', (word, stem) => {
    expect(stemWord(word)).toBe(stem);
  });
});
