/** The audit record of a compression, stored on the child plan: these four fields and no more. */
export interface SkeletonMetadata {
  /** Share of the parent's tokens that was asked to be removed, in [0, 1]. */
  readonly ratio: number;
  /** Tokens of all fragments before. */
  readonly originalTokens: number;
  /** Tokens of the kept fragments. */
  readonly compressedTokens: number;
  /** Decisions of the kept fragments, in kept order, each once. */
  readonly sourceDecisionIds: readonly string[];
}

/** The same record, frozen through and through, so that no later step can rewrite what was audited. */
export function freezeMetadata(metadata: SkeletonMetadata): SkeletonMetadata {
  const { ratio, originalTokens, compressedTokens, sourceDecisionIds } = metadata;
  return Object.freeze({
    ratio,
    originalTokens,
    compressedTokens,
    sourceDecisionIds: Object.freeze([...sourceDecisionIds]),
  });
}
