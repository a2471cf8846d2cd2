import { describe, expect, it } from '@jest/globals';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import {
  type ErrorLine,
  NO_LINES,
  type SectionLines,
  type TodoLine,
  type TrailLine,
} from '../../../../src/domain/session/summary/section-lines.js';
import type { SessionDecision } from '../../../../src/domain/session/session-decision.js';
import type { DecisionId } from '../../../../src/domain/kernel/ids.js';
import { itemOf, making, measures, merged, nothing, shown } from './summary-world.js';

function fill(
  summary: typeof nothing,
  lines: Partial<SectionLines>,
  cycle: number,
): typeof nothing {
  return fillSections(summary, { ...NO_LINES, ...lines }, making(cycle, 'trail'), measures);
}

function file(
  path: string,
  state: TrailLine['state'],
  lastSeq: number,
  note: string | null = null,
): TrailLine {
  return { path, state, note, lastSeq };
}

const failure: ErrorLine = {
  text: 'TypeError: x is undefined',
  signature: 'TypeError: x is undefined',
  path: 'src/a.ts',
  line: 4,
  count: 2,
  state: 'open',
  lastSeq: 5,
  resolvedBySeq: null,
};

const fixed: ErrorLine = { ...failure, state: 'resolved', resolvedBySeq: 9 };

function decision(id: string, change: Partial<SessionDecision>): SessionDecision {
  return {
    decisionId: id as DecisionId,
    parentDecisionId: null,
    type: 'implementation_choice',
    question: 'Which store?',
    choice: 'Postgres',
    rationale: null,
    supersedes: null,
    createdAt: null,
    sourceKey: id,
    ...change,
  };
}

function todo(text: string, state: TodoLine['state'], lastSeq: number): TodoLine {
  return { text, state, lastSeq };
}

describe('sections filled from the trail', () => {
  it('read and changed files have a section each', () => {
    const summary = fill(
      nothing,
      { trail: [file('a.ts', 'modified', 2, '1 hunk, +2 −1'), file('b.ts', 'read', 3)] },
      1,
    );
    expect(shown(summary)).toEqual([
      '#1 files_modified open a.ts – modified: 1 hunk, +2 −1',
      '#2 files_read open b.ts – read',
    ]);
  });

  it('a file that was read and is changed moves, and is never in both', () => {
    const before = fill(nothing, { trail: [file('a.ts', 'read', 2)] }, 1);
    const after = fill(before, { trail: [file('a.ts', 'modified', 7)] }, 2);
    expect(shown(after)).toEqual(['#1 files_modified open a.ts – modified']);
    expect(itemOf(after, 1)).toMatchObject({ version: 2, sourceEntryIds: ['E2', 'E7'] });
  });

  it('an archived file comes back when it is touched, and not before', () => {
    const before = fill(nothing, { trail: [file('a.ts', 'read', 2)] }, 1);
    const archived = {
      ...before,
      items: before.items.map((item) => ({ ...item, archived: true })),
    };
    expect(fill(archived, { trail: [file('a.ts', 'read', 2)] }, 2)).toEqual(archived);
    expect(itemOf(fill(archived, { trail: [file('a.ts', 'read', 5)] }, 2), 1).archived).toBe(false);
  });

  it('equal lines again change nothing', () => {
    const lines = {
      trail: [file('a.ts', 'modified', 2)],
      errors: [failure],
      todos: [todo('write docs', 'pending', 3)],
      decisions: [{ decision: decision('d1', {}), seq: 4, isPrompt: false }],
    };
    const once = fill(nothing, lines, 1);
    expect(fill(once, lines, 2)).toEqual(once);
  });
});

describe('errors', () => {
  it('an open error stands as it was reported, with its place', () => {
    expect(shown(fill(nothing, { errors: [failure] }, 1))).toEqual([
      '#1 errors_and_fixes open TypeError: x is undefined (src/a.ts:4), 2 times',
    ]);
  });

  it('a resolved one names the changes between failure and success', () => {
    const changes = [
      { seq: 3, path: 'early.ts', note: null },
      { seq: 7, path: 'src/a.ts', note: '1 hunk' },
      { seq: 12, path: 'late.ts', note: null },
    ];
    const before = fill(nothing, { errors: [failure] }, 1);
    expect(shown(fill(before, { errors: [fixed], changes }, 2))).toEqual([
      '#1 errors_and_fixes resolved TypeError: x is undefined (src/a.ts:4), 2 times – gone since entry:9, after src/a.ts (1 hunk)',
    ]);
  });

  it('a text that a model wrote is kept, its state follows the trail', () => {
    const before = merged(
      fill(nothing, { errors: [failure] }, 1),
      [{ operation: 'update', item: 1, text: 'x was never set', refs: [], sources: [6] }],
      making(2),
    );
    expect(shown(fill(before, { errors: [fixed] }, 3))).toEqual([
      '#1 errors_and_fixes resolved x was never set',
    ]);
  });

  it('an error that a patch declared resolved is open again when it is seen again', () => {
    const before = merged(
      fill(nothing, { errors: [failure] }, 1),
      [{ operation: 'resolve', item: 1, sources: [6] }],
      making(2),
    );
    expect(itemOf(fill(before, { errors: [{ ...failure, lastSeq: 8 }] }, 3), 1).state).toBe('open');
  });
});

describe('decisions', () => {
  it.each([
    {
      rule: 'an answer stands behind its question',
      change: {},
      text: 'Which store?: Postgres [entry:4]',
    },
    {
      rule: 'options not taken are named',
      change: { rationale: 'Not taken: SQLite' },
      text: 'Which store?: Postgres (Not taken: SQLite) [entry:4]',
    },
    {
      rule: 'a plan is named as approved',
      change: { type: 'strategy_choice', choice: '1. Do it' } as const,
      text: 'Approved plan: 1. Do it [entry:4]',
    },
    {
      rule: 'a sub-agent is named with its brief',
      change: { type: 'subplan_spawn', choice: 'reviewer', question: 'Review it' } as const,
      text: 'Sub-agent reviewer: Review it [entry:4]',
    },
  ])('$rule', ({ change, text }) => {
    const decisions = [{ decision: decision('d1', change), seq: 4, isPrompt: false }];
    expect(shown(fill(nothing, { decisions }, 1))).toEqual([`#1 decisions open ${text}`]);
  });

  it('prompts are asks and not listed twice', () => {
    const decisions = [
      { decision: decision('d1', { type: 'prompt_definition' }), seq: 1, isPrompt: true },
    ];
    expect(fill(nothing, { decisions }, 1).items).toEqual([]);
  });

  it('a later answer supersedes the earlier across cycles', () => {
    const before = fill(
      nothing,
      { decisions: [{ decision: decision('d1', {}), seq: 4, isPrompt: false }] },
      1,
    );
    const later = decision('d2', { choice: 'SQLite', supersedes: 'd1' as DecisionId });
    const after = fill(before, { decisions: [{ decision: later, seq: 8, isPrompt: false }] }, 2);
    expect(itemOf(after, 1)).toMatchObject({ state: 'superseded', supersededBy: 2 });
    expect(itemOf(after, 2)).toMatchObject({
      state: 'open',
      text: 'Which store?: SQLite [entry:8]',
    });
  });
});

describe('todos', () => {
  it.each([
    {
      rule: 'a finished one is resolved',
      later: todo('write docs', 'completed', 9),
      state: 'resolved',
    },
    {
      rule: 'a cancelled one is no longer valid',
      later: todo('write docs', 'cancelled', 9),
      state: 'superseded',
    },
    { rule: 'one in progress is open', later: todo('write docs', 'in-progress', 9), state: 'open' },
    {
      rule: 'an older statement changes nothing',
      later: todo('write docs', 'completed', 2),
      state: 'open',
    },
  ])('$rule', ({ later, state }) => {
    const before = fill(nothing, { todos: [todo('write docs', 'pending', 3)] }, 1);
    expect(itemOf(fill(before, { todos: [later] }, 2), 1).state).toBe(state);
  });

  it('they stand in the order of the list; finished ones are no next steps', () => {
    const todos = [todo('a', 'completed', 3), todo('b', 'in-progress', 3), todo('c', 'pending', 3)];
    expect(shown(fill(nothing, { todos }, 1))).toEqual([
      '#1 next_steps open b',
      '#2 next_steps open c',
    ]);
  });
});
