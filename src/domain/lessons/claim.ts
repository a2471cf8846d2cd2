/** Claims: the statements of a body, and what a shorter body no longer says. */

/** One statement of a body. The ledger of a body is its claims in their order. */
export interface Claim {
  /** `c1`, `c2`, …: unique in the ledger of its lesson, kept when text is appended. */
  readonly claimId: string;
  /** From 1, in the order of the text. */
  readonly ordinal: number;
  readonly text: string;
  /** SHA-256 of the text in NFKC, lower case, whitespace collapsed. */
  readonly fingerprint: string;
  /** Exact values: numbers with unit, code, flags, paths, addresses, identifiers; each once. */
  readonly values: readonly string[];
}

export const CLAIM_KINDS = [
  'parameter',
  'example',
  'precondition',
  'edge-case',
  'rationale',
  'counter-example',
  'procedure-step',
  'naming',
  'reference',
] as const;

export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** One entry of a loss manifest: a claim that a lesson no longer says, and who still does. */
export interface DroppedClaim {
  /** Can be shown to an agent as it stands. */
  readonly claim: string;
  readonly kind: ClaimKind;
  /** The lesson below whose ledger has the claim; assigned by the core alone. */
  readonly holderId: string;
  /** In the ledger of the holder; at least one. */
  readonly claimIds: readonly string[];
  /** Identifies the entry in its manifest. */
  readonly fingerprint: string;
  /** Tokens of the claim, by the counter of the lesson that lists it. */
  readonly tokens: number;
  /** The attempt that cut it; null: a person added it below (§14). */
  readonly originAttemptId: string | null;
}

/** How a claim of a source is still said by what was made of it. */
export type CoverHow = 'kept' | 'merged' | 'dropped' | 'reworded';

/** One claim of a child, and what of the parent covers it. */
export interface ClaimCover {
  readonly childId: string;
  readonly childClaimId: string;
  readonly parentId: string;
  readonly how: CoverHow;
  /** In the ledger of the parent; empty where the claim was dropped: its manifest covers it. */
  readonly parentClaimIds: readonly string[];
  /** False: it rests on the compressor's word. */
  readonly audited: boolean;
}
