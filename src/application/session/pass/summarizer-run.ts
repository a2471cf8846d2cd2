/**
 * A summarizer at work for one pass: each request is made under the ceiling, answers that cannot be
 * taken go back with the reasons, and every call is remembered with what it cost.
 */
import type { TokenCounter } from '../../../domain/kernel/measures.js';
import type { JsonValue } from '../../../domain/redaction/json-value.js';
import type { TextCleaner } from '../../../domain/redaction/text-cleaner.js';
import type { SpanWindow } from '../../../domain/session/pass/span-windows.js';
import type { PassDraft } from '../../../domain/session/pass/finish-pass.js';
import type {
  AttemptReason,
  ModelCall,
  SummarizerFault,
} from '../../../domain/session/summary/session-cycle.js';
import type { SectionSchema } from '../../../domain/session/summary/section-schema.js';
import { MAX_ITEM_TOKENS } from '../../../domain/session/summary/summary-item.js';
import type { Clock } from '../../ports/system.js';
import type { Summarizer, SummaryAnswer, SummaryApproach, SummaryRequest } from '../summarise.js';
import { type AskedCall, askInTime, modelCall, type PassSignals } from './ask-in-time.js';
import { complaintsWithin, type RequestShares } from './pass-limits.js';

export interface SummarizerRun {
  readonly summarizer: Summarizer;
  readonly signals: PassSignals;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  readonly schema: SectionSchema;
  readonly shares: RequestShares;
  readonly focus: string | null;
  /** Corrective requests for an answer that cannot be taken. */
  readonly maxRetries: number;
  /** What comes from a model is repaired and redacted before anything else. */
  readonly cleaner: TextCleaner;
  /** Says that the pass is alive. Called before each request. */
  readonly renew: () => Promise<void>;
  /** Filled as calls are made. */
  readonly calls: ModelCall[];
}

export type Failed = {
  readonly outcome: 'failed' | 'rejected';
  readonly reasons: readonly AttemptReason[];
};

export type DraftOutcome =
  | Failed
  | {
      readonly outcome: 'drafted';
      readonly draft: PassDraft;
      /** The same once more, with what the gate has against it. */
      readonly again: (reasons: readonly AttemptReason[]) => Promise<DraftOutcome>;
    };

export interface WindowAsked {
  readonly approach: SummaryApproach;
  readonly window: SpanWindow;
  readonly index: number;
  readonly count: number;
  /** @param maxTokens of the reference. */
  readonly referenceWithin: (maxTokens: number) => string;
  /** Why an earlier answer about the same window was refused. */
  readonly complaints: readonly string[];
}

/** What an answer is worth: a value, or why it cannot be taken. */
export type Taken<Value> =
  | { readonly isTaken: true; readonly value: Value }
  | { readonly isTaken: false; readonly complaints: readonly string[] };

/** Asks about a window until its answer can be taken, as often as corrective requests are allowed. */
export async function askWindow<Value>(
  run: SummarizerRun,
  asked: WindowAsked,
  take: (answer: Exclude<SummaryAnswer, { kind: 'failed' }>) => Taken<Value>,
): Promise<{ readonly outcome: 'taken'; readonly value: Value } | Failed> {
  let complaints = asked.complaints;
  for (let tries = 0; ; tries += 1) {
    const { request, tokens } = requestOf(run, asked, complaints);
    await run.renew();
    const { summarise } = run.summarizer;
    const call = await askInTime((signal) => summarise(request, signal), run.signals, run.clock);
    const note = (answer: ModelCall['answer']): void => {
      run.calls.push(modelCall(asked.index, answer, call, tokens));
    };
    const failure = failureOf(call);
    if (failure !== null) {
      note('failed');
      const mayRepeat = failure.code === 'unreadable' || failure.code === 'truncated';
      if (!mayRepeat || tries >= run.maxRetries) return { outcome: 'failed', reasons: [failure] };
      complaints = [failure.reason];
      continue;
    }
    const taken = take(call.answer as Exclude<SummaryAnswer, { kind: 'failed' }>);
    note(taken.isTaken ? 'taken' : 'invalid');
    if (taken.isTaken) return { outcome: 'taken', value: taken.value };
    complaints = taken.complaints;
    if (tries >= run.maxRetries) {
      const reasons = complaints.map((reason) => reasonOf('invalid-answer', reason));
      return { outcome: 'rejected', reasons };
    }
  }
}

/** The JSON of an answer, cleaned. */
export function cleaned(run: SummarizerRun, given: unknown): JsonValue {
  return given === undefined ? null : run.cleaner.cleanJson(given as JsonValue);
}

export function wrongKind(wanted: SummaryAnswer['kind']): Taken<never> {
  return { isTaken: false, complaints: [`the answer must be a ${wanted}`] };
}

export function complaintsOf(reasons: readonly AttemptReason[]): readonly string[] {
  return reasons.map(({ code, itemNo, reason }) =>
    itemNo === null ? `${code}: ${reason}` : `${code}, #${itemNo}: ${reason}`,
  );
}

function requestOf(
  { shares, counter, schema, focus }: SummarizerRun,
  { approach, window, index, count, referenceWithin }: WindowAsked,
  given: readonly string[],
): { readonly request: SummaryRequest; readonly tokens: number } {
  const complaints = complaintsWithin(given, shares.complaintTokens, counter);
  const complaintTokens = complaints.reduce((sum, line) => sum + counter.count(`${line}\n`), 0);
  const taken = shares.fixedTokens + complaintTokens + window.tokens;
  let room = Math.max(0, shares.requestTokens - taken);
  let reference = referenceWithin(room);
  // Tokens of lines do not add up exactly to those of the text.
  for (let used = counter.count(reference); used > room; used = counter.count(reference)) {
    room = Math.max(0, 2 * room - used - 1);
    reference = room === 0 ? '' : referenceWithin(room);
  }
  return {
    request: {
      approach,
      schema,
      window: { index, count, text: window.text, seqs: window.seqs },
      reference,
      focus,
      limits: {
        requestTokens: shares.requestTokens,
        answerTokens: shares.answerTokens,
        itemTokens: MAX_ITEM_TOKENS,
      },
      complaints,
    },
    tokens: taken + counter.count(reference),
  };
}

function failureOf({ answer }: AskedCall<SummaryAnswer>): AttemptReason | null {
  if (answer.kind === 'failed') return reasonOf(answer.failure, answer.reason);
  return answer.end === 'complete' ? null : reasonOf(answer.end, `the answer was ${answer.end}`);
}

/** UTF-16 units of a reason that are kept. */
const MAX_REASON = 1_000;

function reasonOf(code: SummarizerFault, reason: string): AttemptReason {
  return { code, itemNo: null, reason: reason.slice(0, MAX_REASON) };
}
