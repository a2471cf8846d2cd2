import { describe, expect, it } from '@jest/globals';
import { assert as assertProperty, integer, property, string } from 'fast-check';
import { currentAsk, readAsks } from '../../../../src/domain/session/summary/asks.js';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import { headWithin, lineWithin } from '../../../../src/domain/session/summary/head-within.js';
import { NO_LINES } from '../../../../src/domain/session/summary/section-lines.js';
import { missionOf } from '../../../../src/domain/session/summary/summary-item.js';
import type { StoredEntry } from '../../../../src/domain/session/stored-entry.js';
import { counter, making, measures, merged, nothing, shown } from './summary-world.js';

/** Entries of one session written as `turn:what`, where what is prompt, says, calls, gets or notes. */
function entries(...texts: readonly string[]): Parameters<typeof readAsks>[0] {
  const kinds: Readonly<Record<string, Pick<StoredEntry, 'kind' | 'author'>>> = {
    prompt: { kind: 'user', author: 'human' },
    says: { kind: 'assistant', author: 'agent' },
    calls: { kind: 'tool_call', author: 'agent' },
    gets: { kind: 'tool_result', author: 'tool' },
    notes: { kind: 'user', author: 'harness' },
  };
  return texts.map((text, at) => {
    const [turn = '', what = '', active = 'active'] = text.split(':');
    const kind = kinds[what] ?? { kind: 'system', author: 'system' };
    return {
      ...kind,
      seq: at + 1,
      turn: Number(turn),
      content: `text ${at + 1}`,
      active: active === 'active',
    };
  });
}

describe('readAsks', () => {
  it.each([
    {
      rule: 'done when the agent had the last word',
      given: ['1:prompt', '1:calls', '1:gets', '1:says'],
      states: ['resolved'],
    },
    {
      rule: 'open while a call has the last word',
      given: ['1:prompt', '1:says', '1:calls'],
      states: ['open'],
    },
    { rule: 'open after a result', given: ['1:prompt', '1:calls', '1:gets'], states: ['open'] },
    { rule: 'open when nothing was said', given: ['1:prompt'], states: ['open'] },
    {
      rule: 'a reminder of the harness is no last word',
      given: ['1:prompt', '1:says', '1:notes'],
      states: ['resolved'],
    },
    {
      rule: 'a rewound branch does not count',
      given: ['1:prompt', '1:says', '2:prompt:no', '2:says:no'],
      states: ['resolved'],
    },
    {
      rule: 'each turn for itself',
      given: ['1:prompt', '1:calls', '2:prompt', '2:says', '3:prompt'],
      states: ['open', 'resolved', 'open'],
    },
    {
      rule: 'what comes before the first prompt has no ask',
      given: ['0:says', '0:calls'],
      states: [],
    },
  ])('an ask is $rule', ({ given, states }) => {
    expect(readAsks(entries(...given), () => 0).map(({ state }) => state)).toEqual(states);
  });

  it('an ask with open todos is open', () => {
    const asks = readAsks(entries('1:prompt', '1:says', '2:prompt', '2:says'), (turn) =>
      turn === 1 ? 2 : 0,
    );
    expect(asks.map(({ state }) => state)).toEqual(['open', 'resolved']);
  });

  it('a turn whose prompt left earlier is followed without it', () => {
    expect(readAsks(entries('4:gets', '4:says'), () => 0)).toEqual([
      { turn: 4, prompt: null, state: 'resolved' },
    ]);
  });
});

describe('asks in the summary', () => {
  const first = { turn: 1, prompt: { seq: 1, text: 'Fix the login' }, state: 'open' } as const;
  const second = { turn: 2, prompt: { seq: 8, text: 'Now the logout' }, state: 'open' } as const;
  const fill = (
    summary: typeof nothing,
    asks: Parameters<typeof fillSections>[1]['asks'],
    cycle: number,
  ) => fillSections(summary, { ...NO_LINES, asks }, making(cycle, 'trail'), measures);

  it('the mission comes first, then one item per prompt', () => {
    const summary = fill(nothing, [first, second], 1);
    expect(shown(summary)).toEqual([
      '#1 session_intent open Fix the login',
      '#2 session_intent open Fix the login [entry:1]',
      '#3 session_intent open Now the logout [entry:8]',
    ]);
    expect(missionOf(summary)).toMatchObject({ itemNo: 1, pinned: true });
    expect(currentAsk(summary)?.itemNo).toBe(3);
  });

  it('a later cycle resolves what is done, without the prompt, and adds nothing twice', () => {
    const before = fill(nothing, [first], 1);
    const after = fill(before, [{ turn: 1, prompt: null, state: 'resolved' }, first, second], 2);
    expect(shown(after)).toEqual([
      '#1 session_intent open Fix the login',
      '#2 session_intent resolved Fix the login [entry:1]',
      '#3 session_intent open Now the logout [entry:8]',
    ]);
    expect(fill(after, [first, second], 3)).toEqual(after);
  });

  it('what a patch has ended is not opened again', () => {
    const before = fill(nothing, [first, second], 1);
    const ended = merged(
      before,
      [{ operation: 'supersede', item: 2, by: { item: 3 }, sources: [8] }],
      making(2),
    );
    expect(fill(ended, [first, second], 3)).toEqual(ended);
  });

  it('a long prompt is cut, and says where the whole is', () => {
    const text = 'word '.repeat(2_000);
    const summary = fill(nothing, [{ turn: 1, prompt: { seq: 5, text }, state: 'open' }], 1);
    const [mission, ask] = summary.items;
    expect(counter.count(mission?.text ?? '')).toBeLessThanOrEqual(500);
    expect(text).toContain(mission?.text);
    expect(ask?.text).toMatch(/^(?:word )+word … \[entry:5\]$/);
    expect(counter.count(ask?.text ?? '')).toBeLessThanOrEqual(110);
  });
});

describe('headWithin', () => {
  it('a head is a beginning of the text, fits, and never cuts a character', () => {
    assertProperty(
      property(
        string({ unit: 'grapheme', maxLength: 400 }),
        integer({ min: 1, max: 40 }),
        (text, tokens) => {
          const head = headWithin(text, tokens, counter);
          expect(text.trim().startsWith(head.text)).toBe(true);
          expect(counter.count(head.text)).toBeLessThanOrEqual(tokens);
          expect(head.text).not.toMatch(/[\uD800-\uDBFF]$/);
          expect(head.isWhole).toBe(head.text === text.trim());
        },
      ),
      { seed: 12, numRuns: 300 },
    );
  });

  it('a line has no breaks and marks its cut', () => {
    expect(lineWithin('one\n  two', 10, counter)).toBe('one two');
    expect(lineWithin('one two three four', 2, counter)).toMatch(/^one.* …$/);
  });
});
