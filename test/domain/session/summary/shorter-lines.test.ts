import { describe, expect, it } from '@jest/globals';
import { assert as assertProperty, integer, property } from 'fast-check';
import {
  archiveItems,
  tokensWithoutPins,
} from '../../../../src/domain/session/summary/archive-items.js';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import { renderSummary } from '../../../../src/domain/session/summary/render-summary.js';
import {
  NO_LINES,
  type SectionLines,
} from '../../../../src/domain/session/summary/section-lines.js';
import {
  isBarePath,
  shorterAsk,
  shorterFile,
  shorterProse,
} from '../../../../src/domain/session/summary/shorter-lines.js';
import type { AnchoredSummary } from '../../../../src/domain/session/summary/summary-item.js';
import { expandPathLists } from '../../../../src/domain/session/trail/path-list.js';
import { counter, making, measures, nothing } from './summary-world.js';

function linesOf(changed: number, read: number, asks: number): SectionLines {
  return {
    ...NO_LINES,
    asks: Array.from({ length: asks }, (_, at) => ({
      turn: at + 1,
      prompt: { seq: at + 1, text: `Wish ${at} ${'and more of it '.repeat(40)}` },
      state: 'open' as const,
    })),
    trail: [
      ...Array.from({ length: changed }, (_, at) => ({
        path: `src/part/changed-${at}.ts`,
        state: 'modified' as const,
        note: '3 hunks, +12 −4, `createReset` and others',
        lastSeq: at + 1,
      })),
      ...Array.from({ length: read }, (_, at) => ({
        path: `docs/read-${at}.md`,
        state: 'read' as const,
        note: 'read twice',
        lastSeq: at + 1,
      })),
    ],
  };
}

function summaryOf(lines: SectionLines, before: AnchoredSummary = nothing): AnchoredSummary {
  return fillSections(before, lines, making(1, 'trail'), measures);
}

const archive = (summary: AnchoredSummary, tokens: number): ReturnType<typeof archiveItems> =>
  archiveItems(summary, tokens, counter, making(1, 'trail'));

describe('a file under a smaller ceiling', () => {
  const file = (path: string, text: string) => ({
    ...summaryOf(linesOf(1, 0, 0)).items[0],
    refs: [{ kind: 'path' as const, text: path }],
    text,
  });

  it.each([
    ['loses its note first', 'a.ts', 'a.ts – modified: 3 hunks', 'a.ts – modified'],
    ['then stands by its path', 'a.ts', 'a.ts – modified', 'a.ts'],
    ['is no shorter than its path', 'a.ts', 'a.ts', null],
    ['says that it was removed', 'a.ts', 'a.ts – deleted', null],
    ['says that it was moved', 'a.ts', 'a.ts – renamed', null],
    ['never passes for a heading', '# a', '# a – modified', null],
    ['never passes for a count of archived items', '(1 archived', '(1 archived – read', null],
    ['keeps a path that was cut as it is', 'a/b/c.ts', 'a/b … – modified', null],
  ])('%s', (_rule, path, text, expected) => {
    const [item] = summaryOf(linesOf(1, 0, 0)).items;
    if (item === undefined) throw new Error('no item');
    expect(shorterFile({ ...item, ...file(path, text) })).toBe(expected);
  });

  it('reads are shortened before changes, and changed files leave last', () => {
    const summary = summaryOf(linesOf(4, 4, 0));
    const whole = tokensWithoutPins(summary, counter);
    const { summary: shorter, archived } = archive(summary, whole - 10);
    expect(archived).toEqual([]);
    expect(shorter.items.filter(({ text }) => text.includes(': read twice')).length).toBeLessThan(
      4,
    );
    expect(shorter.items.filter(({ text }) => text.includes('3 hunks'))).toHaveLength(4);
  });

  it('paths alone stand as lines under one heading with the handle of all', () => {
    const { summary } = archive(summaryOf(linesOf(10, 0, 0)), 172);
    expect(renderSummary(summary)).toContain(
      'Paths only, as folder/: paths below it (section:files_modified):\nsrc/part/: changed-0.ts, changed-1.ts, ',
    );
  });

  it('an archived file keeps its whole text', () => {
    const summary = summaryOf(linesOf(3, 0, 0));
    const { summary: after } = archive(summary, 1);
    expect(after.items.map(({ text }) => text)).toEqual(summary.items.map(({ text }) => text));
  });

  it('a file has its whole line again where there is room again', () => {
    const lines = linesOf(30, 5, 2);
    const summary = summaryOf(lines);
    const { summary: small, archived } = archive(summary, 700);
    expect(archived).toEqual([]);
    expect(small.items.filter(isBarePath)).not.toEqual([]);
    const again = summaryOf(lines, small);
    expect(again.items.filter(({ section }) => section.startsWith('files'))).toEqual(
      summary.items.filter(({ section }) => section.startsWith('files')),
    );
  });
});

describe('an older open request', () => {
  it('keeps its beginning and its handle, in two steps', () => {
    const said = 'word '.repeat(60).trim();
    const steps = shorterAsk(`${said} … [entry:7]`, counter);
    expect(steps).toHaveLength(2);
    for (const step of steps) expect(step).toMatch(/^word( word)* … \[entry:7\]$/);
    expect(counter.count(steps[1] ?? '')).toBeLessThan(counter.count(steps[0] ?? ''));
  });

  it.each(['Fix it [entry:7]', 'without a handle'])('stays as it is: %s', (text) => {
    expect(shorterAsk(text, counter)).toEqual([]);
  });

  it('leaves its room to changed files; the newest stays whole', () => {
    const summary = summaryOf(linesOf(40, 20, 20));
    const { summary: after, tokens } = archive(summary, 2_000);
    expect(tokens).toBeLessThanOrEqual(2_000);
    const text = expandPathLists(renderSummary(after));
    for (let at = 0; at < 40; at += 1) expect(text).toContain(`src/part/changed-${at}.ts`);
    const newest = summary.items.findLast(({ section }) => section === 'session_intent');
    expect(text).toContain(newest?.text);
    for (let seq = 1; seq <= 20; seq += 1) expect(text).toContain(`[entry:${seq}]`);
  });
});

describe('prose that code wrote', () => {
  const long = 'word '.repeat(60).trim();
  const summary = summaryOf({
    ...linesOf(0, 30, 1),
    decisions: [
      {
        decision: {
          decisionId: 'D1',
          type: 'preference_declaration',
          question: 'Which store?',
          choice: `Postgres, ${long}`,
          rationale: null,
          supersedes: null,
        } as never,
        seq: 3,
        isPrompt: false,
      },
    ],
    errors: [
      {
        text: `Error: ${long}`,
        signature: 's',
        path: null,
        line: null,
        count: 1,
        state: 'open',
        lastSeq: 4,
        resolvedBySeq: null,
      },
    ],
  });

  it('gets shorter before a file that was read leaves, and keeps its number and its entry', () => {
    const tokens = tokensWithoutPins(archive(summary, 360).summary, counter);
    const { summary: after, archived } = archive(summary, 360);
    expect(tokens).toBeLessThanOrEqual(360);
    expect(archived).toEqual([]);
    const text = renderSummary(after);
    expect(text).toMatch(/#\d+ Which store\?: Postgres, word( word)* … \[entry:3\]/);
    expect(text).toMatch(/#\d+ Error: word( word)* …\n/);
    expect(text).not.toContain(long);
  });

  it('stays as it is where a summarizer wrote it', () => {
    for (const item of summary.items)
      expect(shorterProse(summary, { ...item, producer: 'model:test' }, counter)).toEqual([]);
  });
});

describe('laws of a summary under a ceiling', () => {
  it('everything is within it or only what may not leave is left, newest changes stay, all others are counted', () => {
    assertProperty(
      property(
        integer({ min: 0, max: 80 }),
        integer({ min: 0, max: 40 }),
        integer({ min: 0, max: 6 }),
        integer({ min: 1, max: 2_500 }),
        (changed, read, asks, ceiling) => {
          const summary = summaryOf(linesOf(changed, read, asks));
          const { summary: after, tokens } = archive(summary, ceiling);
          const files = after.items.filter(({ section }) => section.startsWith('files'));
          if (tokens > ceiling) expect(files.every(({ archived }) => archived)).toBe(true);
          const text = expandPathLists(renderSummary(after));
          expect(tokens).toBe(tokensWithoutPins(after, counter));
          for (const key of ['files_modified', 'files_read']) {
            const own = files.filter(({ section }) => section === key);
            const gone = own.filter(({ archived }) => archived);
            if (gone.length > 0)
              expect(text).toContain(`(${gone.length} archived: section:${key})`);
            for (const item of own.filter(({ archived }) => !archived))
              expect(
                text
                  .split('\n')
                  .some((line) =>
                    isBarePath(item)
                      ? line.split(', ').includes(item.text)
                      : line.endsWith(item.text),
                  ),
              ).toBe(true);
            // The oldest leave first.
            const newestGone = Math.max(0, ...gone.map(({ lastSourceSeq }) => lastSourceSeq));
            const shown = own.filter(({ archived }) => !archived);
            expect(shown.every(({ lastSourceSeq }) => lastSourceSeq > newestGone)).toBe(true);
          }
          // A changed file leaves only after every file that was only read.
          if (files.some(({ section, archived }) => archived && section === 'files_modified'))
            expect(
              files.every(({ section, archived }) => archived || section === 'files_modified'),
            ).toBe(true);
          expect(archive(summary, ceiling).summary).toEqual(after);
        },
      ),
      { seed: 81, numRuns: 100 },
    );
  });
});
