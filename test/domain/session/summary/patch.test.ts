import { describe, expect, it } from '@jest/globals';
import { anything, assert as assertProperty, property } from 'fast-check';
import { checkPatch } from '../../../../src/domain/session/summary/check-patch.js';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import { parsePatch, type PatchOperation } from '../../../../src/domain/session/summary/patch.js';
import { addPin } from '../../../../src/domain/session/summary/pins.js';
import { NO_LINES } from '../../../../src/domain/session/summary/section-lines.js';
import { add, digest, making, measures, merged, nothing } from './summary-world.js';

const whole = {
  operation: 'add',
  section: 'next_steps',
  text: 'x',
  refs: [],
  sources: [1],
  state: 'open',
};

describe('parsePatch', () => {
  it('handles may be written as they are shown', () => {
    const parsed = parsePatch({
      operations: [
        { ...whole, sources: ['entry:4', 5, '6'], refs: [{ type: 'path', text: 'a.ts' }] },
        { operation: 'supersede', item: '#3', by: { add: 0 }, sources: [4] },
        { operation: 'supersede', item: 2, by: '#1', sources: [4] },
      ],
    });
    expect(parsed).toEqual({
      outcome: 'parsed',
      patch: {
        operations: [
          { ...whole, sources: [4, 5, 6], refs: [{ kind: 'path', text: 'a.ts' }] },
          { operation: 'supersede', item: 3, by: { add: 0 }, sources: [4] },
          { operation: 'supersede', item: 2, by: { item: 1 }, sources: [4] },
        ],
      },
    });
  });

  it.each([
    { given: 'nothing', patch: null, codes: ['bad-shape'] },
    { given: 'a text', patch: 'Error: rate limit', codes: ['bad-shape'] },
    { given: 'no list', patch: { operations: {} }, codes: ['bad-shape'] },
    { given: 'no object', patch: [7], codes: ['bad-shape'] },
    {
      given: 'an unknown operation',
      patch: [{ ...whole, operation: 'delete' }],
      codes: ['bad-shape'],
    },
    { given: 'no text', patch: [{ ...whole, text: ' ' }], codes: ['missing-field'] },
    {
      given: 'no section and no state',
      patch: [{ ...whole, section: undefined, state: undefined }],
      codes: ['missing-field', 'missing-field'],
    },
    { given: 'no sources', patch: [{ ...whole, sources: [] }], codes: ['missing-field'] },
    {
      given: 'sources that are no entries',
      patch: [{ ...whole, sources: ['src/a.ts'] }],
      codes: ['bad-shape'],
    },
    {
      given: 'a state of its own',
      patch: [{ ...whole, state: 'superseded' }],
      codes: ['bad-shape'],
    },
    { given: 'refs without a kind', patch: [{ ...whole, refs: ['a.ts'] }], codes: ['bad-shape'] },
    { given: 'no item', patch: [{ operation: 'resolve', sources: [1] }], codes: ['missing-field'] },
    {
      given: 'no successor',
      patch: [{ operation: 'supersede', item: 1, sources: [1] }],
      codes: ['missing-field'],
    },
    {
      given: 'faults in two operations',
      patch: [{ ...whole, text: 1 }, whole, 3],
      codes: ['missing-field', 'bad-shape'],
    },
  ])('$given is invalid, with all reasons', ({ patch, codes }) => {
    const parsed = parsePatch(patch);
    expect(parsed.outcome === 'invalid' && parsed.faults.map(({ code }) => code)).toEqual(codes);
  });

  it('any value at all is parsed or refused, never thrown at', () => {
    assertProperty(
      property(anything(), (value) => {
        expect(['parsed', 'invalid']).toContain(parsePatch(value).outcome);
        expect(['parsed', 'invalid']).toContain(parsePatch([value]).outcome);
      }),
      { seed: 20_260, numRuns: 300 },
    );
  });
});

describe('checkPatch', () => {
  const pinned = addPin(nothing, { text: 'Never push.', sources: [] }, making(0, 'host'), digest);
  const filled = fillSections(
    pinned,
    {
      ...NO_LINES,
      asks: [{ turn: 1, prompt: { seq: 1, text: 'Fix it' }, state: 'open' }],
      trail: [{ path: 'a.ts', state: 'modified', note: null, lastSeq: 2 }],
    },
    making(1, 'trail'),
    measures,
  );
  const summary = merged(filled, [add('next_steps', 'one', 3), add('next_steps', 'two', 3)]);
  const [pin, mission, ask, file, step, other] = summary.items.map(({ itemNo }) => itemNo);
  const update = { operation: 'update', text: 'x', refs: [], sources: [3] } as const;
  const resolve = { operation: 'resolve', sources: [3] } as const;
  const supersede = { operation: 'supersede', sources: [3] } as const;
  const span = new Set([3, 4]);

  const rules: readonly {
    rule: string;
    given: readonly PatchOperation[];
    codes: readonly string[];
  }[] = [
    {
      rule: 'a pin takes no update',
      given: [{ ...update, item: pin ?? 0 }],
      codes: ['pin-addressed'],
    },
    {
      rule: 'a pin cannot be resolved',
      given: [{ ...resolve, item: pin ?? 0 }],
      codes: ['pin-addressed'],
    },
    {
      rule: 'a pin cannot be superseded',
      given: [{ ...supersede, item: pin ?? 0, by: { item: step ?? 0 } }],
      codes: ['pin-addressed'],
    },
    {
      rule: 'the mission is a pin',
      given: [{ ...resolve, item: mission ?? 0 }],
      codes: ['pin-addressed'],
    },
    {
      rule: 'an ask is not rewritten',
      given: [{ ...update, item: ask ?? 0 }],
      codes: ['ask-rewritten'],
    },
    { rule: 'an ask may be resolved', given: [{ ...resolve, item: ask ?? 0 }], codes: [] },
    {
      rule: 'an ask may be superseded',
      given: [{ ...supersede, item: ask ?? 0, by: { item: step ?? 0 } }],
      codes: [],
    },
    {
      rule: 'asks take no additions',
      given: [add('session_intent', 'x', 3)],
      codes: ['section-closed'],
    },
    {
      rule: 'the trail takes no additions',
      given: [add('files_read', 'x', 3)],
      codes: ['section-closed'],
    },
    {
      rule: 'lines of the trail cannot be addressed',
      given: [{ ...resolve, item: file ?? 0 }],
      codes: ['section-closed'],
    },
    { rule: 'a constraint may be proposed', given: [add('constraints', 'x', 3)], codes: [] },
    { rule: 'a section must exist', given: [add('wishes', 'x', 3)], codes: ['unknown-section'] },
    { rule: 'an item must exist', given: [{ ...resolve, item: 99 }], codes: ['unknown-item'] },
    {
      rule: 'a source must be in the span',
      given: [add('next_steps', 'x', 3, 5)],
      codes: ['source-outside-span'],
    },
    { rule: 'a source must be given', given: [add('next_steps', 'x')], codes: ['missing-field'] },
    {
      rule: 'nothing supersedes itself',
      given: [{ ...supersede, item: step ?? 0, by: { item: step ?? 0 } }],
      codes: ['bad-successor'],
    },
    {
      rule: 'a successor must exist',
      given: [{ ...supersede, item: step ?? 0, by: { item: 99 } }],
      codes: ['unknown-item'],
    },
    {
      rule: 'a successor by place must be an add',
      given: [{ ...supersede, item: step ?? 0, by: { add: 0 } }],
      codes: ['bad-successor'],
    },
    {
      rule: 'two items do not supersede each other',
      given: [
        { ...supersede, item: step ?? 0, by: { item: other ?? 0 } },
        { ...supersede, item: other ?? 0, by: { item: step ?? 0 } },
      ],
      codes: ['bad-successor'],
    },
    {
      rule: 'an item is not rewritten and said again at once',
      given: [add('next_steps', 'One', 3), { ...update, item: step ?? 0 }],
      codes: ['conflict'],
    },
    {
      rule: 'all faults are reported',
      given: [{ ...update, item: 99, sources: [9] }, add('wishes', 'x', 9)],
      codes: ['source-outside-span', 'unknown-item', 'source-outside-span', 'unknown-section'],
    },
  ];

  it.each(rules)('$rule', ({ given, codes }) => {
    expect(checkPatch({ operations: given }, summary, span).map(({ code }) => code)).toEqual(codes);
  });
});
