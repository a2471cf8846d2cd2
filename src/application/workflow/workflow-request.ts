/** What the recipes of workflows are asked, and what they answer. */
import type { Redact } from '../../domain/redaction/redact.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { ArtifactSizes, StageSizes } from '../../domain/workflow/artifact-sizes.js';
import type { Gap, Trace } from '../../domain/workflow/trace.js';
import type {
  Approval,
  ArtifactVersion,
  PhaseBudgets,
  RegisteredSource,
  Workflow,
  WorkflowKey,
} from '../../domain/workflow/workflow.js';
import type { WorkflowHistory } from '../../domain/workflow/workflow-acts.js';
import type { WorkflowPhase } from '../../domain/workflow/workflow-phase.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';
import type { SessionSummaryService } from '../session/session-summary-service.js';
import type { DraftPhase } from './draft-phase.js';
import type { ProjectReading } from './project-reading.js';
import type { GivenText } from './read-sources.js';

export interface WorkflowNeeds {
  /** What texts are redacted by where a request does not say; null: by nothing. */
  readonly redact: Redact | null;
  readonly repositories: Pick<Repositories, 'workflows' | 'sessions' | 'projects'>;
  readonly unitOfWork: UnitOfWork<'workflows'>;
  readonly summaries: Pick<SessionSummaryService, 'read' | 'pin' | 'unpin'>;
  /** Null: there is no model. */
  readonly draftPhase: DraftPhase | null;
  readonly tokenCounter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
}

export interface CreateWorkflowRequest {
  readonly tenantId: string;
  readonly project: string;
  readonly name: string;
  readonly goal: string;
  readonly budgets?: Partial<PhaseBudgets>;
  /** Changes made by hand, as unified diffs. */
  readonly seedExamples?: readonly Omit<GivenText, 'kind'>[];
  readonly redact?: Redact | null;
}

export interface WorkflowRequest {
  readonly key: WorkflowKey;
  /** The version that was read; another one by now is STALE. Left out: any. */
  readonly expectedVersion?: number;
}

export interface SourcesRequest extends WorkflowRequest {
  /** As `file:src/a.ts:1-20`, `url:…`, `entry:…`. */
  readonly references?: readonly string[];
  readonly texts?: readonly GivenText[];
  readonly reading: ProjectReading;
}

export interface DraftingRequest extends WorkflowRequest {
  readonly phase: WorkflowPhase;
  readonly reading: ProjectReading;
}

export interface PutRequest extends DraftingRequest {
  /** Markdown with the fixed headings, or JSON. */
  readonly text: string;
  readonly by: string;
}

export interface VerdictRequest extends WorkflowRequest {
  readonly phase: WorkflowPhase;
  readonly by: string;
  /** Of a rejection: the reasons. */
  readonly comment?: string;
}

export interface ApproveRequest extends VerdictRequest {
  /** Of the artifact that is meant, or its first characters, 8 at least. Left out: the latest. */
  readonly hash?: string;
  readonly acceptGaps?: boolean;
  readonly reading: ProjectReading;
}

export interface ContextRequest extends WorkflowRequest {
  /** The session that implements: from now on the approved spec is pinned in it. Left out: as before. */
  readonly sessionId?: string;
  readonly reading: ProjectReading;
}

export interface WorkflowView extends WorkflowHistory {
  readonly sources: readonly RegisteredSource[];
  readonly stages: StageSizes;
}

export interface SourcesReport {
  readonly workflow: Workflow;
  /** Empty: all were registered already, as they are. */
  readonly added: readonly RegisteredSource[];
}

/** `over-budget`: nothing was written; `sizes` say where the tokens are. */
export interface PutReport {
  readonly outcome: 'put' | 'unchanged' | 'over-budget';
  readonly workflow: Workflow;
  readonly phase: WorkflowPhase;
  /** The version that stands now; null: there is none. */
  readonly artifact: ArtifactVersion | null;
  readonly sizes: ArtifactSizes;
  /** Approvals that do not count any more. */
  readonly voided: readonly Approval[];
  /** Of a draft: sources that the model was told of by name only. */
  readonly unread: readonly string[];
}

/** `gaps`: they were not accepted, and nothing was written. */
export interface ApprovalReport {
  readonly outcome: 'approved' | 'rejected' | 'unchanged' | 'gaps';
  readonly workflow: Workflow;
  readonly approval: Approval | null;
  readonly gaps: readonly Gap[];
  readonly voided: readonly Approval[];
}

export interface TraceReport extends Trace {
  readonly workflow: Workflow;
}
