import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completeJson } from '../../../src/interfaces/transcripts/complete-json.js';

describe('the beginning of a JSON text', () => {
  // prettier-ignore
  it.each([
    { rule: 'keeps a text that is cut',            given: '[{"a":"x',        made: '[{"a":"x"}]' },
    { rule: 'loses an escape that is cut',         given: '["x\\',           made: '["x"]' },
    { rule: 'loses a code that is cut',            given: '["x\\u00',        made: '["x"]' },
    { rule: 'loses a name without a value',        given: '{"a":1,"b',       made: '{"a":1}' },
    { rule: 'loses a number that may go on',       given: '{"a":1,"b":2',    made: '{"a":1}' },
    { rule: 'keeps what is whole',                 given: '{"a":[1]}',       made: '{"a":[1]}' },
  ])('$rule', ({ given, made }) => {
    expect(completeJson(given)).toBe(made);
  });

  it('can be parsed wherever an array or object is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const beginning = text.slice(0, 1 + (cut % text.length));
        expect(Array.isArray(JSON.parse(completeJson(beginning)))).toBe(true);
      }),
      { seed: 20260131, numRuns: 300 },
    );
  });
});
