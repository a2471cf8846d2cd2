/**
 * What a summarizer wrote, looked over by a reviewer: each item beside the entries that it cites, in
 * requests under the ceiling of the summarizer's, so that none grows with the session.
 */
import type { TokenCounter } from '../../../domain/kernel/measures.js';
import { cutWindows } from '../../../domain/session/pass/span-windows.js';
import type { PassSettings } from '../../../domain/session/pass/settings.js';
import type { StoredEntry } from '../../../domain/session/stored-entry.js';
import {
  type ItemDifference,
  summarizedItems,
} from '../../../domain/session/summary/item-changes.js';
import type { AttemptReason, ModelCall } from '../../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary } from '../../../domain/session/summary/summary-item.js';
import type { TextCleaner } from '../../../domain/redaction/text-cleaner.js';
import type { Clock } from '../../ports/system.js';
import type { ReviewAnswer, Reviewer, ReviewRequest } from '../review-summary.js';
import { askInTime, type AskedCall, modelCall, type PassSignals } from './ask-in-time.js';

export interface ReviewRun {
  readonly reviewer: Reviewer;
  readonly signals: PassSignals;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  readonly settings: PassSettings;
  /** What comes from a model is repaired and redacted before anything else. */
  readonly cleaner: TextCleaner;
  /** Says that the pass is alive. Called before each request. */
  readonly renew: () => Promise<void>;
  /** Filled as calls are made. */
  readonly calls: ModelCall[];
}

export interface Reviewed {
  readonly refusals: readonly AttemptReason[];
  /** Reviews that came to nothing, in words; they refuse nothing. */
  readonly notes: readonly string[];
}

/** Ceiling of an answer, in tokens. */
const ANSWER_TOKENS = 2_000;

/** Of the room of a request: items against the entries that they cite. */
const ITEM_SHARE = 0.25;

/** UTF-16 units of a reason that are kept. */
const MAX_REASON = 1_000;

/** @param evidence entries that items may cite, with their texts, ascending. */
export async function reviewDraft(
  run: ReviewRun,
  before: AnchoredSummary,
  after: AnchoredSummary,
  evidence: readonly StoredEntry[],
): Promise<Reviewed> {
  const { reviewer, signals, clock, cleaner, calls, renew } = run;
  const known = new Set(evidence.map(({ entryId }) => entryId));
  const written = summarizedItems(before, after).filter(({ after: { producer } }) =>
    producer.startsWith('model:'),
  );
  const grounded = written.filter(({ after: { sourceEntryIds } }) =>
    sourceEntryIds.some((entryId) => known.has(entryId)),
  );
  const refusals: AttemptReason[] = [];
  const notes: string[] = [];
  const without = written.length - grounded.length;
  if (without > 0) notes.push(`${told(without)} cite nothing, and were not reviewed.`);
  for (const [index, items] of batches(run, grounded).entries()) {
    const { request, tokens } = requestOf(run, items, evidence);
    await renew();
    const call = await askInTime((signal) => reviewer.review(request, signal), signals, clock);
    const fault = faultOf(call, request);
    calls.push(modelCall(index, answerOf(call, fault), call, tokens));
    if (fault !== null) {
      notes.push(
        `The review of ${told(items.length)} by ${reviewer.name} came to nothing: ${fault}.`,
      );
      continue;
    }
    for (const { itemNo, reason } of (call.answer as Review).refusals) {
      const said = cleaner.clean(reason).slice(0, MAX_REASON);
      refusals.push({ code: 'review', itemNo, reason: said });
    }
  }
  return { refusals, notes };
}

function told(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}

type Review = Extract<ReviewAnswer, { readonly kind: 'review' }>;

function answerOf({ answer }: AskedCall<ReviewAnswer>, fault: string | null): ModelCall['answer'] {
  if (answer.kind === 'failed') return 'failed';
  return fault === null ? 'taken' : 'invalid';
}

function faultOf({ answer }: AskedCall<ReviewAnswer>, { items }: ReviewRequest): string | null {
  if (answer.kind === 'failed') return `${answer.failure}, ${answer.reason.slice(0, MAX_REASON)}`;
  const asked = new Set(items.map(({ itemNo }) => itemNo));
  const stray = answer.refusals.find(
    ({ itemNo, reason }) =>
      !asked.has(itemNo) || typeof reason !== 'string' || reason.trim() === '',
  );
  if (stray === undefined) return null;
  return asked.has(stray.itemNo)
    ? `it refused #${stray.itemNo} without a reason`
    : `it refused #${stray.itemNo}, which it was not asked about`;
}

/** Items whose texts fit one request, in the order of the summary. */
function batches(
  { counter, settings, reviewer }: ReviewRun,
  written: readonly ItemDifference[],
): readonly (readonly ItemDifference[])[] {
  const room = ITEM_SHARE * roomOf(settings, reviewer);
  const found: ItemDifference[][] = [];
  let tokens = 0;
  for (const item of written) {
    const own = counter.count(JSON.stringify(shown(item)));
    const last = found.at(-1);
    if (last === undefined || tokens + own > room) {
      found.push([item]);
      tokens = own;
    } else {
      last.push(item);
      tokens += own;
    }
  }
  return found;
}

function requestOf(
  { counter, settings, reviewer }: ReviewRun,
  written: readonly ItemDifference[],
  evidence: readonly StoredEntry[],
): { readonly request: ReviewRequest; readonly tokens: number } {
  const cited = new Set(written.flatMap(({ after }) => after.sourceEntryIds));
  const items = written.map(shown);
  const itemTokens = counter.count(JSON.stringify(items));
  const room = Math.max(1, roomOf(settings, reviewer) - itemTokens);
  const windows = cutWindows(
    evidence.filter(({ entryId }) => cited.has(entryId)),
    room,
    counter,
  );
  const [first] = windows;
  const left = windows.slice(1).flatMap(({ seqs }) => seqs);
  const entries = [
    first?.text ?? '',
    ...(left.length === 0 ? [] : [`[${left.length} further entries are not shown]`]),
  ].join('\n');
  return {
    request: {
      items,
      entries,
      limits: { requestTokens: settings.summarizerWindowTokens, answerTokens: ANSWER_TOKENS },
    },
    tokens: reviewer.overheadTokens + itemTokens + counter.count(entries),
  };
}

function roomOf({ summarizerWindowTokens }: PassSettings, { overheadTokens }: Reviewer): number {
  return Math.max(0, summarizerWindowTokens - overheadTokens);
}

function shown({ before, after: { itemNo, section, text } }: ItemDifference) {
  return { itemNo, section, text, before: before?.text ?? null };
}
