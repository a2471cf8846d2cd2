import { describe, expect, it } from '@jest/globals';
import {
  array,
  assert as assertProperty,
  constantFrom,
  integer,
  property,
  record,
} from 'fast-check';
import {
  archiveItems,
  tokensWithoutPins,
} from '../../../../src/domain/session/summary/archive-items.js';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import { addPin } from '../../../../src/domain/session/summary/pins.js';
import { renderSummary } from '../../../../src/domain/session/summary/render-summary.js';
import { NO_LINES } from '../../../../src/domain/session/summary/section-lines.js';
import { CODING_SCHEMA } from '../../../../src/domain/session/summary/section-schema.js';
import {
  activePins,
  asksOf,
  emptySummary,
} from '../../../../src/domain/session/summary/summary-item.js';
import {
  add,
  counter,
  digest,
  itemOf,
  making,
  measures,
  merged,
  nothing,
} from './summary-world.js';

const pinned = addPin(nothing, { text: 'Never push.', sources: [] }, making(0, 'host'), digest);

const filled = fillSections(
  pinned,
  {
    ...NO_LINES,
    asks: [
      { turn: 1, prompt: { seq: 1, text: 'First wish' }, state: 'resolved' },
      { turn: 2, prompt: { seq: 5, text: 'Second wish' }, state: 'open' },
    ],
    trail: [
      { path: 'old.ts', state: 'read', note: null, lastSeq: 2 },
      { path: 'new.ts', state: 'read', note: null, lastSeq: 9 },
      { path: 'mod.ts', state: 'modified', note: null, lastSeq: 3 },
    ],
  },
  making(1, 'trail'),
  measures,
);

const full = merged(
  merged(
    filled,
    [
      add('decisions', 'db: a', 2),
      add('current_state', 'ci: red', 2),
      add('next_steps', 'step', 2),
    ],
    making(1),
  ),
  [
    add('decisions', 'db: b', 6),
    add('current_state', 'docs: none', 6),
    { operation: 'resolve', item: 10, sources: [6] },
  ],
  making(2),
);

describe('archiveItems', () => {
  it('nothing leaves while everything fits', () => {
    const result = archiveItems(full, 6_000, counter, making(3, 'trail'));
    expect(result.archived).toEqual([]);
    expect(result.summary).toEqual(full);
  });

  it('superseded leave first, then resolved, files read, open ones of the lowest priority; the oldest first', () => {
    const { archived, summary } = archiveItems(full, 1, counter, making(3, 'trail'));
    expect(archived.map((itemNo) => itemOf(full, itemNo).text)).toEqual([
      'db: a',
      'First wish [entry:1]',
      'step',
      'old.ts – read',
      'new.ts – read',
      'ci: red',
      'docs: none',
      'db: b',
      'mod.ts – modified',
    ]);
    expect(
      summary.items.filter(({ archived: isArchived }) => !isArchived).map(({ text }) => text),
    ).toEqual(['Never push.', 'First wish', 'Second wish [entry:5]']);
  });

  it('the rendering says how many are archived, per section, with the handle', () => {
    const text = renderSummary(archiveItems(full, 1, counter, making(3, 'trail')).summary);
    expect(text).toContain('## Files read\n(2 archived: section:files_read)');
    expect(text).toContain('(2 archived: section:decisions)');
  });

  it('a section keeps to its own ceiling', () => {
    const sections = CODING_SCHEMA.sections.map((section) =>
      section.key === 'current_state' ? { ...section, maxTokens: 12 } : section,
    );
    const summary = merged(
      emptySummary({ ...CODING_SCHEMA, sections }),
      Array.from({ length: 6 }, (_, at) => add('current_state', `thing ${at}: some words`, at + 1)),
    );
    expect(archiveItems(summary, 6_000, counter, making(1, 'trail')).archived).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('pins, mission and open asks never leave, and the ceiling holds unless they alone are above it', () => {
    const section = constantFrom('decisions', 'current_state', 'next_steps');
    const text = integer({ min: 1, max: 60 }).map((size) => `${size}: ${'word '.repeat(size)}`);
    assertProperty(
      property(
        array(record({ section, text }), { maxLength: 40 }),
        integer({ min: 1, max: 900 }),
        (given, tokens) => {
          const before = merged(
            full,
            given.map((one) => add(one.section, one.text, 7)),
            making(3),
          );
          const result = archiveItems(before, tokens, counter, making(3, 'trail'));
          expect(activePins(result.summary)).toEqual(activePins(before));
          const isOpen = ({ state }: { readonly state: string }): boolean => state === 'open';
          expect(asksOf(result.summary).filter(isOpen)).toEqual(asksOf(before).filter(isOpen));
          expect(result.summary.items).toHaveLength(before.items.length);
          expect(result.tokens).toBe(tokensWithoutPins(result.summary, counter));
          const canLeave = result.summary.items.filter(
            (item) => !item.archived && !item.pinned && item.section !== 'session_intent',
          );
          expect(result.tokens <= tokens || canLeave.length === 0).toBe(true);
        },
      ),
      { seed: 31, numRuns: 150 },
    );
  });
});
