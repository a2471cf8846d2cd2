import { describe, expect, it } from '@jest/globals';
import { jsonInAnswer } from '../../../src/infrastructure/models/json-in-answer.js';

describe('jsonInAnswer', () => {
  // prettier-ignore
  it.each([
    { rule: 'a bare object is taken',                     text: ' {"a":1}\n' },
    { rule: 'a fenced object is taken',                   text: '```json\n{"a":1}\n```' },
    { rule: 'a fence without a language is taken',        text: '```\n{"a":1}\n```' },
    { rule: 'words around the fence do no harm',          text: 'Here it is:\n\n```json\n{"a":1}\n```\nDone.' },
    { rule: 'lines may end as on Windows',                text: '```json\r\n{"a":1}\r\n```\r\n' },
    { rule: 'a longer fence holds a shorter one',         text: '````\n{"a":1}\n````' },
    { rule: 'a block that is no JSON beside it is passed over', text: '```sh\nls\n```\n```json\n{"a":1}\n```' },
  ])('$rule', ({ text }) => {
    expect(jsonInAnswer(text)).toEqual({ outcome: 'found', value: { a: 1 } });
  });

  // prettier-ignore
  it.each([
    { rule: 'nothing',                          text: ' \n',                                     complaint: 'empty' },
    { rule: 'words',                            text: 'I would say yes.',                        complaint: 'not JSON' },
    { rule: 'an error text',                    text: 'Error: rate limit exceeded',              complaint: 'not JSON' },
    { rule: 'a list',                           text: '[{"a":1}]',                               complaint: 'one object' },
    { rule: 'null',                             text: 'null',                                    complaint: 'one object' },
    { rule: 'two bare objects',                 text: '{"a":1}\n{"a":2}',                        complaint: 'followed by other text' },
    { rule: 'an object and words',              text: '{"a":1} as you asked',                    complaint: 'followed by other text' },
    { rule: 'two fenced objects',               text: '```\n{"a":1}\n```\n```\n{"a":2}\n```',    complaint: 'more than one' },
    { rule: 'an object that is cut',            text: '{"a": [1, 2',                             complaint: 'cut short' },
    { rule: 'a fence that is cut',              text: '```json\n{"a": 1}',                       complaint: 'not JSON' },
    { rule: 'a fenced object that is cut',      text: '```json\n{"a": 1\n```',                   complaint: 'cut short' },
    { rule: 'an object inside a sentence',      text: 'It is {"a":1}',                           complaint: 'not JSON' },
  ])('refuses $rule', ({ text, complaint }) => {
    expect(jsonInAnswer(text)).toEqual({
      outcome: 'none',
      complaint: expect.stringContaining(complaint),
    });
  });

  it('takes no longer for an answer made of fences', () => {
    const fences = Array.from({ length: 2_000 }, (_, index) => '`'.repeat(3 + index)).join('\n');

    expect(jsonInAnswer(fences).outcome).toBe('none');
  }, 2_000);
});
