import { describe, expect, it } from '@jest/globals';
import { requireUndecidedWeight } from '../../../src/domain/context/context-fragment.js';
import { readColumns } from '../../../src/domain/context/fragment-columns.js';

const FIRST = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const SECOND = '01ARZ3NDEKTSV4RRFFQ69G5FAW';

describe('readColumns', () => {
  it('reads one row a fragment, in arrival order, each decision once', () => {
    const columns = readColumns(
      [
        { fragmentId: 'a', tokenCount: 3, relevance: 0.5, decisionId: SECOND },
        { fragmentId: 'b', tokenCount: 4, relevance: -0 },
        { fragmentId: 'c', tokenCount: 5, relevance: 1, decisionId: FIRST },
        { fragmentId: 'd', tokenCount: 0, relevance: 1, decisionId: SECOND },
      ],
      requireUndecidedWeight,
    );

    expect([...columns.tokenCounts]).toEqual([3, 4, 5, 0]);
    expect([...columns.relevances]).toEqual([0.5, 0, 1, 1]);
    expect([...columns.decisions]).toEqual([1, 0, 2, 1]);
    expect(columns.decisionIds.slice(1)).toEqual([SECOND, FIRST]);
    expect(columns.totalTokens).toBe(12);
  });
});
