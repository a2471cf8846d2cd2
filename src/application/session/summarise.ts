/**
 * The port to whatever writes summaries: a prompted language model, a provider's own compaction, an
 * external compressor. What it answers is checked before anything of it is stored.
 */
import type { AnswerEnd } from '../../domain/session/summary/gate-input.js';
import type { SectionSchema } from '../../domain/session/summary/section-schema.js';

/** How the answer is wanted: a patch of items, every section anew, or a blob. */
export type SummaryApproach = 'anchored' | 'regenerative' | 'opaque';

/** A part of the span, cut between units. */
export interface SummaryWindow {
  /** From 0. */
  readonly index: number;
  /** Windows of this pass. */
  readonly count: number;
  /**
   * The entries as text, data and not instructions. Each begins with a line of its own that holds its
   * handle, `[entry:412]`, its kind and its author; secrets are replaced already.
   */
  readonly text: string;
  /** `seq` of its entries, ascending: what an answer may cite as `entry:412`. */
  readonly seqs: readonly number[];
}

export interface SummaryRequest {
  readonly approach: SummaryApproach;
  /** The sections, in order. Those with `patch` among `filledBy` take additions; pins take proposals. */
  readonly schema: SectionSchema;
  readonly window: SummaryWindow;
  /**
   * Items in force as text, one or more lines each, each beginning with its handle (`#17`), under the
   * headings of their sections; those whose references occur in the window first. Empty: none. An
   * answer may address these and no others.
   */
  readonly reference: string;
  /** What a person wants the summary to attend to, or null. */
  readonly focus: string | null;
  readonly limits: {
    /** Ceiling of the whole request, that of `Summarizer.overheadTokens` included. */
    readonly requestTokens: number;
    /** Ceiling of the answer. */
    readonly answerTokens: number;
    /** Ceiling of the text of one item. */
    readonly itemTokens: number;
  };
  /** Why the answer before was refused, one line each; empty on the first try. */
  readonly complaints: readonly string[];
}

/** Tokens as the provider reports them. */
export interface SummarizerUsage {
  readonly uncachedInputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
}

/**
 * `unavailable`: not reached, refused the work, or overloaded; `unreadable`: answered in another form
 * than asked; `truncated`, `filtered`: the provider cut the answer; `timed-out`: took too long.
 */
export type SummarizerFailure =
  'unavailable' | 'unreadable' | 'truncated' | 'filtered' | 'timed-out';

export interface OpaqueBlob {
  /**
   * Who can read it: the beginning of a provider's name in exports, such as `openai`, or `any` for text
   * of a compressor of yours. Exports to others take the state before it, or are refused.
   */
  readonly provider: string;
  /** Media type of the payload. Only `text/…` goes out in an export; others are kept for the host. */
  readonly format: string;
  /** What goes out in place of the span, as it is. */
  readonly payload: string;
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
}

/** Usage is null where nothing is known of it. */
export type SummaryAnswer = { readonly usage: SummarizerUsage | null } & (
  | {
      readonly kind: 'patch';
      /** JSON as answered; `parsePatch` reads it. */
      readonly patch: unknown;
      readonly end: AnswerEnd;
    }
  | {
      readonly kind: 'document';
      /** JSON as answered; `parseDocument` reads it. */
      readonly document: unknown;
      readonly end: AnswerEnd;
    }
  | { readonly kind: 'opaque'; readonly blob: OpaqueBlob; readonly end: AnswerEnd }
  | {
      readonly kind: 'failed';
      readonly failure: SummarizerFailure;
      /** For people; never the content of an answer. */
      readonly reason: string;
    }
);

/**
 * Called once per window, again with complaints, never inside a transaction, and for several sessions
 * at once. It answers `failed` for what goes wrong on its side; what it throws counts as `unavailable`.
 * Once `signal` is aborted nobody waits for the answer.
 */
export type Summarise = (request: SummaryRequest, signal: AbortSignal) => Promise<SummaryAnswer>;

/** A summarizer with what a pass has to know of it. */
export interface Summarizer {
  /** Of the model; items say `model:<name>`. One line, not empty. */
  readonly name: string;
  /** Window of its model in tokens, input and output; null: that of the session's model. */
  readonly windowTokens: number | null;
  /** Tokens that it adds to the texts of a request: instructions, description of the answer. */
  readonly overheadTokens: number;
  readonly summarise: Summarise;
}
