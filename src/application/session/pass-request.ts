/** What a host says of a pass, and what it is told. */
import type { BudgetBreakdown } from '../../domain/session/pass/floor.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { FrameTexts } from './pass/host-frame.js';
import type { CalibrationReport } from './pass/calibrate-session.js';
import type { HostFrame } from '../../domain/session/pass/request-state.js';
import type { PassSettings, PassSettingsInput } from '../../domain/session/pass/settings.js';
import type { TriggerAnswer } from '../../domain/session/pass/triggers.js';
import type { SummaryStrategy } from '../../domain/session/summary/gate-input.js';
import type {
  AttemptReason,
  EntrySpan,
  SessionAttempt,
  SessionCycle,
} from '../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary } from '../../domain/session/summary/summary-item.js';
import type { Session } from '../../domain/session/session.js';

export interface SessionRequest {
  readonly tenantId: string;
  readonly sessionId: string;
}

export interface PassRequest extends SessionRequest {
  /** What differs from the defaults; the window must be given where the model's is not known. */
  readonly settings?: PassSettingsInput;
  /** What goes out beside the session, as texts or as counts. Left out: what its settings say. */
  readonly frame?: HostFrame | FrameTexts;
  /** The host says that the task which the agent worked on has ended. */
  readonly isTaskEnded?: boolean;
}

export interface CompactRequest extends PassRequest {
  /** A person or the host asks for it: no trigger has to be due. */
  readonly now?: boolean;
  /** What a summarizer is to attend to. */
  readonly focus?: string;
  /** Ends the pass: the session is then as it was, or the pass was already adopted. */
  readonly signal?: AbortSignal;
  /** For what comes from a summarizer, in place of the container's. Null: nothing is replaced. */
  readonly redact?: Redact | null;
  /** Decides, but writes nothing. */
  readonly dryRun?: boolean;
}

export interface CompactReport {
  /** `planned`: a dry run that found something to do. */
  readonly outcome:
    | 'adopted'
    | 'planned'
    | 'not_due'
    | 'unchanged'
    | 'stopped'
    | 'rejected'
    | 'failed'
    | 'cancelled'
    | 'busy'
    | 'stale';
  readonly reasons: readonly (AttemptReason | { readonly code: string; readonly reason: string })[];
  /** Of the last adopted pass. */
  readonly cycle: number;
  readonly attemptId: string | null;
  /** That was tried last, or would be. */
  readonly strategy: SummaryStrategy;
  /** What left, or would leave. */
  readonly span: readonly EntrySpan[];
  /** Tokens of a request; where `breakdown` is null, at most so many. */
  readonly tokensBefore: number;
  /** Of a dry run: at most; of a refused summary: what it would have been. Null where there was none. */
  readonly tokensAfter: number | null;
  readonly targetTokens: number | null;
  /** Null: sums alone told that nothing is due, and no part was measured. `status` measures them. */
  readonly breakdown: BudgetBreakdown | null;
  readonly notes: readonly string[];
}

export interface OverflowRequest extends PassRequest {
  /** The request that the provider refused; left out: only our count says that it is too large. */
  readonly refused?: {
    /** Input tokens of it as the provider counted them. */
    readonly inputTokens?: number;
    /** What the provider says that it takes at most. */
    readonly windowTokens?: number;
  };
  readonly signal?: AbortSignal;
}

/** `adopted`: the request fits now; `unchanged`: it did already; `stopped`: nothing can make it fit. */
export interface OverflowReport extends CompactReport {
  readonly targetTokens: number;
  readonly breakdown: BudgetBreakdown;
  readonly steps: readonly (
    | { readonly step: 'preview'; readonly entries: number }
    | {
        readonly step: 'offline-pass' | 'halve-tail';
        readonly cycle: number;
        readonly tokensAfter: number;
      }
  )[];
}

export interface UsageRequest extends PassRequest {
  /** Input tokens of the request that the session sent last, as its provider reports them. */
  readonly inputTokens: number;
}

/** What a check between two steps of an agent says. */
export interface PassCheck {
  /** An automatic pass would be made now. */
  readonly isDue: boolean;
  readonly outcome: string;
  readonly reason: string | null;
  /** Where nothing is due, at most so many. */
  readonly usedTokens: number;
  readonly triggers: readonly TriggerAnswer[];
  /** Entries that are shown as previews from now on. */
  readonly previewed: readonly number[];
}

export interface SummaryStatus {
  readonly session: Session;
  readonly settings: PassSettings;
  readonly notes: readonly string[];
  readonly usedTokens: number;
  readonly usedByPart: Readonly<Record<string, number>>;
  readonly breakdown: BudgetBreakdown;
  readonly triggers: readonly TriggerAnswer[];
  /** What an automatic pass would do now, and why. */
  readonly automatic: { readonly outcome: string; readonly reason: string | null };
  readonly failures: number;
  readonly calibration: CalibrationReport;
  /** Handles that were followed back to their entries. */
  readonly expansions: { readonly count: number; readonly tokens: number };
  readonly lastAttempt: SessionAttempt | null;
}

export interface StoredSummaryView {
  readonly session: Session;
  readonly summary: AnchoredSummary;
  /** Oldest first, those that were rolled back too. */
  readonly cycles: readonly SessionCycle[];
}
