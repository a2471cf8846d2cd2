import { describe, expect, it } from '@jest/globals';
import {
  array,
  assert as assertProperty,
  constantFrom,
  integer,
  property,
  tuple,
} from 'fast-check';
import { checkGate } from '../../../../src/domain/session/summary/gate.js';
import {
  GATE_CODES,
  type GateCode,
  type GateInput,
} from '../../../../src/domain/session/summary/gate-input.js';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import { summariseOffline } from '../../../../src/domain/session/summary/offline-summary.js';
import type { PatchOperation } from '../../../../src/domain/session/summary/patch.js';
import { addPin } from '../../../../src/domain/session/summary/pins.js';
import { NO_LINES } from '../../../../src/domain/session/summary/section-lines.js';
import { trailTexts } from '../../../../src/domain/session/summary/trail-texts.js';
import type {
  AnchoredSummary,
  SummaryItem,
} from '../../../../src/domain/session/summary/summary-item.js';
import {
  add,
  counter,
  digest,
  entryIdOf,
  making,
  measures,
  merged,
  nothing,
} from './summary-world.js';

const lines = {
  ...NO_LINES,
  asks: [{ turn: 1, prompt: { seq: 1, text: 'Fix the login' }, state: 'open' as const }],
  trail: [
    { path: 'src/login.ts', state: 'modified' as const, note: '3 hunks, +12 −4', lastSeq: 2 },
  ],
};

const before = merged(
  fillSections(
    addPin(nothing, { text: 'Never push.', sources: [] }, making(0, 'host'), digest),
    lines,
    making(1, 'trail'),
    measures,
  ),
  [add('current_state', 'build: 17 warnings in `Session`', 2)],
  making(1),
);

const span = [
  {
    seq: 10,
    entryId: entryIdOf(10),
    text: 'Please look at src/logout.ts, it took 4812 ms',
    matters: true,
  },
  {
    seq: 11,
    entryId: entryIdOf(11),
    text: 'TypeError: user is undefined at logout (src/logout.ts:33), commit 1a2b3c4d5e, code ERR_NO_USER, see https://example.org/x',
    matters: true,
  },
];

function inputFor(
  after: AnchoredSummary,
  operations: readonly PatchOperation[],
  change: Partial<GateInput> = {},
): GateInput {
  return {
    strategy: 'anchored',
    before,
    after,
    opaqueText: null,
    patches: [{ operations }],
    answers: ['complete'],
    span,
    history: [],
    trailTexts: trailTexts(lines, []),
    requestBefore: { tokens: 9_000, counter: 'quarter 1' },
    requestAfter: { tokens: 4_000, counter: 'quarter 1' },
    targetTokens: 5_000,
    minFreedTokens: 900,
    pairingProblems: [],
    tailBefore: 'tail',
    tailAfter: 'tail',
    latestPrompt: 'Look at it',
    outgoingTexts: ['record', 'Look at it, please'],
    counter,
    digest,
    ...change,
  };
}

/** The gate over one patch of a summarizer. */
function judge(operations: readonly PatchOperation[], change: Partial<GateInput> = {}) {
  return checkGate(inputFor(merged(before, operations, making(2)), operations, change));
}

function failed(verdict: ReturnType<typeof checkGate>): readonly GateCode[] {
  return GATE_CODES.filter((code) => verdict.checks[code] === 'failed');
}

const good = add('errors_and_fixes', 'TypeError in src/logout.ts:33: user is undefined', 11);

describe('the gate', () => {
  it('a sound summary passes every check', () => {
    expect(judge([good])).toEqual({
      outcome: 'passed',
      checks: Object.fromEntries(GATE_CODES.map((code) => [code, 'passed'])),
      reasons: [],
    });
  });

  it.each([
    {
      rule: 'a message without its pair',
      change: { pairingProblems: ['call c1 has no result'] },
      code: 'pairing',
    },
    {
      rule: 'a larger request',
      change: { requestAfter: { tokens: 9_500, counter: 'quarter 1' } },
      code: 'size',
    },
    {
      rule: 'the same size, even where nothing must be freed',
      change: {
        minFreedTokens: 0,
        targetTokens: 9_000,
        requestAfter: { tokens: 9_000, counter: 'quarter 1' },
      },
      code: 'size',
    },
    {
      rule: 'slightly less than must be freed',
      change: { targetTokens: 9_000, requestAfter: { tokens: 8_101, counter: 'quarter 1' } },
      code: 'size',
    },
    { rule: 'more than the target', change: { targetTokens: 3_999 }, code: 'size' },
    {
      rule: 'two counters',
      change: { requestAfter: { tokens: 4_000, counter: 'other 1' } },
      code: 'size',
    },
    {
      rule: 'a size that is no number',
      change: { requestAfter: { tokens: Number.NaN, counter: 'quarter 1' } },
      code: 'size',
    },
    { rule: 'a changed tail', change: { tailAfter: 'tail ' }, code: 'tail' },
    { rule: 'a lost prompt', change: { outgoingTexts: ['Look at  it'] }, code: 'tail' },
    {
      rule: 'an answer cut by length',
      change: { answers: ['complete', 'truncated'] as const },
      code: 'text',
    },
    { rule: 'a filtered answer', change: { answers: ['filtered'] as const }, code: 'text' },
  ])('$rule is refused', ({ change, code }) => {
    const verdict = judge([good], change);
    expect([verdict.outcome, ...failed(verdict)]).toEqual(['rejected', code]);
    expect(verdict.reasons.length).toBeGreaterThan(0);
  });

  it.each([
    { rule: 'a path of the span', text: 'looked at src/logout.ts' },
    { rule: 'a path of the trail', text: 'changed src/login.ts' },
    { rule: 'a number of the span', text: 'it took 4812 ms' },
    { rule: 'a number with separators', text: 'it took 4,812 ms' },
    { rule: 'a number of one digit', text: 'it has 7 callers' },
    { rule: 'a hash, shortened', text: 'commit 1a2b3c4' },
    { rule: 'a code', text: 'ends with ERR_NO_USER' },
    { rule: 'a url', text: 'see https://example.org/x.' },
    { rule: 'a quoted symbol', text: '`logout` fails' },
    { rule: 'a quoted command over known files', text: 'ran `cat  src/logout.ts | wc`' },
    { rule: 'words joined by a slash', text: 'login and/or logout are slow, e.g. both' },
    { rule: 'a handle of ours', text: 'see entry:10 and #4' },
  ])('$rule may be named', ({ text }) => {
    expect(failed(judge([add('next_steps', text, 10)]))).toEqual([]);
  });

  it.each([
    { rule: 'an invented path', text: 'looked at src/auth/session.ts' },
    { rule: 'the end of another file name', text: 'changed out.ts' },
    { rule: 'the beginning of another file name', text: 'changed src/logout.t' },
    { rule: 'an invented file name', text: 'changed README.md' },
    { rule: 'an invented folder', text: 'moved it to src/authentication' },
    { rule: 'an invented file in a quoted command', text: 'ran `cat src/none.ts | wc`' },
    { rule: 'an invented number', text: 'it took 250 ms' },
    { rule: 'a part of a number', text: 'it took 481 ms' },
    { rule: 'an invented hash', text: 'commit 9f8e7d6c' },
    { rule: 'an invented code', text: 'ends with ERR_TIMEOUT' },
    { rule: 'an invented url', text: 'see https://example.com/y' },
    { rule: 'an invented symbol', text: '`createUser` fails' },
  ])('$rule is refused', ({ text }) => {
    const verdict = judge([add('next_steps', text, 10)]);
    expect(failed(verdict)).toEqual(['identifiers']);
    expect(verdict.reasons[0]?.itemNo).toBe(6);
  });

  it('the text of the item before may be kept', () => {
    const state = before.items.find(({ section }) => section === 'current_state')?.itemNo ?? 0;
    const update = {
      operation: 'update',
      item: state,
      text: 'build: still 17 warnings in `Session`',
      refs: [],
      sources: [10],
    } as const;
    expect(failed(judge([update]))).toEqual([]);
  });

  it('invented refs are refused, true ones pass', () => {
    const refs = (text: string) => ({ ...good, refs: [{ kind: 'path', text } as const] });
    expect(failed(judge([refs('src/logout.ts')]))).toEqual([]);
    expect(failed(judge([refs('src/other.ts')]))).toEqual(['identifiers']);
  });

  it.each([
    'Error: 429 Too Many Requests',
    'Error generating summary: context length exceeded',
    'openai.BadRequestError: prompt is too long',
    'HTTP 503 Service Unavailable',
    'Traceback (most recent call last):',
    'Failed to summarize the conversation.',
    'I cannot help with that.',
    "I'm sorry, but I am unable to access the transcript.",
    'As an AI language model I do not see files',
    '[Summary unavailable]',
    'Previous conversation was too long to summarize.',
    'No summary available',
    'N/A',
    'TODO',
    '...',
    '<summary>',
    'undefined',
    '[object Object]',
  ])('a failure is no summary: %s', (text) => {
    for (const section of ['current_state', 'errors_and_fixes'])
      expect(failed(judge([add(section, text, 10)]))).toContain('text');
  });

  it.each(['TypeError: user is undefined at logout', 'Error in logout: user undefined, TypeError'])(
    'an error that the span tells of is part of the story: %s',
    (text) => {
      expect(failed(judge([add('errors_and_fixes', text, 11)]))).toEqual([]);
    },
  );

  it.each([
    'Rate limit per user is in place, 4812 requests at most',
    'Failed logout: user undefined',
    'The error page shows the reason now',
    'None of the tests cover logout',
    'Todo list is empty now',
    'Cannot process two logouts at once: look at src/logout.ts',
    'Summary page lists logout and login/logout times',
  ])('a statement that sounds like a failure is none: %s', (text) => {
    const own = [
      ...span,
      { seq: 12, entryId: entryIdOf(12), text: 'add a rate limit, two at once', matters: true },
    ];
    expect(failed(judge([add('current_state', text, 10)], { span: own }))).toEqual([]);
  });

  it.each([
    { rule: 'an item above its limit', text: 'word '.repeat(200) },
    { rule: 'a lone surrogate', text: 'half \uD83D' },
    { rule: 'a zero character', text: 'a\u0000b' },
  ])('$rule is refused', ({ text }) => {
    expect(failed(judge([add('next_steps', text, 10)]))).toEqual(['text']);
  });

  it('an empty patch over a span with prompts is refused; over an idle span it passes', () => {
    expect(failed(judge([]))).toEqual(['sections']);
    expect(
      failed(judge([], { span: span.map((entry) => ({ ...entry, matters: false })) })),
    ).toEqual([]);
  });

  const pinNo = before.items.find(({ pinned }) => pinned)?.itemNo ?? 0;
  const ruined = (change: (item: SummaryItem) => readonly SummaryItem[]): AnchoredSummary => {
    const after = merged(before, [good], making(2));
    return {
      ...after,
      items: after.items.flatMap((item) => (item.itemNo === pinNo ? change(item) : [item])),
    };
  };

  it.each([
    { rule: 'a deleted pin', after: ruined(() => []), codes: ['pins', 'sections'] },
    {
      rule: 'a pin in other words',
      after: ruined((item) => [{ ...item, text: 'Never push' }]),
      codes: ['pins'],
    },
    {
      rule: 'a pin in other words with a hash of its own',
      after: ruined((item) => [{ ...item, text: 'Push.', textHash: digest('Push.') }]),
      codes: ['pins'],
    },
    {
      rule: 'a resolved pin',
      after: ruined((item) => [{ ...item, state: 'resolved' }]),
      codes: ['pins'],
    },
    {
      rule: 'an archived pin',
      after: ruined((item) => [{ ...item, archived: true }]),
      codes: ['pins'],
    },
    {
      rule: 'a pin that is none any more',
      after: ruined((item) => [{ ...item, pinned: false }]),
      codes: ['pins'],
    },
  ])('$rule is refused', ({ after, codes }) => {
    expect(failed(checkGate(inputFor(after, [good])))).toEqual(codes);
  });

  it.each([
    {
      rule: 'a lost section',
      ruin: (after: AnchoredSummary) => ({
        ...after,
        schema: {
          ...after.schema,
          sections: after.schema.sections.filter(({ key }) => key !== 'decisions'),
        },
      }),
    },
    {
      rule: 'a deleted item',
      ruin: (after: AnchoredSummary) => ({
        ...after,
        items: after.items.filter(({ section }) => section !== 'current_state'),
      }),
    },
    {
      rule: 'an item that ended without an operation',
      ruin: (after: AnchoredSummary) => ({
        ...after,
        items: after.items.map((item) =>
          item.section === 'current_state' ? { ...item, state: 'resolved' as const } : item,
        ),
      }),
    },
    {
      rule: 'a number that names another item',
      ruin: (after: AnchoredSummary) => ({
        ...after,
        items: after.items.map((item) =>
          item.section === 'current_state' ? { ...item, itemId: 'other' } : item,
        ),
      }),
    },
  ])('$rule is refused', ({ ruin }) => {
    expect(failed(checkGate(inputFor(ruin(merged(before, [good], making(2))), [good])))).toEqual([
      'sections',
    ]);
  });

  it.each([
    { rule: 'no source', sourceEntryIds: [] },
    { rule: 'a source outside the span', sourceEntryIds: [entryIdOf(11), entryIdOf(700)] },
  ])('a new item with $rule is refused', ({ sourceEntryIds }) => {
    const after = merged(before, [good], making(2));
    const items = after.items.map((item) =>
      item.cycleCreated === 2 ? { ...item, sourceEntryIds } : item,
    );
    expect(failed(checkGate(inputFor({ ...after, items }, [good])))).toEqual(['sources']);
  });

  it('every reason is reported, not only the first', () => {
    const operations = [add('next_steps', 'Error: 429 Too Many Requests', 10)];
    const change = { targetTokens: 10, tailAfter: '', pairingProblems: ['x'] };
    expect(failed(judge(operations, change))).toEqual([
      'pairing',
      'size',
      'identifiers',
      'tail',
      'text',
    ]);
  });

  it('of a blob only what can be seen is checked, and that is said', () => {
    const opaque = {
      strategy: 'opaque',
      patches: [],
      answers: [],
      opaqueText: 'The work so far.',
    } as const;
    const verdict = checkGate(inputFor(before, [], opaque));
    expect(verdict.outcome).toBe('passed');
    expect(GATE_CODES.filter((code) => verdict.checks[code] === 'not-applicable')).toEqual([
      'identifiers',
      'sections',
      'sources',
    ]);
    const broken = checkGate(inputFor(before, [], { ...opaque, opaqueText: 'Error: overloaded' }));
    expect(failed(broken)).toEqual(['text']);
  });

  it('what the offline summarizer makes passes all checks', () => {
    const commands = [
      {
        seq: 10,
        command: 'npm test -- logout',
        exitCode: 1,
        state: 'failed' as const,
        outcome: { passed: 120, failed: 33 },
        commit: null,
      },
      {
        seq: 11,
        command: 'git commit -am fix',
        exitCode: 0,
        state: 'ok' as const,
        outcome: null,
        commit: 'main 1a2b3c4 fix',
      },
    ];
    const own = {
      ...lines,
      asks: [
        ...lines.asks,
        { turn: 2, prompt: { seq: 10, text: 'Look at it' }, state: 'open' as const },
      ],
    };
    const verdict = summariseOffline(
      before,
      [{ seqs: new Set([10, 11]), commands }],
      own,
      making(2),
      measures,
    );
    const after = verdict.outcome === 'merged' ? verdict.summary : before;
    expect(after).not.toEqual(before);
    const seen = {
      strategy: 'offline',
      patches: [],
      answers: [],
      trailTexts: trailTexts(own, commands),
    } as const;
    expect(checkGate(inputFor(after, [], seen)).reasons).toEqual([]);
  });

  it('whatever is invented, or not smaller, is never adopted', () => {
    const letter = constantFrom('b', 'd', 'f', 'k', 'm', 'p', 'q', 'v', 'w', 'z');
    const name = array(letter, { minLength: 6, maxLength: 12 }).map((letters) => letters.join(''));
    const form = constantFrom(
      (word: string) => `${word}.ts`,
      (word: string) => `src/${word}/main.rs`,
      (word: string) => `\`${word}\``,
      (word: string) => `https://${word}.example/`,
      (word: string) => `ERR_${word.toUpperCase()}`,
      (word: string) => `${word.length}9${word.length}7`,
    );
    const sizes = tuple(integer({ min: 1, max: 9_000 }), integer({ min: 0, max: 9_000 }));
    assertProperty(
      property(name, form, sizes, (word, written, [tokens, growth]) => {
        expect(failed(judge([add('next_steps', `look at ${written(word)} next`, 10)]))).toEqual([
          'identifiers',
        ]);
        const requestBefore = { tokens, counter: 'quarter 1' };
        const requestAfter = { tokens: tokens + growth, counter: 'quarter 1' };
        const change = { requestBefore, requestAfter, targetTokens: 90_000, minFreedTokens: 0 };
        expect(failed(judge([good], change))).toEqual(['size']);
      }),
      { seed: 77, numRuns: 200 },
    );
  });
});
