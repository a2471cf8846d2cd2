import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BytePairMerge } from '../../../src/infrastructure/tokens/byte-pair-merge.js';
import { MinHeap } from '../../../src/infrastructure/tokens/min-heap.js';
import { NO_RANK, RankTable } from '../../../src/infrastructure/tokens/rank-table.js';
import { SpanRanks } from '../../../src/infrastructure/tokens/span-ranks.js';

/** A table of ASCII tokens, first learned first. */
function tableOf(...tokens: string[]): RankTable {
  const starts = [0];
  for (const token of tokens) starts.push((starts.at(-1) ?? 0) + token.length);
  return new RankTable(Buffer.from(tokens.join('')), Uint32Array.from(starts));
}

function countWith(table: RankTable, piece: string): number {
  const spans = new SpanRanks(table);
  spans.load(Buffer.from(piece), piece.length);
  return new BytePairMerge(spans).count(piece.length);
}

describe('SpanRanks', () => {
  const spans = new SpanRanks(tableOf('a', 'b', 'ab', 'abb'));
  spans.load(Buffer.from('xabb'), 4);

  // prettier-ignore
  it.each([
    { rule: 'finds a byte',                start: 1, end: 2, rank: 0 },
    { rule: 'finds a span inside a piece', start: 1, end: 3, rank: 2 },
    { rule: 'finds the longest token',     start: 1, end: 4, rank: 3 },
    { rule: 'knows what is no token',      start: 2, end: 4, rank: NO_RANK },
    { rule: 'knows what is too long',      start: 0, end: 4, rank: NO_RANK },
  ])('$rule', ({ start, end, rank }) => {
    expect(spans.rankOf(start, end)).toBe(rank);
  });
});

describe('BytePairMerge', () => {
  // prettier-ignore
  it.each([
    { rule: 'bytes without unions stay apart',       tokens: ['a', 'b'],                      piece: 'abab', count: 4 },
    { rule: 'the earlier union comes first',         tokens: ['a', 'b', 'c', 'bc', 'ab'],     piece: 'abc',  count: 2 },
    { rule: 'the leftmost of equal unions is first', tokens: ['a', 'b', 'aa', 'ab', 'aab'],   piece: 'aaab', count: 2 },
    { rule: 'unions join further',                   tokens: ['a', 'b', 'ab', 'abab'],        piece: 'abab', count: 1 },
    { rule: 'a token that no union leads to is none', tokens: ['a', 'b', 'c', 'abc'],         piece: 'abca', count: 4 },
  ])('$rule', ({ tokens, piece, count }) => {
    expect(countWith(tableOf(...tokens), piece)).toBe(count);
  });

  it('counts a long piece as its parts where nothing joins across them', () => {
    const table = tableOf('a', 'b', 'c', 'bc', 'ab', 'aa', 'abc');
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 5, maxLength: 12 }), (parts) => {
        const sum = parts.reduce((tokens, piece) => tokens + countWith(table, piece), 0);
        expect(countWith(table, parts.join('-'))).toBe(sum + parts.length - 1);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

describe('MinHeap', () => {
  it('gives back in rising order what it was given', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (keys) => {
        const heap = new MinHeap(1);
        for (const key of keys) heap.push(key);
        expect(keys.map(() => heap.pop())).toEqual(keys.toSorted((a, b) => a - b));
      }),
      { seed: 7 },
    );
  });
});
