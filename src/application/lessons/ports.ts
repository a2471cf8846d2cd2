/**
 * What recipes of lessons ask of models. Texts are redacted before they come here. Every call may be
 * cancelled by its signal, may throw, and may answer anything: what is thrown or unreadable ends the
 * step, never the process. All of them may be called concurrently, and none inside a transaction.
 *
 * `identity` names model and version of the prompt: results are stored and reused under it.
 */
import type { ClaimKind, Claim } from '../../domain/lessons/claim.js';
import type { CompressionProposal } from '../../domain/lessons/attempt.js';
import type { Diagnosis } from '../../domain/lessons/descent.js';

/** As a provider reports it; left out: not known. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface ModelPort {
  readonly identity: string;
  /** True: deterministic and without a network. Attempts say so. */
  readonly offline?: boolean;
}

/** A claim as the compressor sees it: under a number of its own, since a merge has several ledgers. */
export interface NumberedClaim extends Pick<Claim, 'text' | 'values'> {
  /** `1`, `2`, … over all sources; fates and losses name it. */
  readonly number: string;
  readonly lessonId: string;
  readonly claimId: string;
}

export interface CompressionRequest {
  /** One; several for a merge. */
  readonly sources: readonly {
    readonly lessonId: string;
    readonly title: string;
    readonly gist: string;
    readonly body: string;
    readonly tokens: number;
  }[];
  readonly claims: readonly NumberedClaim[];
  /** Tokens of the body, at most; of the counter that judges it. */
  readonly targetTokens: number;
  /** Beginnings of prompts that the lesson must still answer for; none of a held-out episode. */
  readonly prompts: readonly string[];
  readonly hints: readonly string[];
  /** Empty: none was observed, and the compressor is told so, in words. */
  readonly spans: readonly string[];
}

/** Port: a shorter text with the fate of every claim. Called once an attempt. */
export interface ProposeCompression extends ModelPort {
  /** Its answer is checked as what a stranger wrote, whatever the type says. */
  propose(
    request: CompressionRequest,
    signal: AbortSignal,
  ): Promise<{ readonly proposal: CompressionProposal; readonly usage?: ModelUsage }>;
}

export interface ReplayRequest {
  /** Null: no lesson, for the control arm. */
  readonly lesson: string | null;
  readonly prompt: string;
  /** Of the answer, at most. */
  readonly words: number;
  readonly timeoutMs: number;
}

export interface ReplayAnswer {
  readonly answer: string;
  /** Null where no process was started. */
  readonly processId: number | null;
  readonly usage?: ModelUsage;
}

/** Port: asks one fresh agent that sees nothing else how it would approach the task. Throws where it crashed, ran out of time or said nothing. */
export interface ReplayTask extends ModelPort {
  /** `process`: a new one for every call. `call`: inside this process, so memory may leak in. */
  readonly isolation: 'process' | 'call';
  replay(request: ReplayRequest, signal: AbortSignal): Promise<ReplayAnswer>;
}

export interface JudgeRequest {
  readonly task: string;
  readonly acceptedSummary: string;
  readonly answer: string;
}

/** Port: whether an answer makes the same substantive decisions. It never sees the lesson. */
export interface JudgeReplay extends ModelPort {
  /** True: asked once, since it would say the same again. */
  readonly deterministic: boolean;
  /** What it wrote, word for word; the core reads the verdict. */
  judge(
    request: JudgeRequest,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly usage?: ModelUsage }>;
}

export interface RankRequest {
  readonly prompt: string;
  readonly diagnosis: Omit<Diagnosis, 'category'> & { readonly category: ClaimKind | null };
  readonly options: readonly { readonly label: string; readonly text: string }[];
}

/** Port: how useful each option would be, 0..1, in their order. One call for all. */
export interface RankDescent extends ModelPort {
  rank(request: RankRequest, signal: AbortSignal): Promise<readonly number[]>;
}

export interface AuditRequest {
  /** All claims of the source: is each still said? */
  readonly sourceClaims: readonly { readonly number: string; readonly text: string }[];
  /** All claims of the candidate: does each stand in the source? */
  readonly candidateClaims: readonly { readonly number: string; readonly text: string }[];
}

export interface AuditAnswer {
  /** Numbers of source claims that the candidate does not say. */
  readonly uncovered: readonly string[];
  /** Numbers of candidate claims that no source says. */
  readonly invented: readonly string[];
  readonly usage?: ModelUsage;
}

/** Port, optional: can only add rejections. Throws where no answer can be read. */
export interface AuditClaims extends ModelPort {
  audit(request: AuditRequest, signal: AbortSignal): Promise<AuditAnswer>;
}

export interface RelevanceRequest {
  readonly prompt: string;
  readonly lessons: readonly {
    readonly lessonId: string;
    readonly title: string;
    readonly gist: string;
  }[];
}

/** Port, optional: which lessons apply, by title and gist. One entry a lesson. */
export interface JudgeRelevance extends ModelPort {
  judge(
    request: RelevanceRequest,
    signal: AbortSignal,
  ): Promise<
    readonly { readonly lessonId: string; readonly relevance: number; readonly reason: string }[]
  >;
}

/** The model ports that are bound; what is null is not there. */
export interface LessonModels {
  readonly propose: ProposeCompression | null;
  readonly replay: ReplayTask | null;
  readonly judge: JudgeReplay | null;
  readonly rank: RankDescent | null;
  readonly audit: AuditClaims | null;
  readonly relevance: JudgeRelevance | null;
}
