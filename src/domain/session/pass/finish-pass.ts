/**
 * The end of a pass, whoever wrote the summary: what is over the ceiling is archived, the next request
 * is made and counted like the one before, and the gate says whether it may take its place.
 */
import type { Digest, TokenCounter } from '../../kernel/measures.js';
import { checkAnthropic } from '../export/check-anthropic.js';
import { shownTail } from '../export/outgoing-context.js';
import { toAnthropic } from '../export/to-anthropic.js';
import type { MarkedEntry } from '../marked-entry.js';
import { renderUnit } from '../render-unit.js';
import type { StoredEntry } from '../stored-entry.js';
import { archiveItems } from '../summary/archive-items.js';
import { checkGate } from '../summary/gate.js';
import type { AnswerEnd, GateVerdict, SpanEntry, SummaryStrategy } from '../summary/gate-input.js';
import type { SummaryPatch } from '../summary/patch.js';
import type { CommandLine, SectionLines } from '../summary/section-lines.js';
import type { StoredBlob, StoredStub } from '../summary/session-cycle.js';
import type { AnchoredSummary, Making } from '../summary/summary-item.js';
import { trailTexts } from '../summary/trail-texts.js';
import { usedTokens } from './measure.js';
import type { PassPlan } from './plan-pass.js';
import { isTextBlob, type RequestInput, requestState, type RequestState } from './request-state.js';
import type { PassSettings } from './settings.js';

/** An entry of the span that was read or is cited. */
export interface SpanPlace {
  readonly seq: number;
  readonly entryId: string;
  readonly isPrompt: boolean;
}

/** What a pass works on. */
export interface PassInput<Entry extends StoredEntry> {
  /** As it is now, with the previews that the pass decided. */
  readonly request: RequestInput<MarkedEntry>;
  /** The same, measured. */
  readonly measured: RequestState<MarkedEntry>;
  readonly plan: Omit<PassPlan, 'trigger'>;
  /** Entries of the next request, and the latest prompt; ascending. */
  readonly kept: readonly Entry[];
  /**
   * Of the active entries that leave, and of those of cycles that are summarized again: what was read, and
   * what anything of the lines cites.
   */
  readonly places: readonly SpanPlace[];
  /** The entries at these places as far as they were read, ascending. */
  readonly span: readonly Entry[];
  /** Stubs of the units that leave out of the middle. */
  readonly newStubs: readonly StoredStub[];
  readonly settings: PassSettings;
  readonly lines: SectionLines;
  /** Commands of the span, in order. */
  readonly commands: readonly CommandLine[];
  readonly making: Making;
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

/** What a strategy made of the span. */
export interface PassDraft {
  readonly strategy: SummaryStrategy;
  /** Before anything of it is archived. */
  readonly summary: AnchoredSummary;
  readonly patches: readonly SummaryPatch[];
  readonly answers: readonly AnswerEnd[];
  readonly blob: StoredBlob | null;
  /** Of `regenerative`: texts of the whole history before the cut. */
  readonly history: readonly string[];
}

export interface FinishedPass {
  readonly summary: AnchoredSummary;
  readonly gate: GateVerdict;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Last `seq` that left at the cut, afterwards. */
  readonly cutSeq: number;
  /** In force afterwards, ascending. */
  readonly stubs: readonly StoredStub[];
}

export function finishPass<Entry extends StoredEntry>(
  input: PassInput<Entry>,
  draft: PassDraft,
): FinishedPass {
  const { request, plan, settings, lines, commands, making, counter, digest } = input;
  const cutSeq = Math.max(request.cut.cutSeq, plan.span.cutSeq);
  const stubs = [...request.stubs, ...input.newStubs]
    .filter(({ lastSeq }) => lastSeq > cutSeq)
    .sort((a, b) => a.seq - b.seq);
  const leftUnits = new Set(stubs.map(({ unitId }) => unitId));
  const { measured: before, kept } = input;
  const contents = new Map(kept.map((entry) => [entry.seq, entry]));

  const nextRequest = (summary: AnchoredSummary) =>
    requestState(
      {
        ...request,
        entries: kept,
        summary,
        blob: draft.blob,
        stubs,
        cut: { cutSeq, leftUnits, promptAgainSeq: plan.promptAgainSeq },
        previews: new Map([...request.previews].filter(([seq]) => seq > cutSeq)),
      },
      counter,
    );
  const used = ({ state }: RequestState<MarkedEntry>): number => usedTokens(state, settings);
  const unarchived = nextRequest(draft.summary);
  // New pins may take room that the plan had for the summary.
  const room = plan.targetTokens - (used(unarchived) - unarchived.state.parts.summaryTokens);
  const left = room - (draft.blob?.tokens ?? 0) - SLACK_TOKENS;
  const ceiling = Math.max(1, Math.min(settings.summaryTokens, left));
  const byCode: Making = { ...making, producer: 'trail' };
  const { summary } = archiveItems(draft.summary, ceiling, counter, byCode);
  const after = nextRequest(summary);

  const telling = tellingSeqs(lines);
  const cited = new Set(request.summary.items.flatMap((item) => item.sourceEntryIds));
  const counterName = `${counter.name}@${counter.version}`;
  const tokensBefore = used(before);
  const tokensAfter = used(after);
  const exported = toAnthropic(after.context, { mediaBytes: () => null, counter });
  const keptBefore = shownTail({
    ...before.context,
    frame: null,
    promptAgain: null,
    tail: keptOf(before.tail, cutSeq, leftUnits, contents),
  });
  const keptAfter = shownTail(after.context);
  const gate = checkGate({
    strategy: draft.strategy,
    before: request.summary,
    after: summary,
    opaqueText: draft.blob !== null && isTextBlob(draft.blob) ? draft.blob.payload : null,
    patches: draft.patches,
    answers: draft.answers,
    span: spanEntries(input, telling, cited),
    history: draft.history,
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
    latestPrompt: latestPromptOf(before, contents),
    outgoingTexts: [
      ...keptAfter.map(({ content }) => content),
      after.context.promptAgain?.content ?? '',
    ],
    counter,
    digest,
  });
  return { summary, gate, tokensBefore, tokensAfter, cutSeq, stubs };
}

/** Of a tail, what is behind the cut and has not left out of the middle. */
function keptOf<Entry extends StoredEntry>(
  tail: readonly MarkedEntry[],
  cutSeq: number,
  leftUnits: ReadonlySet<string>,
  contents: ReadonlyMap<number, Entry>,
): readonly Entry[] {
  const kept: Entry[] = [];
  for (const { seq, unitId } of tail) {
    if (seq <= cutSeq || leftUnits.has(unitId)) continue;
    const entry = contents.get(seq);
    if (entry !== undefined) kept.push(entry);
  }
  return kept;
}

/** Lines are not exactly additive in tokens. */
const SLACK_TOKENS = 16;

/**
 * What was not read has no text: nothing is found in it, so no check passes for it.
 *
 * @param cited entries that the summary speaks of already: an earlier pass told of its tail too.
 */
function spanEntries<Entry extends StoredEntry>(
  { places, span }: Pick<PassInput<Entry>, 'places' | 'span'>,
  telling: ReadonlySet<number>,
  cited: ReadonlySet<string>,
): readonly SpanEntry[] {
  const texts = new Map(span.map((entry) => [entry.seq, renderUnit([entry])]));
  return places.map(({ seq, entryId, isPrompt }) => {
    const matters = !cited.has(entryId) && (isPrompt || telling.has(seq));
    return { seq, entryId, text: texts.get(seq) ?? '', matters };
  });
}

function latestPromptOf<Entry extends StoredEntry>(
  { latestPrompt }: RequestState<MarkedEntry>,
  contents: ReadonlyMap<number, Entry>,
): string | null {
  return latestPrompt === null ? null : (contents.get(latestPrompt.seq)?.content ?? null);
}

/** Entries of decisions, changes and errors. */
function tellingSeqs({ decisions, trail, errors }: SectionLines): ReadonlySet<number> {
  return new Set([
    ...decisions.map(({ seq }) => seq),
    // The item of an artifact cites its last event, and speaks for those before it.
    ...trail.filter(({ state }) => state !== 'read').map(({ lastSeq }) => lastSeq),
    ...errors.map(({ lastSeq }) => lastSeq),
  ]);
}
