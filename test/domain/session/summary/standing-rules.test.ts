import { describe, expect, it } from '@jest/globals';
import { assert as assertProperty, array, constantFrom, property, string } from 'fast-check';
import {
  findStandingRules,
  sentencesAround,
} from '../../../../src/domain/session/summary/standing-rules.js';

describe('findStandingRules', () => {
  it.each([
    {
      rule: 'a cue word makes a rule of its sentence',
      text: 'Fix the bug. Never push to main. Thanks!',
      rules: ['Never push to main.'],
    },
    {
      rule: 'a list point is a rule without its mark',
      text: 'Rules:\n- Always run `npm test`\n2. You must not edit dist',
      rules: ['Always run `npm test`', 'You must not edit dist'],
    },
    {
      rule: 'an order not to do something is a rule',
      text: "Please don't add a Co-Authored-By trailer.",
      rules: ["Please don't add a Co-Authored-By trailer."],
    },
    { rule: 'a refusal inside a sentence is none', text: "I don't know why it fails.", rules: [] },
    { rule: 'a question is none', text: 'Must I always use tabs?', rules: [] },
    { rule: 'a cue inside a word is none', text: 'The nevertheless branch is mustard.', rules: [] },
    {
      rule: 'code blocks are passed over',
      text: 'Look:\n```\n// never call this\n```\ndone',
      rules: [],
    },
    { rule: 'quoted lines are passed over', text: '> you must always\nwhat is that', rules: [] },
    { rule: 'a rule said twice is one', text: 'Never push.\nNever push.', rules: ['Never push.'] },
    {
      rule: 'an abbreviation ends no sentence',
      text: 'Never touch generated files, e.g. dist or build.',
      rules: ['Never touch generated files, e.g. dist or build.'],
    },
    {
      rule: 'version numbers end no sentence',
      text: 'Always use Node v20.1 here. Go.',
      rules: ['Always use Node v20.1 here.'],
    },
    {
      rule: 'German is known',
      text: 'Bitte niemals auf main pushen.',
      rules: ['Bitte niemals auf main pushen.'],
    },
    {
      rule: 'Japanese is known',
      text: '修正して。必ずテストを実行して。',
      rules: ['必ずテストを実行して。'],
    },
    { rule: 'nothing comes of nothing', text: ' \n\n', rules: [] },
  ])('$rule', ({ text, rules }) => {
    expect(findStandingRules(text)).toEqual({ rules, leftOut: 0 });
  });

  it('a host brings cue words of its own', () => {
    const cues = { anywhere: ['house rule'], leading: [] };
    expect(findStandingRules('House rule: no emoji. Never mind.', cues).rules).toEqual([
      'House rule: no emoji.',
    ]);
  });

  it('what a pasted handbook holds beyond the limit is counted', () => {
    const text = Array.from({ length: 50 }, (_, at) => `Rule ${at} must hold.`).join('\n');
    const { rules, leftOut } = findStandingRules(`${text}\nYou must ${'x'.repeat(700)}`);
    expect([rules.length, leftOut]).toEqual([30, 21]);
  });

  it.each(['.', '!"', '-', 'never ', 'please ', '\n'])(
    'a long row of %j is read in linear time',
    (row) => {
      const started = performance.now();
      findStandingRules(row.repeat(100_000));
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );

  it('every rule is a verbatim stretch of the text', () => {
    const words = constantFrom(
      'never',
      ' ',
      '. ',
      '\n',
      '- ',
      '必ず',
      '。',
      '> ',
      '```',
      "don't",
      'a',
      '?',
      '👩‍👩‍👧',
      '\r\n',
      '1. ',
    );
    assertProperty(
      property(array(words, { maxLength: 40 }), string(), (parts, other) => {
        const text = parts.join('') + other;
        for (const rule of findStandingRules(text).rules) {
          expect(text).toContain(rule);
          expect(rule.trim()).toBe(rule);
        }
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});

describe('sentencesAround', () => {
  it.each([
    {
      rule: 'a stretch grows to its sentence',
      text: 'Hi. You must never push to main. Ok.',
      stretch: 'push to main',
      found: 'You must never push to main.',
    },
    {
      rule: 'a stretch over two sentences takes both',
      text: 'Use tabs. No spaces. Ok.',
      stretch: 'tabs. No',
      found: 'Use tabs. No spaces.',
    },
    { rule: 'other words are not found', text: 'Use tabs.', stretch: 'Use spaces', found: null },
    { rule: 'a blank is not found', text: 'Use tabs.', stretch: ' ', found: null },
    {
      rule: 'inside code the stretch stays as it is',
      text: '```\nnever\n```',
      stretch: 'never',
      found: 'never',
    },
  ])('$rule', ({ text, stretch, found }) => {
    expect(sentencesAround(text, stretch)).toBe(found);
  });
});
