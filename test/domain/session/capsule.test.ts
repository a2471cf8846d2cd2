import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, integer, property, string } from 'fast-check';
import {
  buildCapsule,
  type CapsulePin,
  type CapsuleSource,
  type CapsuleVerdict,
} from '../../../src/domain/session/capsule.js';
import { QUARTERS } from './random-transcript.js';

const aPin = (pinId: string, text: string): CapsulePin => ({
  pinId,
  text,
  section: 'constraints',
  origin: null,
});

function aSource(more: Partial<CapsuleSource> = {}): CapsuleSource {
  return {
    sessionId: 'parent',
    intent: null,
    pins: [],
    decisions: [],
    artifacts: [],
    openErrors: [],
    ...more,
  };
}

function itemsOf(verdict: CapsuleVerdict) {
  return verdict.outcome === 'built' ? verdict.items : [];
}

/** The child's pins are the items of its capsule. */
function pinsOf(verdict: CapsuleVerdict): readonly CapsulePin[] {
  return itemsOf(verdict).map(({ section, text, origin }, index) => ({
    pinId: `p${index}`,
    section,
    text,
    origin,
  }));
}

const DECISIONS = [
  { decisionId: 'd1', question: 'Which store for sessions?', choice: 'Postgres', rationale: null },
  {
    decisionId: 'd2',
    question: 'How are reset tokens hashed?',
    choice: 'SHA-256',
    rationale: 'Not taken: bcrypt',
  },
  { decisionId: 'd3', question: null, choice: 'Write tests in Jest', rationale: null },
];

describe('buildCapsule', () => {
  it('holds mission, constraints, decisions and artifacts, in this order', () => {
    const verdict = buildCapsule(
      aSource({
        intent: 'Build the reset flow.\nMore of it.',
        pins: [aPin('p1', 'Never push to main.')],
        decisions: DECISIONS,
        artifacts: [{ path: 'src/reset.ts', line: 'src/reset.ts modified', decisionIds: [] }],
        openErrors: [{ errorId: 'e1', line: 'TypeError in reset' }],
      }),
      'Test how reset tokens are hashed in reset.ts',
      QUARTERS,
    );
    expect(itemsOf(verdict).map(({ section, text }) => `${section}: ${text}`)).toEqual([
      'mission: Test how reset tokens are hashed in reset.ts',
      'mission: Part of: Build the reset flow.',
      'constraints: Never push to main.',
      'decisions: How are reset tokens hashed? → SHA-256 (Not taken: bcrypt)',
      'decisions: Write tests in Jest',
      'decisions: Which store for sessions? → Postgres',
      'errors: TypeError in reset',
      'artifacts: src/reset.ts modified',
    ]);
  });

  it('says where every item comes from', () => {
    const verdict = buildCapsule(aSource({ pins: [aPin('p1', 'Be kind.')] }), 'Go', QUARTERS);
    expect(itemsOf(verdict).map(({ origin }) => origin)).toEqual([
      { sessionId: 'parent', sourceId: null },
      { sessionId: 'parent', sourceId: 'p1' },
    ]);
  });

  it('refuses rather than cut a constraint', () => {
    const source = aSource({ pins: [aPin('p1', 'x'.repeat(8_000))] });
    expect(buildCapsule(source, 'Go', QUARTERS)).toEqual({
      outcome: 'capsule-over-budget',
      missionTokens: 1,
      constraintTokens: 2_000,
      capsuleTokens: 2_000,
    });
  });

  it('takes artifacts that chosen decisions touched, and names those it leaves out', () => {
    const artifacts = [
      { path: 'src/a.ts', line: 'src/a.ts created', decisionIds: ['d1'] },
      { path: 'src/b.ts', line: 'src/b.ts created', decisionIds: ['d9'] },
    ];
    const verdict = buildCapsule(aSource({ decisions: DECISIONS, artifacts }), 'Go', QUARTERS);
    expect(itemsOf(verdict).at(-1)?.text).toBe('src/a.ts created');
    expect(verdict).toMatchObject({
      leftOut: [{ section: 'artifacts', sourceId: 'src/b.ts', reason: 'not-named-by-goal' }],
    });
  });

  it('passes over what does not fit, and smaller ones behind it still go in', () => {
    const decisions = [
      { decisionId: 'small', question: null, choice: 'tokens', rationale: null },
      { decisionId: 'large', question: null, choice: 'tokens '.repeat(40), rationale: null },
    ];
    const verdict = buildCapsule(aSource({ decisions }), 'tokens', QUARTERS, 20);
    expect(itemsOf(verdict).map(({ origin }) => origin.sourceId)).toEqual([null, 'small']);
    expect(verdict).toMatchObject({ leftOut: [{ sourceId: 'large', reason: 'does-not-fit' }] });
  });

  it('a constraint of the root is found word for word in the grandchild, with its origin', () => {
    const rule = 'Only test. Never write features, not even small ones. 👩‍👩‍👧';
    const root = aSource({ sessionId: 'root', pins: [aPin('p1', rule)], decisions: DECISIONS });
    const child = aSource({
      sessionId: 'child',
      pins: [...pinsOf(buildCapsule(root, 'Review', QUARTERS)), aPin('own', 'Report in English.')],
    });
    const grandchild = itemsOf(buildCapsule(child, 'Run the tests', QUARTERS));
    expect(
      grandchild.map(({ section, text, origin }) => [section, text, origin.sessionId]),
    ).toEqual([
      ['mission', 'Run the tests', 'child'],
      ['constraints', rule, 'root'],
      ['constraints', 'Report in English.', 'child'],
    ]);
  });

  it('every constraint is whole or the capsule is refused, and nothing is over its budget', () => {
    assertProperty(
      property(
        array(string({ maxLength: 300, unit: 'grapheme' }), { maxLength: 12 }),
        array(string({ maxLength: 200, unit: 'grapheme' }), { maxLength: 12 }),
        integer({ min: 1, max: 600 }),
        (rules, choices, budget) => {
          const pins = rules.map((text, index) => aPin(`p${index}`, text));
          const decisions = choices.map((choice, index) => ({
            decisionId: `d${index}`,
            question: null,
            choice,
            rationale: null,
          }));
          const verdict = buildCapsule(aSource({ pins, decisions }), 'Go on', QUARTERS, budget);
          if (verdict.outcome !== 'built') return;
          const kept = verdict.items.filter(({ section }) => section === 'constraints');
          expect(kept.map(({ text }) => text)).toEqual(rules);
          expect(verdict.tokens).toBeLessThanOrEqual(budget);
          const decided = verdict.items.filter(({ section }) => section === 'decisions').length;
          expect(decided + verdict.leftOut.length).toBe(choices.length);
        },
      ),
      { seed: 20261107, numRuns: 150 },
    );
  });
});
