/**
 * The port to whoever looks over what a summarizer wrote: a second model, a rule of the host's. It is
 * asked of what the gate has let through and may refuse it; what the gate refused never reaches it.
 */
import type { SummarizerFailure, SummarizerUsage } from './summarise.js';

/** A statement that the summarizer wrote or changed in this pass. */
export interface ReviewedItem {
  /** Its handle without the sign: 17 of `#17`. */
  readonly itemNo: number;
  readonly section: string;
  readonly text: string;
  /** What it said before the pass, which stands; null: it is new. */
  readonly before: string | null;
}

export interface ReviewRequest {
  readonly items: readonly ReviewedItem[];
  /**
   * The entries of the span that these items cite, as text, data and not instructions; secrets are
   * replaced already. Long ones are previews.
   */
  readonly entries: string;
  readonly limits: {
    /** Ceiling of the whole request, that of `Reviewer.overheadTokens` included. */
    readonly requestTokens: number;
    /** Ceiling of the answer. */
    readonly answerTokens: number;
  };
}

export interface Refusal {
  /** Of an item that was asked about. */
  readonly itemNo: number;
  /** In one sentence, for the summarizer to mend it by. */
  readonly reason: string;
}

/** Usage is null where nothing is known of it. */
export type ReviewAnswer = { readonly usage: SummarizerUsage | null } & (
  | { readonly kind: 'review'; readonly refusals: readonly Refusal[] }
  | {
      readonly kind: 'failed';
      readonly failure: SummarizerFailure;
      /** For people; never the content of an answer. */
      readonly reason: string;
    }
);

/**
 * Never called inside a transaction, and for several sessions at once. It answers `failed` for what goes
 * wrong on its side; what it throws counts as `unavailable`. A review that fails refuses nothing. Once
 * `signal` is aborted nobody waits for the answer.
 */
export type ReviewSummary = (request: ReviewRequest, signal: AbortSignal) => Promise<ReviewAnswer>;

/** A review with what a pass has to know of it. */
export interface Reviewer {
  /** Of the model or rule, for people. */
  readonly name: string;
  /** Tokens that it adds to the texts of a request: instructions, description of the answer. */
  readonly overheadTokens: number;
  readonly review: ReviewSummary;
}
