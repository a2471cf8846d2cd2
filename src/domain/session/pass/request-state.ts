/** The request that a session sends at one moment: what goes out, and its sizes for a pass. */
import type { TokenCounter } from '../../kernel/measures.js';
import { type CutState, type OutgoingContext, selectOutgoing } from '../export/outgoing-context.js';
import type { MarkedEntry } from '../marked-entry.js';
import { tokensWithoutPins } from '../summary/archive-items.js';
import type { StoredBlob, StoredStub } from '../summary/session-cycle.js';
import { renderItem, renderSummary } from '../summary/render-summary.js';
import { type AnchoredSummary, asksOf, emptySummary } from '../summary/summary-item.js';
import { isHumanPrompt } from '../transcript.js';
import type { RequestParts } from './floor.js';
import type { PassState } from './pass-state.js';
import { markUnits, MESSAGE_OVERHEAD_TOKENS, type UnitFacts, type UnitMark } from './unit-mark.js';

/** Tokens of what the host sends beside the session, overheads included. */
export interface HostFrame {
  readonly systemTokens: number;
  readonly toolTokens: number;
}

export interface RequestInput<Entry extends MarkedEntry> {
  /**
   * Ascending: the entries behind the cut, the prompt that is placed again, and from the beginning all
   * up to the first that is no system text.
   */
  readonly entries: readonly Entry[];
  readonly cut: CutState;
  /** `seq` → UTF-16 units of its preview. */
  readonly previews: ReadonlyMap<number, number>;
  /** `seq` → tokens of that preview, by the session's counter; of every preview in the tail. */
  readonly previewTokens: ReadonlyMap<number, number>;
  /** Lines of units that left from behind the cut, ascending. */
  readonly stubs: readonly StoredStub[];
  readonly summary: AnchoredSummary;
  /** What goes out behind the summary for what nobody can look into, or null. */
  readonly blob: StoredBlob | null;
  readonly frame: HostFrame;
  /** Factor of the counter for the session's model; 1 without reports. */
  readonly factor: number;
  /** Last `seq` of a task that ended, or null. */
  readonly taskEndSeq: number | null;
  /** What the trail knows of units, where scores are asked for. */
  readonly facts: ReadonlyMap<string, UnitFacts>;
}

export interface RequestState<Entry extends MarkedEntry> {
  readonly context: OutgoingContext<Entry>;
  readonly frameEntries: readonly Entry[];
  readonly tail: readonly Entry[];
  readonly latestPrompt: Entry | null;
  readonly state: Omit<PassState, 'guard'>;
}

export function requestState<Entry extends MarkedEntry>(
  input: RequestInput<Entry>,
  counter: TokenCounter,
): RequestState<Entry> {
  const { entries, cut, previews, previewTokens, stubs, summary, blob, frame, factor, facts } =
    input;
  const { frameEntries, promptAgain, tail } = selectOutgoing(entries, cut);
  const hasSummary = summary.items.length > 0;
  const rendered = hasSummary ? renderSummary(summary) : null;
  const marks = withStubs(markUnits(tail, previewTokens, facts), stubs, counter);
  const latestPrompt = tail.findLast(isHumanPrompt) ?? promptAgain;
  return {
    context: {
      frame: null,
      summary: outgoingSummary(rendered, blob),
      promptAgain,
      tail,
      previews,
      stubs,
    },
    frameEntries,
    tail,
    latestPrompt,
    state: {
      parts: partsOf(summary, rendered, blob, frameEntries, frame, counter),
      units: marks,
      latestPrompt:
        latestPrompt === null
          ? null
          : { seq: latestPrompt.seq, tokens: messageTokens(latestPrompt) },
      promptAgainTokens: promptAgain === null ? 0 : messageTokens(promptAgain),
      factor,
      taskEndSeq: input.taskEndSeq,
    },
  };
}

function partsOf(
  summary: AnchoredSummary,
  rendered: string | null,
  blob: StoredBlob | null,
  frameEntries: readonly MarkedEntry[],
  frame: HostFrame,
  counter: TokenCounter,
): RequestParts {
  const withoutPins = rendered === null ? 0 : tokensWithoutPins(summary, counter);
  const whole = rendered === null ? 0 : counter.count(rendered);
  const openAsks = asksOf(summary).filter(({ state }) => state === 'open');
  return {
    systemTokens: frameEntries.reduce(
      (sum, entry) => sum + messageTokens(entry),
      frame.systemTokens,
    ),
    toolTokens: frame.toolTokens,
    pinTokens: Math.max(0, whole - withoutPins),
    summaryTokens:
      (rendered === null ? 0 : withoutPins + MESSAGE_OVERHEAD_TOKENS) + (blob?.tokens ?? 0),
    openAskTokens: openAsks.reduce((sum, ask) => sum + counter.count(`${renderItem(ask)}\n`), 0),
    emptySchemaTokens: counter.count(renderSummary(emptySummary(summary.schema))),
  };
}

/** Summary and blob as one text; a blob that is no text goes out as a message of its own. */
export function outgoingSummary(rendered: string | null, blob: StoredBlob | null): string | null {
  if (blob === null || !isTextBlob(blob)) return rendered;
  return rendered === null ? blob.payload : `${rendered}\n\n${blob.payload}`;
}

export function isTextBlob({ format }: Pick<StoredBlob, 'format'>): boolean {
  return format.startsWith('text/');
}

/** Marks in the order of their places, stubs among them. */
function withStubs(
  units: readonly UnitMark[],
  stubs: readonly StoredStub[],
  counter: TokenCounter,
): readonly UnitMark[] {
  if (stubs.length === 0) return units;
  const marks = stubs.map(({ seq, lastSeq, unitId, turn, kind, text }): UnitMark => {
    const entries = [{ seq, tokenCount: counter.count(text), kind: 'system' as const }];
    return {
      unitId,
      firstSeq: seq,
      lastSeq,
      turn,
      entries,
      overheadTokens: MESSAGE_OVERHEAD_TOKENS,
      kind,
      isHumanPrompt: false,
      isStub: true,
      references: [],
      contents: [],
      hasOpenError: false,
    };
  });
  return [...units, ...marks].sort((a, b) => a.firstSeq - b.firstSeq);
}

function messageTokens({ tokenCount }: MarkedEntry): number {
  return tokenCount + MESSAGE_OVERHEAD_TOKENS;
}
