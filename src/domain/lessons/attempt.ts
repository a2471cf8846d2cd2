/** One try to give a lesson a shorter form, complete enough to be replayed from its row. */
import type { ClaimKind } from './claim.js';
import type { ProvisionalReason } from './lesson.js';
import type { ResolvedLessonSettings } from './lesson-settings.js';

export type AttemptKind = 'compression' | 'revisit' | 'merge';

export const ATTEMPT_OUTCOMES = [
  'running',
  'accepted',
  'rejected',
  'failed',
  'stale',
  'abandoned',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export const ATTEMPT_REASONS = [
  'no-episodes',
  'insufficient-evidence',
  'compressor-failed',
  'empty',
  'not-smaller',
  'under-reported',
  'invalid-manifest',
  'token-limit',
  'repeated',
  'false-lossless',
  'invented',
  'audit-unreadable',
  'replay-failed',
  'held-out-failed',
] as const;
export type AttemptReason = (typeof ATTEMPT_REASONS)[number];

export type ClaimFate = 'kept' | 'merged' | 'dropped';

/** What a compressor answered, read and redacted. */
export interface CompressionProposal {
  readonly body: string;
  readonly dropped: readonly ProposedLoss[];
  readonly fates: readonly ProposedFate[];
  readonly lossless: boolean;
  readonly title: string | null;
  readonly gist: string | null;
  readonly rationale: string | null;
}

export interface ProposedLoss {
  readonly claim: string;
  /** As the compressor wrote it; anything unknown becomes `rationale`. */
  readonly kind: ClaimKind | (string & {});
  /** Ids of the numbered source claims it stands for; may be empty. */
  readonly claimIds: readonly string[];
}

export interface ProposedFate {
  /** As the numbered source claims name it. */
  readonly claimId: string;
  readonly fate: ClaimFate;
  /** Of `merged`: the claims of the source that it was merged with. */
  readonly mergedWith: readonly string[];
}

/** The episodes of an attempt, in the order in which they are replayed. */
export interface AttemptSample {
  readonly inSample: readonly string[];
  readonly heldOut: readonly string[];
  /** False: too few would have stayed in the sample, so nothing was held out. */
  readonly split: boolean;
}

export type Arm = 'candidate' | 'baseline' | 'control';

export type ReplayOutcome = 'passed' | 'failed' | 'unreadable';

/** One answer of a judge; unreadable is never a pass. */
export interface JudgeVote {
  readonly outcome: ReplayOutcome;
  readonly reason: string | null;
  readonly missing: readonly string[];
  /** What the judge wrote, cut; null where it did not answer. */
  readonly raw: string | null;
}

/** One fresh agent asked with one text, or none, and what was thought of its answer. */
export interface ReplayResult {
  readonly attemptId: string;
  /** From 1, in the order of the attempt. */
  readonly ordinal: number;
  readonly episodeId: string;
  readonly arm: Arm;
  readonly phase: 'sample' | 'held-out';
  readonly outcome: ReplayOutcome;
  readonly reason: string | null;
  readonly missing: readonly string[];
  /** Cut to the judge's limit; null where the agent gave none. */
  readonly answer: string | null;
  /** Error of the agent or the judge, cut; null: none. */
  readonly fault: string | null;
  readonly votes: readonly JudgeVote[];
  /** True: a check of the episode decided, or a stored result was used again; no judge was asked. */
  readonly checkedMechanically: boolean;
  readonly reused: boolean;
  /** Digest of everything that the result depends on; see `armKey`. */
  readonly armKey: string;
  /** Null where no process was started. */
  readonly processId: number | null;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** Calls of models that an attempt spent. */
export interface AttemptCalls {
  readonly compressor: number;
  readonly probes: number;
  readonly judges: number;
  readonly audits: number;
  /** As the adapters report them; 0 where they do not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const NO_CALLS: AttemptCalls = {
  compressor: 0,
  probes: 0,
  judges: 0,
  audits: 0,
  inputTokens: 0,
  outputTokens: 0,
};

/** Names of the models and versions of the prompts that took part; null: not bound. */
export interface AttemptModels {
  readonly compressor: string | null;
  readonly agent: string | null;
  readonly judge: string | null;
  readonly auditor: string | null;
  /** True: a deterministic model without a network took part. */
  readonly offline: boolean;
}

export interface AttemptCandidate {
  readonly proposal: CompressionProposal;
  readonly tokens: number;
  readonly digest: string;
}

export interface CompressionAttempt {
  readonly attemptId: string;
  readonly kind: AttemptKind;
  /** The lesson it is about; of a merge, the first of its sources. */
  readonly lessonId: string;
  readonly sourceIds: readonly string[];
  readonly sourceVersion: number;
  /** From 1 for a lesson; a dry run has the number of the next real attempt. */
  readonly attemptNo: number;
  readonly dryRun: boolean;
  /** The cooldown was waived by the caller. */
  readonly ignoredCooldown: boolean;
  readonly outcome: AttemptOutcome;
  /** Null while it runs and where it was accepted, stale or abandoned. */
  readonly reason: AttemptReason | null;
  /** In words and ids: which claims, values or episodes. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly settings: ResolvedLessonSettings;
  readonly counterName: string;
  readonly counterVersion: string;
  readonly sourceTokens: number;
  readonly targetTokens: number;
  readonly sample: AttemptSample;
  /** What the compressor was told about spans; null where it was not asked. */
  readonly toldSpans: 'observed' | 'none-observed' | null;
  /** Digest of what the compressor was given; null where it was not asked. */
  readonly requestDigest: string | null;
  readonly models: AttemptModels;
  /** Null where none came. */
  readonly candidate: AttemptCandidate | null;
  readonly calls: AttemptCalls;
  /** Distinct episodes that count, and those of them that passed. */
  readonly usable: number;
  readonly passed: number;
  readonly passRateLowerBound: number | null;
  readonly provisionalBecause: readonly ProvisionalReason[];
  readonly quarantined: readonly string[];
  /** Of the `always` baseline: episodes that only one of candidate and source passed. */
  readonly comparison: AttemptComparison | null;
  /** The lesson that was made; null unless accepted. */
  readonly acceptedId: string | null;
  readonly worker: string;
  readonly leaseUntil: Date;
  /** `CompressionState.evidence` of the source when it was opened. */
  readonly evidenceAtOpen: number;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}

export interface AttemptComparison {
  readonly wins: number;
  readonly losses: number;
  /** One-sided sign test: probability of so many losses by chance. */
  readonly p: number;
}
