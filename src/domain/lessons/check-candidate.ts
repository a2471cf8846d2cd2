/**
 * The checks of a candidate that spend no replay, in their order: the first that fails is the reason.
 * Everything about a candidate that can be known without asking an agent is decided here.
 */
import type { Digest } from '../kernel/measures.js';
import type { AttemptReason, CompressionProposal } from './attempt.js';
import { type Audit, auditCandidate } from './audit-candidate.js';
import type { Claim } from './claim.js';
import { isAtLeastShare, isWithinShare } from './exact-share.js';
import { KnownValues } from './exact-values.js';
import type { LessonSettings } from './lesson-settings.js';
import { cleanLosses, type Loss, type SourceClaim } from './loss-manifest.js';
import { SpokenText } from './normal-text.js';
import type { FailedCandidate } from './repositories.js';

export interface CandidateInput {
  readonly proposal: CompressionProposal;
  readonly tokens: number;
  readonly bodyDigest: string;
  /** Ledger of the candidate's body. */
  readonly ledger: readonly Claim[];
  readonly source: readonly SourceClaim[];
  /** Of one source, or of all together. */
  readonly sourceTokens: number;
  readonly sourceBodies: readonly string[];
  /** Bodies of the subtree, the sources among them. */
  readonly subtreeBodies: readonly string[];
  /** Digests of every body of the lineage. */
  readonly knownDigests: ReadonlySet<string>;
  readonly failedBefore: readonly FailedCandidate[];
  /** Episodes of the set. */
  readonly episodeIds: ReadonlySet<string>;
  readonly settings: LessonSettings;
  /** Share of the source's tokens that may remain, at most. */
  readonly maxRatio: number;
}

export type CandidateVerdict =
  | {
      readonly outcome: 'rejected';
      readonly reason: AttemptReason;
      readonly details: Readonly<Record<string, unknown>>;
    }
  | {
      readonly outcome: 'sound';
      readonly losses: readonly Loss[];
      readonly audit: Audit;
      readonly lossless: boolean;
    };

export function checkCandidate(input: CandidateInput, digest: Digest): CandidateVerdict {
  const { proposal, tokens, sourceTokens, source, settings } = input;
  if (tokens >= sourceTokens) return rejected('not-smaller', { tokens, sourceTokens });

  const known = new KnownValues(input.sourceBodies);
  const { losses, invalid } = cleanLosses(
    proposal.dropped,
    source,
    new SpokenText(proposal.body),
    (value) => known.has(value),
    digest,
  );
  const declares = losses.length > 0 || invalid.length > 0;
  const lossless = proposal.lossless && !declares;
  const silentShare = settings['compression.under_report_share'];
  if (!declares && !lossless && isAtLeastShare(sourceTokens - tokens, sourceTokens, silentShare)) {
    return rejected('under-reported', { tokens, sourceTokens, declared: 0 });
  }
  if (invalid.length > 0) return rejected('invalid-manifest', { entries: invalid.slice(0, 20) });
  if (!isWithinShare(tokens, sourceTokens, input.maxRatio)) {
    return rejected('token-limit', { tokens, sourceTokens, maxRatio: input.maxRatio });
  }
  const { bodyDigest, knownDigests, failedBefore, episodeIds } = input;
  const failed = failedBefore.find(
    (one) => one.digest === bodyDigest && one.episodeIds.some((id) => episodeIds.has(id)),
  );
  if (knownDigests.has(bodyDigest) || failed !== undefined) {
    return rejected('repeated', { failedOn: failed?.episodeIds ?? [] });
  }
  const isAlone = input.subtreeBodies.length === input.sourceBodies.length;
  const audit = auditCandidate({
    source,
    losses,
    subtree: isAlone ? known : new KnownValues(input.subtreeBodies),
    fates: proposal.fates,
    body: proposal.body,
    ledger: input.ledger,
  });
  if (settings['compression.audit']) {
    if (audit.uncovered.length > 0) {
      const uncovered = source.flatMap(({ number, lessonId, claim }) =>
        audit.uncovered.includes(number)
          ? [{ lessonId, claimId: claim.claimId, claim: claim.text }]
          : [],
      );
      return rejected(lossless ? 'false-lossless' : 'under-reported', {
        uncovered: uncovered.slice(0, 50),
      });
    }
    if (audit.invented.length > 0) {
      return rejected('invented', { values: audit.invented.slice(0, 50) });
    }
  }
  return { outcome: 'sound', losses, audit, lossless };
}

function rejected(
  reason: AttemptReason,
  details: Readonly<Record<string, unknown>>,
): CandidateVerdict {
  return { outcome: 'rejected', reason, details };
}
