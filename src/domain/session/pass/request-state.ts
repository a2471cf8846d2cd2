/** The request that a session sends at one moment: what goes out, and its sizes for a pass. */
import type { TokenCounter } from '../../kernel/measures.js';
import {
  type CutState,
  type ExportEntry,
  type OutgoingContext,
  selectOutgoing,
} from '../export/outgoing-context.js';
import type { StoredEntry } from '../stored-entry.js';
import { tokensWithoutPins } from '../summary/archive-items.js';
import { renderItem, renderSummary } from '../summary/render-summary.js';
import { type AnchoredSummary, asksOf, emptySummary } from '../summary/summary-item.js';
import { isHumanPrompt } from '../transcript.js';
import type { RequestParts } from './floor.js';
import { previewEntry } from './oversized.js';
import type { PassState } from './pass-state.js';
import { markUnits, MESSAGE_OVERHEAD_TOKENS } from './unit-mark.js';

/** Tokens of what the host sends beside the session, overheads included. */
export interface HostFrame {
  readonly systemTokens: number;
  readonly toolTokens: number;
}

export interface RequestInput<Entry extends StoredEntry> {
  /**
   * Ascending: the entries behind the cut, the prompt that is placed again, and from the beginning all
   * up to the first that is no system text.
   */
  readonly entries: readonly Entry[];
  readonly cut: CutState;
  /** `seq` → UTF-16 units of its preview. */
  readonly previews: ReadonlyMap<number, number>;
  readonly summary: AnchoredSummary;
  readonly frame: HostFrame;
}

export interface RequestState<Entry extends StoredEntry> {
  readonly context: OutgoingContext;
  readonly frameEntries: readonly Entry[];
  readonly tail: readonly Entry[];
  readonly latestPrompt: Entry | null;
  readonly state: Omit<PassState, 'guard'>;
}

export function requestState<Entry extends StoredEntry>(
  { entries, cut, previews, summary, frame }: RequestInput<Entry>,
  counter: TokenCounter,
): RequestState<Entry> {
  const { frameEntries, promptAgain, tail } = selectOutgoing(entries, cut);
  const hasSummary = summary.items.length > 0;
  const rendered = hasSummary ? renderSummary(summary) : null;
  const latestPrompt = tail.findLast(isHumanPrompt) ?? promptAgain;
  const previewTokens = new Map(
    tail.flatMap((entry) => {
      const characters = previews.get(entry.seq);
      return characters === undefined
        ? []
        : [[entry.seq, previewedTokens(entry, characters, counter)] as const];
    }),
  );
  return {
    context: { frame: null, summary: rendered, promptAgain, tail, previews, stubs: [] },
    frameEntries,
    tail,
    latestPrompt,
    state: {
      parts: partsOf(summary, rendered, frameEntries, frame, counter),
      units: markUnits(tail, previewTokens),
      latestPrompt:
        latestPrompt === null
          ? null
          : { seq: latestPrompt.seq, tokens: messageTokens(latestPrompt) },
      promptAgainTokens: promptAgain === null ? 0 : messageTokens(promptAgain),
      factor: 1,
      taskEndSeq: null,
    },
  };
}

function partsOf(
  summary: AnchoredSummary,
  rendered: string | null,
  frameEntries: readonly StoredEntry[],
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
    summaryTokens: rendered === null ? 0 : withoutPins + MESSAGE_OVERHEAD_TOKENS,
    openAskTokens: openAsks.reduce((sum, ask) => sum + counter.count(`${renderItem(ask)}\n`), 0),
    emptySchemaTokens: counter.count(renderSummary(emptySummary(summary.schema))),
  };
}

function messageTokens({ tokenCount }: StoredEntry): number {
  return tokenCount + MESSAGE_OVERHEAD_TOKENS;
}

function previewedTokens(entry: ExportEntry, characters: number, counter: TokenCounter): number {
  const shown = previewEntry(entry, characters);
  if (shown.kind !== 'tool_call') return counter.count(shown.content);
  const { toolName, arguments: given } = shown;
  return counter.count(`${toolName} ${typeof given === 'string' ? given : JSON.stringify(given)}`);
}
