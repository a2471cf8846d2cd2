/** A pass of the strategy `offline`: the next summary, the next request, and what the gate says of them. */
import type { Digest, TokenCounter } from '../../kernel/measures.js';
import { checkAnthropic } from '../export/check-anthropic.js';
import { shownTail } from '../export/outgoing-context.js';
import { toAnthropic } from '../export/to-anthropic.js';
import { renderUnit } from '../render-unit.js';
import type { StoredEntry } from '../stored-entry.js';
import { archiveItems } from '../summary/archive-items.js';
import { checkGate } from '../summary/gate.js';
import type { GateVerdict, SpanEntry } from '../summary/gate-input.js';
import { summariseOffline } from '../summary/offline-summary.js';
import { pinStandingRules } from '../summary/pins.js';
import type { CommandLine, SectionLines } from '../summary/section-lines.js';
import type { EntrySpan } from '../summary/session-cycle.js';
import type { AnchoredSummary, Making } from '../summary/summary-item.js';
import { trailTexts } from '../summary/trail-texts.js';
import { isHumanPrompt } from '../transcript.js';
import type { PassPlan } from './plan-pass.js';
import { type RequestInput, requestState } from './request-state.js';
import { measurePass } from './measure.js';
import type { PassSettings } from './settings.js';

export interface OfflinePassInput<Entry extends StoredEntry> {
  /** As it is now, with the previews that the pass decided. */
  readonly request: RequestInput<Entry>;
  readonly plan: PassPlan;
  readonly settings: PassSettings;
  readonly lines: SectionLines;
  /** Commands of the span, in order. */
  readonly commands: readonly CommandLine[];
  readonly making: Making;
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

export interface OfflinePass {
  readonly summary: AnchoredSummary;
  readonly gate: GateVerdict;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Entries that leave at the cut: all behind the cut in force up to the new one, but the frame's. */
export function leavingEntries<Entry extends StoredEntry>(
  entries: readonly Entry[],
  frameEntries: readonly Entry[],
  cutSeq: number,
  newCutSeq: number,
): readonly Entry[] {
  const frame = new Set(frameEntries.map(({ seq }) => seq));
  return entries.filter(({ seq }) => seq > cutSeq && seq <= newCutSeq && !frame.has(seq));
}

export function spanOf(entries: readonly StoredEntry[]): readonly EntrySpan[] {
  const spans: { from: number; to: number }[] = [];
  for (const { seq } of entries) {
    const last = spans.at(-1);
    if (last !== undefined && seq === last.to + 1) last.to = seq;
    else spans.push({ from: seq, to: seq });
  }
  return spans;
}

/** Equal for equal entries in equal places. */
export function spanHashOf(entries: readonly StoredEntry[], digest: Digest): string {
  return digest(JSON.stringify(entries.map(({ seq, contentHash }) => [seq, contentHash])));
}

export function runOfflinePass<Entry extends StoredEntry>(
  input: OfflinePassInput<Entry>,
): OfflinePass {
  const { request, plan, settings, lines, commands, making, counter, digest } = input;
  const { cutSeq } = plan.span;
  const before = requestState(request, counter);
  const leaving = leavingEntries(request.entries, before.frameEntries, request.cut.cutSeq, cutSeq);
  const active = leaving.filter((entry) => entry.active);
  const byCode: Making = { ...making, producer: 'trail' };

  const ruled = pinStandingRules(request.summary, active, byCode, digest).summary;
  const window = { seqs: new Set(active.map(({ seq }) => seq)), commands };
  const merged = summariseOffline(ruled, [window], lines, making, { counter, digest });
  const filled = merged.outcome === 'merged' ? merged.summary : ruled;

  const nextRequest = (summary: AnchoredSummary) =>
    requestState(
      {
        ...request,
        summary,
        cut: { ...request.cut, cutSeq, promptAgainSeq: plan.promptAgainSeq },
        previews: new Map([...request.previews].filter(([seq]) => seq > cutSeq)),
      },
      counter,
    );
  const used = (state: ReturnType<typeof nextRequest>['state']): number =>
    measurePass({ ...state, guard: NO_GUARD }, settings).usedTokens;
  const unarchived = nextRequest(filled).state;
  // New pins may take room that the plan had for the summary.
  const room = plan.targetTokens - (used(unarchived) - unarchived.parts.summaryTokens);
  const ceiling = Math.max(1, Math.min(settings.summaryTokens, room - SLACK_TOKENS));
  const { summary } = archiveItems(filled, ceiling, counter, byCode);
  const after = nextRequest(summary);

  const cited = new Set(request.summary.items.flatMap((item) => item.sourceEntryIds));
  const counterName = `${counter.name}@${counter.version}`;
  const tokensBefore = used(before.state);
  const tokensAfter = used(after.state);
  const exported = toAnthropic(after.context, { mediaBytes: () => null, counter });
  const keptBefore = shownTail({
    ...before.context,
    tail: before.tail.filter(({ seq }) => seq > cutSeq),
  });
  const keptAfter = shownTail(after.context);
  const gate = checkGate({
    strategy: 'offline',
    before: request.summary,
    after: summary,
    opaqueText: null,
    patches: [],
    answers: [],
    span: active.map((entry) => spanEntry(entry, lines, cited)),
    history: [],
    trailTexts: trailTexts(lines, commands),
    requestBefore: { tokens: tokensBefore, counter: counterName },
    requestAfter: { tokens: tokensAfter, counter: counterName },
    targetTokens: plan.targetTokens,
    minFreedTokens: plan.minFreedTokens,
    pairingProblems: checkAnthropic(exported.messages).map(
      ({ rule, message, found }) => `${rule} at message ${message ?? 'none'}: ${found}`,
    ),
    tailBefore: JSON.stringify(keptBefore),
    tailAfter: JSON.stringify(keptAfter),
    latestPrompt: before.latestPrompt?.content ?? null,
    outgoingTexts: [
      ...keptAfter.map(({ content }) => content),
      after.context.promptAgain?.content ?? '',
    ],
    counter,
    digest,
  });
  return { summary, gate, tokensBefore, tokensAfter };
}

/** Lines are not exactly additive in tokens. */
const SLACK_TOKENS = 16;

const NO_GUARD = {
  start: 'manual',
  sinceLastPass: null,
  failures: 0,
  isKnownFingerprint: false,
} as const;

/** @param cited entries that the summary speaks of already: an earlier pass told of its tail too. */
function spanEntry(entry: StoredEntry, lines: SectionLines, cited: ReadonlySet<string>): SpanEntry {
  const { seq, entryId } = entry;
  const matters =
    !cited.has(entryId) &&
    (isHumanPrompt(entry) ||
      lines.decisions.some((line) => line.seq === seq) ||
      // The item of an artifact cites its last event, and speaks for those before it.
      lines.trail.some(({ lastSeq, state }) => lastSeq === seq && state !== 'read') ||
      lines.errors.some(({ lastSeq }) => lastSeq === seq));
  return { seq, entryId, text: renderUnit([entry]), matters };
}
