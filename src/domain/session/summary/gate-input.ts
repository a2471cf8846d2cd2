/** What the gate is shown, and what its checks answer with. */
import type { Digest, TokenCounter } from '../../kernel/measures.js';
import type { SummaryPatch } from './patch.js';
import type { AnchoredSummary } from './summary-item.js';

/** In the order of their reports. */
export const GATE_CODES = [
  'pairing',
  'size',
  'identifiers',
  'pins',
  'sections',
  'sources',
  'tail',
  'text',
] as const;

export type GateCode = (typeof GATE_CODES)[number];

export type CheckOutcome = 'passed' | 'failed' | 'not-applicable';

export interface GateReason {
  readonly code: GateCode;
  /** The item it is about, or null. */
  readonly itemNo: number | null;
  /** For people and for the summarizer's next try. */
  readonly reason: string;
}

export type SummaryStrategy = 'anchored' | 'offline' | 'regenerative' | 'opaque';

export interface MeasuredRequest {
  /** Tokens of the whole request: frame, summary and tail. */
  readonly tokens: number;
  /** Name and version of the counter, in any one form. */
  readonly counter: string;
}

export interface SpanEntry {
  readonly seq: number;
  readonly entryId: string;
  /** As it was shown to the summarizer; a call with its arguments. */
  readonly text: string;
  /** A human prompt, a decision, a change or an error: something a summary has to speak of. */
  readonly matters: boolean;
}

/** What the provider said of an answer; `complete` also for a summarizer that is no model. */
export type AnswerEnd = 'complete' | 'truncated' | 'filtered';

export interface GateInput {
  readonly strategy: SummaryStrategy;
  /** Under the schema of the pass; after `changeSchema` where that changed. */
  readonly before: AnchoredSummary;
  readonly after: AnchoredSummary;
  /** The text of a provider's blob or of an external compressor, where it can be read; else null. */
  readonly opaqueText: string | null;
  /** All patches of the pass that were merged; those of `offline` too. */
  readonly patches: readonly SummaryPatch[];
  /** One per model call. */
  readonly answers: readonly AnswerEnd[];
  readonly span: readonly SpanEntry[];
  /** For `regenerative`, the whole history before the cut; empty otherwise. */
  readonly history: readonly string[];
  /** Lines of the trail: paths, notes, commands, errors, todos. */
  readonly trailTexts: readonly string[];
  readonly requestBefore: MeasuredRequest;
  readonly requestAfter: MeasuredRequest;
  readonly targetTokens: number;
  readonly minFreedTokens: number;
  /** What the provider's rules have against the outgoing messages; empty: nothing. */
  readonly pairingProblems: readonly string[];
  /** The kept entries as they go out, before and after. */
  readonly tailBefore: string;
  readonly tailAfter: string;
  /** The latest human prompt, null where there is none. */
  readonly latestPrompt: string | null;
  /** Texts of the outgoing messages without that of the summary. */
  readonly outgoingTexts: readonly string[];
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

export interface GateVerdict {
  readonly outcome: 'passed' | 'rejected';
  readonly checks: Readonly<Record<GateCode, CheckOutcome>>;
  /** All of them, in the order of `GATE_CODES`. */
  readonly reasons: readonly GateReason[];
}

/** A check's findings: no reasons, it passed. */
export type Findings = readonly Omit<GateReason, 'code'>[];
