/**
 * Ports to whoever writes probes, answers them and judges the answers: a prompted language model, or what
 * a host brings. None is called inside a transaction; what one of them throws counts as a failure, and a
 * failure is never a mark.
 */
import type { JudgeRequest } from '../../domain/evaluation/grading/judge-request.js';
import type { Mark } from '../../domain/evaluation/grading/mark.js';
import type { ProbeDraft } from '../../domain/evaluation/probes/probe-draft.js';
import type { ProbeType } from '../../domain/evaluation/probe-type.js';
import type { SessionEntry } from '../../domain/session/session.js';

/** Tokens, by name; what was not reported is left out. */
export type EvaluationUsage = Readonly<Record<string, number>>;

/** Why nothing came, in words; never with the content of an answer. */
interface Failed {
  readonly outcome: 'failed';
  readonly reason: string;
  readonly usage: EvaluationUsage;
}

export interface AnswerRequest {
  readonly question: string;
  /** What remains after the pass; the answerer sees nothing else. */
  readonly context: string;
}

export type ProbeAnswer =
  { readonly outcome: 'answered'; readonly text: string; readonly usage: EvaluationUsage } | Failed;

export type AnswerProbe = (request: AnswerRequest, signal: AbortSignal) => Promise<ProbeAnswer>;

export type Judgement =
  | {
      readonly outcome: 'judged';
      /** One for each criterion of the request. */
      readonly marks: readonly Mark[];
      readonly usage: EvaluationUsage;
    }
  /** In a wrong shape, twice. No mark follows from it. */
  | { readonly outcome: 'unreadable'; readonly reason: string; readonly usage: EvaluationUsage }
  | Failed;

export type JudgeAnswer = (request: JudgeRequest, signal: AbortSignal) => Promise<Judgement>;

export interface WriteProbesRequest {
  /** The span as text, each entry under its handle, at most what the writer's window takes. */
  readonly span: string;
  readonly types: readonly ProbeType[];
  /** Probes of one type at most. */
  readonly perType: number;
}

/** A probe with the stretch that proves it, as it must stand in the cited entries. */
export interface ProposedProbe extends Omit<ProbeDraft, 'facts'> {
  readonly facts: readonly (Omit<ProbeDraft['facts'][number], 'sourceEntryIds'> & {
    /** `seq` of the entries that prove it. */
    readonly sources: readonly number[];
    /** Word for word from one of them. */
    readonly evidence: string;
  })[];
}

export type WrittenProposals =
  | {
      readonly outcome: 'written';
      readonly probes: readonly ProposedProbe[];
      readonly usage: EvaluationUsage;
    }
  | Failed;

export type WriteProbes = (
  request: WriteProbesRequest,
  signal: AbortSignal,
) => Promise<WrittenProposals>;

/** Who does it, as every report names him. */
export interface Evaluator<Work> {
  /** Of the model, such as `model:x`. */
  readonly name: string;
  readonly promptVersion: string;
  readonly work: Work;
}

/** Null: there is none, and what needs one ends with MODEL_UNAVAILABLE before any work. */
export interface Evaluators {
  readonly writer: Evaluator<WriteProbes> | null;
  readonly answerer: Evaluator<AnswerProbe> | null;
  readonly judge: Evaluator<JudgeAnswer> | null;
}

/** A prefix of a session, and what a context of it may have. */
export interface ShrinkRequest {
  /** Active entries, oldest first, with their secrets replaced. */
  readonly entries: readonly SessionEntry[];
  readonly targetTokens: number;
}

export interface ShrunkPrefix {
  /** All that an answerer sees. */
  readonly text: string;
  /** Tokens of the models that were asked for it; left out: none were. */
  readonly summarizerTokens?: number;
}

/** A host's own way to shrink. What it throws is a failed pass: counted, and reported with the reason. */
export type ShrinkPrefix = (request: ShrinkRequest, signal: AbortSignal) => Promise<ShrunkPrefix>;

/** By the name of the arm, as reports tell it. */
export type HostArms = Readonly<Record<string, ShrinkPrefix>>;
