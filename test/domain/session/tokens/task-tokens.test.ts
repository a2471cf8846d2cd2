import { describe, expect, it } from '@jest/globals';
import { callsBeforeChange } from '../../../../src/domain/session/tokens/calls-before-change.js';
import { sumTokens, type TokenRecord } from '../../../../src/domain/session/tokens/task-tokens.js';

const ORIGIN = { taskId: 'task-1', sessionId: 'main', isChild: false, cycle: 0, strategy: null };
const AFTER = { ...ORIGIN, cycle: 1, strategy: 'offline' };

const RECORDS: readonly TokenRecord[] = [
  {
    ...ORIGIN,
    record: 'request',
    purpose: 'agent',
    uncachedInputTokens: 100,
    cachedInputTokens: 900,
    outputTokens: 50,
    isEstimated: false,
  },
  {
    ...ORIGIN,
    record: 'request',
    purpose: 'summarizer',
    uncachedInputTokens: 400,
    cachedInputTokens: 0,
    outputTokens: 60,
    isEstimated: true,
  },
  { ...ORIGIN, record: 'result', repeats: null, tokens: 70 },
  { ...AFTER, record: 'result', repeats: 'refetch', tokens: 70 },
  { ...AFTER, record: 'result', repeats: 'duplicate', tokens: 30 },
  { ...AFTER, record: 'result', repeats: null, tokens: 10 },
  { ...AFTER, record: 'expansion' },
  {
    ...AFTER,
    sessionId: 'child',
    isChild: true,
    record: 'request',
    purpose: 'agent',
    uncachedInputTokens: 200,
    cachedInputTokens: 0,
    outputTokens: 20,
    isEstimated: false,
  },
  {
    ...AFTER,
    taskId: 'task-2',
    record: 'request',
    purpose: 'agent',
    uncachedInputTokens: 5,
    cachedInputTokens: 0,
    outputTokens: 5,
    isEstimated: true,
  },
];

describe('sumTokens', () => {
  it('a task is its requests, its summarizer and what was fetched again', () => {
    expect(sumTokens(RECORDS, 'task')[0]).toEqual({
      key: 'task-1',
      requests: 3,
      estimatedRequests: 1,
      uncachedInputTokens: 300,
      cachedInputTokens: 900,
      outputTokens: 70,
      summarizerTokens: 460,
      refetchTokens: 70,
      taskTokens: 1_800,
      taskTokensWithoutRefetch: 1_730,
      childTokens: 220,
      results: 4,
      refetches: 1,
      duplicates: 1,
      refetchRate: 0.25,
      expansions: 1,
    });
  });

  // prettier-ignore
  it.each([
    { by: 'task' as const,     sums: { 'task-1': 1_800, 'task-2': 10 } },
    { by: 'session' as const,  sums: { main: 1_590, child: 220 } },
    { by: 'cycle' as const,    sums: { 0: 1_510, 1: 300 } },
    { by: 'strategy' as const, sums: { none: 1_510, offline: 300 } },
  ])('every token is in exactly one sum by $by', ({ by, sums }) => {
    const found = sumTokens(RECORDS, by).map(({ key, taskTokens }) => [key, taskTokens]);
    expect(Object.fromEntries(found)).toEqual(sums);
  });

  it('without results nothing is fetched again', () => {
    expect(sumTokens(RECORDS.slice(-1), 'task')[0]?.refetchRate).toBe(0);
  });
});

describe('callsBeforeChange', () => {
  it('counts calls from the start and from each pass to the first change', () => {
    const effects = [
      'reads',
      'other',
      'changes',
      'reads',
      'reads',
      'reads',
      'changes',
      'reads',
    ] as const;
    const calls = effects.map((effect, index) => ({ seq: index + 1, effect }));
    expect(
      callsBeforeChange(calls, [
        { cycle: 1, atSeq: 3 },
        { cycle: 3, atSeq: 7 },
      ]),
    ).toEqual([
      { cycle: 0, calls: 2, hasChanged: true },
      { cycle: 1, calls: 3, hasChanged: true },
      { cycle: 3, calls: 1, hasChanged: false },
    ]);
  });
});
