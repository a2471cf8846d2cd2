import { describe, expect, it } from '@jest/globals';
import {
  array,
  assert as assertProperty,
  constantFrom,
  integer,
  property,
  record,
} from 'fast-check';
import { legalCuts, unitCuts } from '../../../../src/domain/session/pass/legal-cuts.js';
import { planPass } from '../../../../src/domain/session/pass/plan-pass.js';
import type { PassState } from '../../../../src/domain/session/pass/pass-state.js';
import { TRIGGER_NAMES } from '../../../../src/domain/session/pass/trigger-names.js';
import { mayBeDue } from '../../../../src/domain/session/pass/triggers.js';
import { markUnits } from '../../../../src/domain/session/pass/unit-mark.js';
import { randomTranscript } from '../random-transcript.js';
import { adopted, aState, aUnit, previewed, someSettings } from './pass-fixture.js';

const FULL = Array.from({ length: 16 }, () => 500);
const FIXED = someSettings({ triggers: [['fixed_threshold']] });

const guarded = (guard: Partial<PassState['guard']>): Partial<PassState> => ({
  guard: { ...aState([]).guard, ...guard },
});

describe('planPass', () => {
  // prettier-ignore
  it.each([
    { rule: 'below the fill line nothing is due',        state: aState([500, 500]),                         answer: 'not_due no-trigger' },
    { rule: 'at the fill line a pass is planned',        state: aState(FULL),                               answer: 'pass' },
    { rule: 'three failures suspend automatic passes',   state: aState(FULL, guarded({ failures: 3 })),     answer: 'not_due suspended' },
    { rule: 'no pass follows without a new entry',       state: aState(FULL, guarded({ sinceLastPass: { entries: 0, growthTokens: 0 } })),   answer: 'not_due no-new-entry' },
    { rule: 'no pass follows before enough growth',      state: aState(FULL, guarded({ sinceLastPass: { entries: 3, growthTokens: 499 } })), answer: 'not_due hysteresis' },
    { rule: 'enough growth lets a pass follow',          state: aState(FULL, guarded({ sinceLastPass: { entries: 3, growthTokens: 500 } })), answer: 'pass' },
    { rule: 'what was rejected before is not repeated',  state: aState(FULL, guarded({ isKnownFingerprint: true })),                         answer: 'unchanged known-fingerprint' },
    { rule: 'a person may try again',                    state: aState(FULL, guarded({ isKnownFingerprint: true, failures: 3, start: 'manual' })), answer: 'pass' },
    { rule: 'a person cannot force an empty pass',       state: aState([100, 100], guarded({ start: 'manual' })),                            answer: 'unchanged empty-span' },
    { rule: 'fixed parts over the line stop it',         state: aState(FULL, { parts: { ...aState([]).parts, toolTokens: 7_000 } }),         answer: 'stopped floor-over-budget' },
    { rule: 'a last unit over the line stops it',        state: aState([], { units: [aUnit(1, 1, 900), aUnit(2, 2, 0, { entries: Array.from({ length: 8 }, (_, index) => ({ seq: index + 2, tokenCount: 950, kind: 'user' as const })) })] }), answer: 'stopped floor-over-budget' },
    { rule: 'a session of one unit has nothing to drop', state: aState([800], { parts: { ...aState([]).parts, summaryTokens: 7_000 } }),     answer: 'unchanged empty-span' },
    { rule: 'the factor counts on both sides',           state: aState([1_000, 1_000, 1_000, 500, 500], { factor: 2 }),                      answer: 'pass' },
  ])('$rule', ({ state, answer }) => {
    const verdict = planPass(state, FIXED);
    const reason = 'reason' in verdict ? ` ${verdict.reason}` : '';
    expect(`${verdict.outcome}${reason}`).toBe(answer);
  });

  it('a pass that cannot free enough is not begun', () => {
    const settings = someSettings({ triggers: [['fixed_threshold']], minFreedTokens: 5_001 });
    expect(planPass(aState(FULL), settings)).toMatchObject({
      outcome: 'unchanged',
      reason: 'frees-too-little',
    });
  });

  it('a stop says how large every part is', () => {
    const state = aState([300, 200], {
      parts: {
        systemTokens: 5_000,
        toolTokens: 2_000,
        pinTokens: 300,
        summaryTokens: 10,
        openAskTokens: 20,
        emptySchemaTokens: 30,
      },
    });
    expect(planPass(state, FIXED).breakdown).toEqual({
      systemTokens: 5_000,
      toolTokens: 2_000,
      pinTokens: 300,
      openAskTokens: 20,
      emptySchemaTokens: 30,
      latestPromptTokens: 0,
      floorTokens: 7_350,
      summaryTokens: 500,
      lastUnitTokens: 200,
      targetTokens: 8_050,
      fillTokens: 7_500,
      usableTokens: 10_000,
    });
  });

  it('takes the earliest legal cut that comes down to the drain line', () => {
    expect(planPass(aState(FULL), FIXED)).toMatchObject({
      targetTokens: 4_000,
      afterTokens: 3_750,
      span: { cutSeq: 10, ranges: [{ from: 1, to: 10 }], tokens: 5_000, stubs: [] },
      promptAgainSeq: null,
      invalidatedTokens: 8_000,
    });
  });

  it('places the latest prompt again when the cut falls inside its turn', () => {
    const units = [
      aUnit(1, 1, 400, { isHumanPrompt: true }),
      ...FULL.map((tokens, index) => aUnit(index + 2, 1, tokens)),
    ];
    const state = aState([], { units, latestPrompt: { seq: 1, tokens: 400 } });
    const verdict = planPass(state, FIXED);
    expect(verdict).toMatchObject({ outcome: 'pass', promptAgainSeq: 1 });
    if (verdict.outcome !== 'pass') return;
    const after = adopted(state, verdict, 500);
    expect(planPass(after, FIXED).usedTokens).toBeLessThanOrEqual(verdict.targetTokens);
  });

  it('the sliding window keeps at most its turns and tokens', () => {
    const settings = someSettings({
      keepTurns: 3,
      keepTokens: 700,
      slideTurns: 2,
      minFreedTokens: 100,
    });
    expect(planPass(aState([300, 300, 300, 300, 300]), settings)).toMatchObject({
      outcome: 'pass',
      span: { cutSeq: 3 },
    });
    expect(planPass(aState([300, 300, 300, 300]), settings)).toMatchObject({ outcome: 'not_due' });
  });

  it('the end of a task is the least that leaves', () => {
    const settings = someSettings({ triggers: [['task_boundary']] });
    const state = aState(FULL.slice(0, 9), { taskEndSeq: 6 });
    expect(planPass(state, settings)).toMatchObject({ outcome: 'pass', span: { cutSeq: 6 } });
  });

  it('the least important units leave stubs, never the latest turn nor an open error', () => {
    const settings = someSettings({ triggers: [['importance']] });
    const units = FULL.map((tokens, index) =>
      aUnit(index + 1, index + 1, tokens, index === 0 ? { hasOpenError: true } : {}),
    );
    const verdict = planPass(aState([], { units }), settings);
    expect(verdict).toMatchObject({
      outcome: 'pass',
      trigger: 'importance',
      span: { cutSeq: 0, fellBack: false },
    });
    if (verdict.outcome !== 'pass') return;
    expect(verdict.span.unitIds[0]).toBe('u2');
    expect(verdict.span.stubs.map(({ unitId }) => unitId)).toEqual(verdict.span.unitIds);
    expect(verdict.afterTokens).toBeLessThanOrEqual(verdict.targetTokens);
  });

  it('where importance cannot reach the target the oldest leave', () => {
    const settings = someSettings({ triggers: [['importance']] });
    const units = FULL.map((tokens, index) => aUnit(index + 1, 1, tokens));
    expect(planPass(aState([], { units }), settings)).toMatchObject({
      outcome: 'pass',
      span: { cutSeq: 10, fellBack: true, stubs: [] },
    });
  });

  it('reads the same cuts off units as off entries', () => {
    assertProperty(
      property(randomTranscript, (entries) => {
        expect(unitCuts(markUnits(entries, new Map())).map(({ seq }) => seq)).toEqual(
          legalCuts(entries),
        );
      }),
      { seed: 20261104, numRuns: 200 },
    );
  });

  it('every plan is a legal cut within its target that leaves the last unit', () => {
    assertProperty(
      property(
        record({
          sizes: array(integer({ min: 0, max: 3_000 }), { maxLength: 60 }),
          frame: integer({ min: 0, max: 9_000 }),
          trigger: constantFrom(...TRIGGER_NAMES),
          factor: constantFrom(0.5, 1, 1.3, 2),
          perTurn: integer({ min: 1, max: 20 }),
        }),
        ({ sizes, frame, trigger, factor, perTurn }) => {
          const settings = someSettings({ triggers: [[trigger]] });
          const units = sizes.map((tokens, index) =>
            aUnit(index + 1, 1 + Math.floor(index / perTurn), tokens),
          );
          const parts = { ...aState([]).parts, systemTokens: frame };
          const state = aState([], { units, parts, factor, taskEndSeq: 5 });
          const verdict = planPass(state, settings);
          if (verdict.outcome === 'stopped') {
            expect(verdict.breakdown.targetTokens).toBeGreaterThanOrEqual(settings.fillTokens);
          }
          if (verdict.outcome !== 'not_due') {
            const tailTurns = new Set(units.map(({ turn }) => turn)).size;
            const totals = { usedTokens: verdict.usedTokens, tailTurns, hasEndedTask: true };
            expect(mayBeDue(totals, settings)).toBe(true);
          }
          if (verdict.outcome !== 'pass') return;
          expect(verdict.span.unitIds).not.toContain(units.at(-1)?.unitId);
          expect(verdict.afterTokens).toBeLessThanOrEqual(verdict.targetTokens);
          expect(verdict.targetTokens).toBeLessThan(settings.fillTokens);
          const after = adopted(
            previewed(state, verdict.oversized, 100),
            verdict,
            settings.summaryTokens,
          );
          expect(planPass(after, settings).usedTokens).toBeLessThan(settings.fillTokens);
        },
      ),
      { seed: 20261105, numRuns: 400 },
    );
  });
});

describe('a session at the limit', () => {
  // prettier-ignore
  it.each([
    { rule: 'small units',            window: 10_000, frame: 200,   unit: 120,   perTurn: 4, mayStop: false },
    { rule: 'units near the limit',   window: 10_000, frame: 200,   unit: 2_600, perTurn: 2, mayStop: false },
    { rule: 'a tiny window',          window: 1_000,  frame: 100,   unit: 90,    perTurn: 3, mayStop: false },
    { rule: 'a frame above the line', window: 10_000, frame: 9_000, unit: 300,   perTurn: 2, mayStop: true },
    { rule: 'a frame near the line',  window: 10_000, frame: 6_600, unit: 150,   perTurn: 2, mayStop: false },
  ])('never loops in a thousand turns: $rule', ({ window, frame, unit, perTurn, mayStop }) => {
    for (const trigger of TRIGGER_NAMES) {
      const settings = someSettings({ windowTokens: window, summaryTokens: Math.floor(window / 20), oversizeTokens: window, triggers: [[trigger], ['fixed_threshold']] });
      let state = aState([], { parts: { ...aState([]).parts, systemTokens: frame, toolTokens: 0, emptySchemaTokens: 10 } });
      let calls = 0;
      let grown = 0;
      let seq = 0;
      for (let turn = 1; turn <= 1_000; turn += 1) {
        for (let step = 0; step < perTurn; step += 1) {
          seq += 1;
          grown += unit;
          const { sinceLastPass } = state.guard;
          state = {
            ...state,
            units: [...state.units, aUnit(seq, turn, unit)],
            guard: { ...state.guard, sinceLastPass: sinceLastPass && { entries: sinceLastPass.entries + 1, growthTokens: sinceLastPass.growthTokens + unit } },
          };
          for (let again = 0; again < 3; again += 1) {
            const verdict = planPass(state, settings);
            if (verdict.outcome === 'stopped') {
              expect(mayStop).toBe(true);
              // Such a state is recorded once; the simulation goes on in a session of its last unit.
              state = { ...state, units: state.units.slice(-1) };
            }
            if (verdict.outcome !== 'pass') break;
            expect(again).toBe(0);
            calls += 1;
            state = adopted(state, verdict, settings.summaryTokens);
          }
        }
      }
      expect(calls).toBeLessThanOrEqual(Math.ceil(grown / Math.max(1, settings.hysteresisTokens)) + 1);
      if (mayStop) expect(calls).toBe(0);
      else expect(calls).toBeGreaterThan(0);
    }
  });
});

describe('a giant item', () => {
  const shares = [0.1, 0.5, 1, 2, 10];
  const company = [0, 1, 5, 12];

  it.each(shares)('of %s windows is handled at every position, alone and in company', (share) => {
    for (const others of company) {
      for (let position = 0; position <= others; position += 1) {
        const sizes = Array.from({ length: others }, () => 600);
        sizes.splice(position, 0, Math.ceil(share * 10_000) + 1);
        const settings = someSettings({ triggers: [['fixed_threshold']], oversizeTokens: 1_000 });
        const state = aState(sizes);
        const verdict = planPass(state, settings);
        expect(verdict.oversized).toEqual([position + 1]);
        expect(['pass', 'not_due', 'unchanged']).toContain(verdict.outcome);
        const shown = previewed(state, verdict.oversized, 700);
        const next = planPass(shown, settings);
        expect(next.oversized).toEqual([]);
        const after = next.outcome === 'pass' ? adopted(shown, next, 500) : shown;
        expect(planPass(after, settings).usedTokens).toBeLessThan(settings.fillTokens + 600);
      }
    }
  });
});
