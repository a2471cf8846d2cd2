import { describe, expect, it } from '@jest/globals';
import { writePreamble } from '../../../src/domain/assembly/write-preamble.js';
import { anAssemblyFragment, countWords } from '../../support/assembly-builders.js';

const shown = [anAssemblyFragment({ content: 'The cookie lasts two hours.' })];
const given = {
  query: 'How long does the cookie of the kubernetes ingress last?',
  strategies: [
    { name: 'keyword', confidence: 0.9, fragments: 1, failure: null },
    { name: 'slow', confidence: 0.5, fragments: 0, failure: { reason: 'timed-out', message: '' } },
  ],
  shown,
  skeleton: [],
  excluded: [
    { ...anAssemblyFragment(), reason: 'over-budget', strategy: null },
    { ...anAssemblyFragment(), reason: 'duplicate', strategy: 'keyword' },
  ],
} as const;

const write = (maxTokens: number, facts: Partial<Parameters<typeof writePreamble>[0]> = {}) =>
  writePreamble({ ...given, ...facts }, { maxTokens, count: countWords });

describe('writePreamble', () => {
  it('names sources with their confidence, failures, words found nowhere, and omissions', () => {
    expect(write(100)).toBe(
      'Context assembled from keyword (confidence 0.90, 1 fragment). ' +
        'Gaps: nothing came from slow (timed-out). ' +
        'Gaps: no fragment mentions "long", "kubernetes", "ingress". ' +
        'Left out: 1 over-budget.',
    );
  });

  it.each([100, 20, 14, 8, 5, 1, 0])('has at most %i tokens', (maxTokens) => {
    expect(countWords(write(maxTokens))).toBeLessThanOrEqual(maxTokens);
  });

  it('has nothing to say of nothing', () => {
    expect(write(100, { strategies: [], shown: [], excluded: [] })).toBe('');
  });

  it.each(['', '漢字の文章を書く', 'لماذا', '😀😀😀', 'a'.repeat(1_000_000), 'x '.repeat(500_000)])(
    'stays short for a strange query',
    (query) => {
      expect(write(100, { query }).length).toBeLessThan(600);
    },
  );
});
