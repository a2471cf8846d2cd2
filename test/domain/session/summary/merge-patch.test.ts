import { describe, expect, it } from '@jest/globals';
import {
  array,
  assert as assertProperty,
  constantFrom,
  type Arbitrary,
  integer,
  oneof,
  property,
  record,
  uniqueArray,
} from 'fast-check';
import { mergePatch } from '../../../../src/domain/session/summary/merge-patch.js';
import type { PatchOperation } from '../../../../src/domain/session/summary/patch.js';
import type { AnchoredSummary } from '../../../../src/domain/session/summary/summary-item.js';
import {
  add,
  everyEntry,
  itemOf,
  making,
  merged,
  mergedWhole,
  nothing,
  shown,
} from './summary-world.js';

const SEED = 7_401;

describe('mergePatch', () => {
  it.each([
    {
      rule: 'a new statement becomes an item',
      first: [add('next_steps', 'write docs', 1)],
      second: [],
      items: ['#1 next_steps open write docs'],
    },
    {
      rule: 'an equal identity becomes an update',
      first: [add('current_state', 'tests: 3 fail', 1)],
      second: [add('current_state', 'Tests: all pass', 2)],
      items: ['#1 current_state open Tests: all pass'],
    },
    {
      rule: 'another choice on the same subject supersedes the earlier decision',
      first: [add('decisions', 'Database: Postgres', 1)],
      second: [add('decisions', 'database: SQLite', 2)],
      items: ['#1 decisions superseded Database: Postgres', '#2 decisions open database: SQLite'],
    },
    {
      rule: 'the same choice again stays one decision',
      first: [add('decisions', 'Database: Postgres', 1)],
      second: [add('decisions', 'Database: postgres.', 2)],
      items: ['#1 decisions open Database: postgres.'],
    },
    {
      rule: 'a choice that comes back is a decision of its own',
      first: [add('decisions', 'db: a', 1), add('decisions', 'db: b', 2)],
      second: [add('decisions', 'db: a', 3)],
      items: [
        '#1 decisions superseded db: a',
        '#2 decisions superseded db: b',
        '#3 decisions open db: a',
      ],
    },
    {
      rule: 'the same error with other numbers is one error',
      first: [add('errors_and_fixes', 'TypeError at line 12', 1)],
      second: [add('errors_and_fixes', 'TypeError at line 40', 2)],
      items: ['#1 errors_and_fixes open TypeError at line 40'],
    },
    {
      rule: 'an update replaces the text, resolve and supersede change the state',
      first: [add('next_steps', 'a', 1), add('next_steps', 'b', 1), add('next_steps', 'c', 1)],
      second: [
        { operation: 'update', item: 1, text: 'A', refs: [], sources: [2] } as const,
        { operation: 'resolve', item: 2, sources: [2] } as const,
        { operation: 'supersede', item: 3, by: { add: 3 }, sources: [2] } as const,
        add('next_steps', 'd', 2),
      ],
      items: [
        '#1 next_steps open A',
        '#2 next_steps resolved b',
        '#3 next_steps superseded c',
        '#4 next_steps open d',
      ],
    },
    {
      rule: 'what was superseded is not resolved',
      first: [add('decisions', 'db: a', 1), add('decisions', 'db: b', 2)],
      second: [{ operation: 'resolve', item: 1, sources: [3] } as const],
      items: ['#1 decisions superseded db: a', '#2 decisions open db: b'],
    },
  ])('$rule', ({ first, second, items }) => {
    expect(shown(merged(merged(nothing, first, making(1)), second, making(2)))).toEqual(items);
  });

  it('a change adds a version, keeps the number, and unites the sources', () => {
    const first = merged(nothing, [add('current_state', 'ci: red', 1)], making(1));
    const item = itemOf(merged(first, [add('current_state', 'ci: green', 7)], making(4)), 1);
    expect(item).toMatchObject({
      version: 2,
      cycleCreated: 1,
      cycleChanged: 4,
      sourceEntryIds: ['E1', 'E7'],
      lastSourceSeq: 7,
      spanHash: 'span 4',
    });
  });

  it('the windows of one pass make one version together', () => {
    const first = merged(nothing, [add('current_state', 'ci: red', 1)], making(1));
    const second = merged(first, [add('current_state', 'ci: amber', 2)], making(2));
    expect(
      itemOf(merged(second, [add('current_state', 'ci: green', 3)], making(2)), 1).version,
    ).toBe(2);
  });

  it('an invalid operation makes the whole patch invalid', () => {
    const operations = [add('next_steps', 'fine', 1), add('wishes', 'not', 1)];
    expect(mergePatch(nothing, { operations }, everyEntry, making(1)).outcome).toBe('invalid');
  });

  it('a constraint in a patch becomes a proposal and no item', () => {
    const { summary, proposals } = mergedWhole(nothing, [add('constraints', 'Never push.', 3)]);
    expect(summary.items).toEqual([]);
    expect(proposals).toEqual([{ text: 'Never push.', sources: [3] }]);
  });
});

describe('laws of mergePatch', () => {
  const items = integer({ min: 1, max: 8 });
  const sources = uniqueArray(integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 });
  const text = constantFrom(
    'db: a',
    'db: b',
    'ci: red',
    'ci: green',
    'one',
    'One',
    'two',
    'Error 12',
    'Error 40',
  );
  const refs = constantFrom([], [{ kind: 'path', text: 'a.ts' } as const]);
  const section = constantFrom('decisions', 'current_state', 'next_steps', 'errors_and_fixes');
  const operation: Arbitrary<PatchOperation> = oneof(
    record({
      operation: constantFrom('add' as const),
      section,
      text,
      refs,
      sources,
      state: constantFrom('open' as const, 'resolved' as const),
    }),
    record({ operation: constantFrom('update' as const), item: items, text, refs, sources }),
    record({ operation: constantFrom('resolve' as const), item: items, sources }),
    record({
      operation: constantFrom('supersede' as const),
      item: items,
      by: oneof(record({ item: items }), record({ add: integer({ min: 0, max: 7 }) })),
      sources,
    }),
  );
  const patches = array(array(operation, { maxLength: 8 }), { minLength: 1, maxLength: 4 });

  /** Merges what is valid of each patch; invalid operations are left out one by one. */
  function run(summary: AnchoredSummary, given: readonly PatchOperation[], cycle: number) {
    let operations = given;
    for (;;) {
      const verdict = mergePatch(summary, { operations }, everyEntry, making(cycle));
      if (verdict.outcome === 'merged') return { operations, summary: verdict.summary };
      const bad = new Set(verdict.faults.map((fault) => fault.operation ?? operations.length - 1));
      operations = operations.filter((_, index) => !bad.has(index));
    }
  }

  it('a patch merged twice gives what it gave once', () => {
    assertProperty(
      property(patches, (given) => {
        let summary = nothing;
        given.forEach((patch, index) => {
          const once = run(summary, patch, index + 1);
          const twice = mergePatch(
            once.summary,
            { operations: once.operations },
            everyEntry,
            making(index + 1),
          );
          const later = mergePatch(
            once.summary,
            { operations: once.operations },
            everyEntry,
            making(99),
          );
          for (const verdict of [twice, later])
            expect(verdict.outcome === 'merged' && verdict.summary).toEqual(once.summary);
          summary = once.summary;
        });
      }),
      { seed: SEED, numRuns: 1_500 },
    );
  });

  it('nothing is deleted, numbers are kept, and unnamed items stay the same objects', () => {
    assertProperty(
      property(patches, (given) => {
        let summary = nothing;
        given.forEach((patch, index) => {
          const { operations, summary: after } = run(summary, patch, index + 1);
          const keys = new Set(after.items.map(({ identityKey }) => identityKey));
          const added = new Set(
            operations.flatMap((one) => (one.operation === 'add' ? [one.section] : [])),
          );
          const named = new Set(
            operations.flatMap((one) => (one.operation === 'add' ? [] : [one.item])),
          );
          for (const item of summary.items) {
            const kept = itemOf(after, item.itemNo);
            expect(kept.itemId).toBe(item.itemId);
            expect(keys.has(kept.identityKey)).toBe(true);
            expect(kept.sourceEntryIds).toEqual(expect.arrayContaining([...item.sourceEntryIds]));
            if (!named.has(item.itemNo) && !added.has(item.section)) expect(kept).toBe(item);
          }
          expect(after.items.map(({ itemNo }) => itemNo)).toEqual(
            after.items.map((_, at) => at + 1),
          );
          summary = after;
        });
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('no chain of successors comes back to its beginning', () => {
    assertProperty(
      property(patches, (given) => {
        const summary = given.reduce(
          (before, patch, index) => run(before, patch, index + 1).summary,
          nothing,
        );
        for (const { itemNo } of summary.items) {
          let at = itemOf(summary, itemNo).supersededBy;
          for (let steps = 0; at !== null; steps += 1) {
            expect(steps).toBeLessThan(summary.items.length);
            at = itemOf(summary, at).supersededBy;
          }
        }
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});
