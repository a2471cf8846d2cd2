/** What the services of probes need, and how they refuse. */
import type { EvaluationRepository } from '../../domain/evaluation/repositories.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { Clock, NewId } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { SummaryPorts } from '../session/read-pass-material.js';
import type { Summarizer } from '../session/summarise.js';
import type { EvaluationRuns } from './evaluation-runs.js';
import type { Evaluators, HostArms } from './ports.js';
import type { OpenScratch } from './scratch.js';

export interface ProbeEvaluationParts {
  readonly repositories: SummaryPorts & { readonly evaluations: EvaluationRepository };
  readonly unitOfWork: UnitOfWork<'evaluations'>;
  readonly runs: EvaluationRuns;
  /** Whose answers are clean. */
  readonly evaluators: Evaluators;
  readonly hostArms: HostArms;
  /** Null: there is none, and only `offline` shrinks. */
  readonly summarizer: Summarizer | null;
  readonly mappings: readonly ToolMapping[];
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly openScratch: OpenScratch;
  /** Of texts that a host brings; null: nothing is redacted. */
  readonly redact: Redact | null;
}

/** Quotes of a report, unless they are left out of it. */
export const QUOTES = 8;

export function nothingToAsk(sessionId: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `There is nothing to ask about in session ${sessionId}: the span holds no material for a probe.`,
    { details: { sessionId } },
  );
}

export function noModel(what: string): OssatureError {
  return new OssatureError(
    'MODEL_UNAVAILABLE',
    `A model is needed to ${what}, and none is configured. Set OSSATURE_MODEL and OSSATURE_MODEL_BASE_URL, or leave it out: survival and the strategy offline need none.`,
  );
}
