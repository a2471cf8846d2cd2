/** Fragments and decisions from outside, as an import takes them. */
/** A fragment from outside. */
export interface IncomingFragment {
  readonly fragmentId: string;
  readonly content: string;
  readonly relevance: number;
  /** Counted when absent. */
  readonly tokenCount?: number;
  /** `name@version` of the counter behind a given tokenCount; left out: it came from outside. */
  readonly tokenCounter?: string;
  readonly decisionId?: string | null;
  /** The text of a decision that the store does not know yet. */
  readonly decision?: string;
  readonly createdAt?: Date | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** A decision from outside, with an id that its source keeps stable. */
export interface IncomingDecision {
  readonly decisionId: string;
  readonly type: string;
  readonly question: string | null;
  readonly choice: string;
  readonly rationale: string | null;
  readonly parentDecisionId: string | null;
  readonly createdAt: Date | null;
}

/** In the order of the source: a decision before the fragments and decisions that name it. */
export type IncomingItem =
  | { readonly item: 'fragment'; readonly fragment: IncomingFragment; readonly source?: string }
  | { readonly item: 'decision'; readonly decision: IncomingDecision; readonly source?: string }
  | { readonly item: 'superseded'; readonly decisionId: string; readonly by: string };
