import { describe, expect, it } from '@jest/globals';
import { normalArguments } from '../../../../src/domain/session/tokens/normal-arguments.js';
import { type FetchEvent, RefetchFinder } from '../../../../src/domain/session/tokens/refetch.js';

const inProject = (path: string): string => path.replace(/^\/project\//, '');

function read(
  seq: number,
  more: Partial<Extract<FetchEvent, { event: 'fetched' }>> = {},
): FetchEvent {
  return {
    event: 'fetched',
    seq,
    toolName: 'Read',
    arguments: { file_path: '/project/src/a.ts' },
    path: 'src/a.ts',
    range: null,
    resultHash: 'text-1',
    artifactHash: null,
    ...more,
  };
}
const dropped = (from: number, to: number): FetchEvent => ({
  event: 'dropped',
  ranges: [{ from, to }],
});
const changed = (seq: number): FetchEvent => ({ event: 'changed', seq, path: 'src/a.ts' });
const lines = (from: number, to: number) => ({
  range: { from, to },
  arguments: { file_path: 'src/a.ts', offset: from, limit: to - from },
});

describe('RefetchFinder', () => {
  // prettier-ignore
  it.each([
    { rule: 'the first read repeats nothing',            events: [read(1)],                                                                 answer: null },
    { rule: 'what is still in the tail is a duplicate',  events: [read(1), read(2)],                                                        answer: 'duplicate of 1' },
    { rule: 'what a pass dropped is a re-fetch',         events: [read(1), dropped(1, 1), read(2)],                                         answer: 'refetch of 1' },
    { rule: 'of several copies the one in the tail wins', events: [read(1), dropped(1, 1), read(2), read(3)],                               answer: 'duplicate of 2' },
    { rule: 'a read after a change is none',             events: [read(1), dropped(1, 1), changed(2), read(3)],                             answer: null },
    { rule: 'a change before the first read is no matter', events: [changed(1), read(2), dropped(2, 2), read(3)],                           answer: 'refetch of 2' },
    { rule: 'another result is none',                    events: [read(1), dropped(1, 1), read(2, { resultHash: 'text-2' })],               answer: null },
    { rule: 'an equal hash is enough, whatever the result', events: [read(1, { artifactHash: 'h' }), dropped(1, 1), read(2, { artifactHash: 'h', resultHash: 'text-2' })], answer: 'refetch of 1' },
    { rule: 'another hash is none, whatever the result',  events: [read(1, { artifactHash: 'h' }), dropped(1, 1), read(2, { artifactHash: 'i' })], answer: null },
    { rule: 'a path is compared as the trail writes it', events: [read(1), dropped(1, 1), read(2, { arguments: { file_path: 'src/a.ts' } })], answer: 'refetch of 1' },
    { rule: 'a range inside an earlier range counts',    events: [read(1, { ...lines(1, 90), artifactHash: 'h' }), dropped(1, 1), read(2, { ...lines(20, 40), artifactHash: 'h' })], answer: 'refetch of 1' },
    { rule: 'a range beyond an earlier range does not',  events: [read(1, { ...lines(1, 90), artifactHash: 'h' }), dropped(1, 1), read(2, { ...lines(80, 95), artifactHash: 'h' })], answer: null },
    { rule: 'a part of a whole counts',                  events: [read(1, { artifactHash: 'h' }), dropped(1, 1), read(2, { ...lines(20, 40), artifactHash: 'h' })], answer: 'refetch of 1' },
    { rule: 'the whole after a part does not',           events: [read(1, { ...lines(1, 90), artifactHash: 'h' }), dropped(1, 1), read(2, { artifactHash: 'h' })], answer: null },
    { rule: 'another tool is none',                      events: [read(1), dropped(1, 1), read(2, { toolName: 'Grep' })],                   answer: null },
  ])('$rule', ({ events, answer }) => {
    const finder = new RefetchFinder(inProject);
    const last = events.map((event) => finder.add(event)).at(-1);
    expect(last ? `${last.kind} of ${last.of}` : null).toBe(answer);
  });
});

describe('normalArguments', () => {
  // prettier-ignore
  it.each([
    { rule: 'keys are sorted at every depth', value: { b: 1, a: { d: [{ y: 1, x: 2 }], c: 2 } }, hasRange: false, text: '{"a":{"c":2,"d":[{"x":2,"y":1}]},"b":1}' },
    { rule: 'paths are normalized',           value: { path: '/project/a.ts' },                  hasRange: false, text: '{"path":"a.ts"}' },
    { rule: 'ranges are compared apart',      value: { path: 'a.ts', offset: 3 },                hasRange: true,  text: '{"path":"a.ts"}' },
    { rule: 'other offsets stay',             value: { query: 'x', offset: 3 },                  hasRange: false, text: '{"offset":3,"query":"x"}' },
    { rule: 'what is no object stays',        value: 'ls -la',                                   hasRange: false, text: '"ls -la"' },
  ])('$rule', ({ value, hasRange, text }) => {
    expect(normalArguments(value, inProject, hasRange)).toBe(text);
  });
});
