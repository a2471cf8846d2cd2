import { describe, expect, it } from '@jest/globals';
import {
  array,
  assert as assertProperty,
  constantFrom,
  integer,
  property,
  record,
  uniqueArray,
} from 'fast-check';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import {
  offlinePatch,
  type OfflineWindow,
  summariseOffline,
} from '../../../../src/domain/session/summary/offline-summary.js';
import {
  type CommandLine,
  NO_LINES,
  type SectionLines,
} from '../../../../src/domain/session/summary/section-lines.js';
import { emptySummary } from '../../../../src/domain/session/summary/summary-item.js';
import { renderSummary } from '../../../../src/domain/session/summary/render-summary.js';
import { counter, making, measures, nothing, shown } from './summary-world.js';

function command(seq: number, change: Partial<CommandLine> = {}): CommandLine {
  return {
    seq,
    command: 'npm test',
    exitCode: 0,
    state: 'ok',
    outcome: null,
    commit: null,
    ...change,
  };
}

function windowOf(commands: readonly CommandLine[], from = 1, to = 99): OfflineWindow {
  const within = ({ seq }: CommandLine): boolean => seq >= from && seq <= to;
  const seqs = new Set(Array.from({ length: to - from + 1 }, (_, at) => from + at));
  return { seqs, commands: commands.filter(within) };
}

function summarise(
  windows: readonly OfflineWindow[],
  lines: SectionLines = NO_LINES,
  before = nothing,
) {
  const verdict = summariseOffline(before, windows, lines, making(1), measures);
  if (verdict.outcome === 'invalid') throw new Error(JSON.stringify(verdict.faults));
  return verdict.summary;
}

describe('the current state, without a model', () => {
  it.each([
    {
      rule: 'the last outcome of a command counts',
      commands: [
        command(1, { state: 'failed', exitCode: 1, outcome: { passed: 9, failed: 3 } }),
        command(5, { outcome: { passed: 12, failed: 0 } }),
      ],
      items: ['`npm test`: ok, 12 passed, 0 failed'],
    },
    {
      rule: 'a failure has its exit code',
      commands: [command(1, { state: 'failed', exitCode: 2 })],
      items: ['`npm test`: failed, exit code 2'],
    },
    {
      rule: 'commands are told apart',
      commands: [command(1), command(2, { command: 'npm run build' })],
      items: ['`npm test`: ok', '`npm run build`: ok'],
    },
    { rule: 'reading leaves no state', commands: [command(1, { command: 'cat a.ts' })], items: [] },
    {
      rule: 'reading that failed does',
      commands: [command(1, { command: 'cat a.ts', state: 'failed', exitCode: 1 })],
      items: ['`cat a.ts`: failed, exit code 1'],
    },
    {
      rule: 'the last commit is named',
      commands: [
        command(1, { command: 'git commit -m x', commit: 'main abc1234 x' }),
        command(2, { command: 'git commit -m y', commit: 'main def5678 y' }),
      ],
      items: ['`git commit -m x`: ok', 'Last commit: main def5678 y', '`git commit -m y`: ok'],
    },
  ])('$rule', ({ commands, items }) => {
    expect(summarise([windowOf(commands)]).items.map(({ text }) => text)).toEqual(items);
  });

  it('a schema without the section gets an empty patch', () => {
    const bare = emptySummary({
      ...nothing.schema,
      sections: nothing.schema.sections.filter(({ key }) => key !== 'current_state'),
    });
    expect(offlinePatch(bare, windowOf([command(1)]), counter).operations).toEqual([]);
  });
});

describe('next steps, without a model', () => {
  const open: SectionLines = {
    ...NO_LINES,
    asks: [{ turn: 1, prompt: { seq: 1, text: 'Fix login' }, state: 'open' }],
    todos: [
      { text: 'write test', state: 'completed', lastSeq: 2 },
      { text: 'fix it', state: 'pending', lastSeq: 2 },
    ],
    errors: [
      {
        text: 'E2E failed',
        signature: 'E2E failed',
        path: null,
        line: null,
        count: 1,
        state: 'open',
        lastSeq: 3,
        resolvedBySeq: null,
      },
    ],
  };

  it('open todos, then open errors, then the open ask', () => {
    const items = summarise([windowOf([])], open).items.filter(
      ({ section }) => section === 'next_steps',
    );
    expect(items.map(({ text }) => text)).toEqual([
      'fix it',
      'Open error: E2E failed',
      'Open request: Fix login [entry:1]',
    ]);
  });

  it('finished todos are finished work', () => {
    expect(shown(summarise([windowOf([])], open))).toContain(
      '#5 current_state resolved Done: write test',
    );
  });

  it('of two open requests only the newest is a next step', () => {
    const before = summarise([windowOf([])], open);
    const asks = [
      ...open.asks,
      { turn: 2, prompt: { seq: 9, text: 'Stop that' }, state: 'open' as const },
    ];
    const steps = summarise([windowOf([])], { ...open, asks }, before).items.filter(({ text }) =>
      text.startsWith('Open request'),
    );
    expect(steps.map(({ text, state }) => [text, state])).toEqual([
      ['Open request: Fix login [entry:1]', 'superseded'],
      ['Open request: Stop that [entry:9]', 'open'],
    ]);
  });

  it('what is done later is no next step any more', () => {
    const before = summarise([windowOf([])], open);
    const later: SectionLines = {
      ...open,
      asks: [{ turn: 1, prompt: null, state: 'resolved' }],
      errors: open.errors.map((error) => ({ ...error, state: 'resolved', resolvedBySeq: 8 })),
    };
    const after = fillSections(before, later, making(2, 'trail'), measures);
    const steps = after.items.filter(
      ({ section, state }) => section === 'next_steps' && state === 'open',
    );
    expect(steps.map(({ text }) => text)).toEqual(['fix it']);
  });
});

describe('laws of the offline summarizer', () => {
  const lines: SectionLines = {
    ...NO_LINES,
    asks: [{ turn: 1, prompt: { seq: 1, text: 'Fix login' }, state: 'open' }],
    trail: [{ path: 'a.ts', state: 'modified', note: 'x', lastSeq: 4 }],
  };
  const outcome = record({
    command: constantFrom(
      'npm test',
      'npm run build',
      'cat a.ts',
      'git commit -m "x: y"',
      'echo a: b',
      '`date`',
    ),
    state: constantFrom('ok' as const, 'failed' as const, 'timed-out' as const),
    exitCode: constantFrom(null, 0, 1),
    outcome: constantFrom(null, { passed: 3, failed: 1 }),
    commit: constantFrom(null, 'main abc1234 one', 'main def5678 two'),
  });
  const commands = array(outcome, { maxLength: 30 }).map((some) =>
    some.map((one, at) => ({ ...one, seq: at + 1 })),
  );
  const cuts = uniqueArray(integer({ min: 2, max: 30 }), { maxLength: 5 });

  it('windows one after the other give the same items as one window', () => {
    assertProperty(
      property(commands, cuts, (given, at) => {
        const edges = [1, ...at.sort((a, b) => a - b), 100];
        const windows = edges
          .slice(0, -1)
          .map((from, index) => windowOf(given, from, (edges[index + 1] ?? 100) - 1));
        const whole = summarise([windowOf(given)], lines);
        expect(summarise(windows, lines)).toEqual(whole);
        const known = summarise([windowOf(given.slice(0, 4))], lines);
        expect(summarise(windows, lines, known)).toEqual(
          summarise([windowOf(given)], lines, known),
        );
      }),
      { seed: 78, numRuns: 300 },
    );
  });

  it('equal input gives equal bytes, and the same input again changes nothing', () => {
    assertProperty(
      property(commands, (given) => {
        const once = summarise([windowOf(given)], lines);
        expect(renderSummary(summarise([windowOf(given)], lines))).toBe(renderSummary(once));
        expect(renderSummary(summarise([windowOf(given)], lines, once))).toBe(renderSummary(once));
      }),
      { seed: 79, numRuns: 200 },
    );
  });
});
