/** What a pass would do on a session, decided from whole entries and from their marks. */
import type { TokenCounter } from '../../../../src/domain/kernel/measures.js';
import { markedEntry, type MarkedEntry } from '../../../../src/domain/session/marked-entry.js';
import { previewTokens } from '../../../../src/domain/session/pass/oversized.js';
import { leavingEntries, newStubs, spanOf } from '../../../../src/domain/session/pass/pass-span.js';
import { planPass } from '../../../../src/domain/session/pass/plan-pass.js';
import { requestState } from '../../../../src/domain/session/pass/request-state.js';
import { unitFacts } from '../../../../src/domain/session/pass/unit-facts.js';
import { someSettings } from './pass-fixture.js';
import type { PassSettingsInput } from '../../../../src/domain/session/pass/settings.js';
import { taskEndSeq } from '../../../../src/domain/session/pass/task-end.js';
import type { StoredEntry } from '../../../../src/domain/session/stored-entry.js';
import { CODING_SCHEMA } from '../../../../src/domain/session/summary/section-schema.js';
import { emptySummary } from '../../../../src/domain/session/summary/summary-item.js';
import { EMPTY_TRAIL } from '../../../../src/domain/session/trail/trail.js';

export interface PlanCase {
  readonly settings: PassSettingsInput;
  /** Share of the entries that left before, and of those that are previewed. */
  readonly cutShare: number;
  readonly previewEvery: number;
}

function planOf<Entry extends MarkedEntry>(
  entries: readonly Entry[],
  tokensOf: ReadonlyMap<number, number>,
  counter: TokenCounter,
  { settings: given, cutShare }: PlanCase,
) {
  const settings = someSettings(given);
  const cutSeq = Math.floor(entries.length * cutShare);
  const kept = entries.filter(({ seq, active }) => active && seq > cutSeq);
  const request = {
    entries,
    cut: { cutSeq, leftUnits: new Set<string>(), promptAgainSeq: null },
    previews: new Map([...tokensOf.keys()].map((seq) => [seq, 80])),
    previewTokens: tokensOf,
    stubs: [],
    summary: emptySummary(CODING_SCHEMA),
    blob: null,
    frame: { systemTokens: 50, toolTokens: 20 },
    factor: 1.25,
    taskEndSeq: taskEndSeq(kept, EMPTY_TRAIL, new Map(), false),
    facts: unitFacts(kept, [], []),
  };
  const measured = requestState(request, counter);
  const guard = { start: 'manual', sinceLastPass: null, failures: 0 } as const;
  const state = { ...measured.state, guard: { ...guard, isKnownFingerprint: false } };
  const verdict = planPass(state, settings);
  const units = measured.state.units.map((unit) => ({
    ...unit,
    entries: unit.entries.map(({ seq, tokenCount, kind, previewTokens: preview }) => ({
      seq,
      tokenCount,
      kind,
      preview,
    })),
  }));
  return {
    state: { ...state, units },
    verdict,
    leaving: verdict.outcome === 'pass' ? spanOf(leavingEntries(request, measured, verdict)) : [],
    stubs: verdict.outcome === 'pass' ? newStubs(measured, verdict) : [],
  };
}

export function planBothWays(
  entries: readonly StoredEntry[],
  counter: TokenCounter,
  given: PlanCase,
) {
  const shown = entries.filter(({ seq }) => seq % given.previewEvery === 0);
  const tokens = new Map(shown.map((entry) => [entry.seq, previewTokens(entry, 80, counter)]));
  return {
    fromContents: planOf(entries, tokens, counter, given),
    fromMarks: planOf(entries.map(markedEntry), tokens, counter, given),
  };
}
