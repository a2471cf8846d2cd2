import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, constantFrom, property } from 'fast-check';
import {
  type Identifier,
  identifiersOf,
  KnownTexts,
} from '../../../../src/domain/session/summary/identifiers.js';

const piece = constantFrom(
  'src/a.ts',
  './src/a.tsx',
  '`createReset`',
  '12',
  '3,120',
  '12345',
  '12,345',
  'deadbeef1',
  'DEADBEEF1',
  'E_FAIL-7',
  'https://example.org/a',
  'a.ts:12',
  '(src/a.ts)',
  'login/logout',
  'login',
  '_12_',
);
const text = array(array(piece, { maxLength: 4 }), { maxLength: 4 }).map((words) =>
  words.map((glued) => glued.join('')).join(' '),
);

/** Enough of them that words are looked up. */
const OTHERS: readonly Identifier[] = Array.from({ length: 60 }, (_, at) => ({
  kind: 'number',
  text: `${90_000 + at}`,
}));

describe('known texts', () => {
  it('hold the same however much they were asked before', () => {
    const answers = new Set<boolean>();
    assertProperty(
      property(array(text, { maxLength: 5 }), array(text, { maxLength: 5 }), (texts, asked) => {
        const known = new KnownTexts(texts);
        for (const other of OTHERS) known.holds(other);
        for (const identifier of asked.flatMap(identifiersOf)) {
          const searched = new KnownTexts(texts).holds(identifier);
          expect({ identifier, holds: known.holds(identifier) }).toEqual({
            identifier,
            holds: searched,
          });
          answers.add(searched);
        }
      }),
      { seed: 20261201, numRuns: 500 },
    );
    expect(answers.size).toBe(2);
  });
});
