/** What a host says of a pass, and what it is told. */
import type { BudgetBreakdown } from '../../domain/session/pass/floor.js';
import type { HostFrame } from '../../domain/session/pass/request-state.js';
import type { PassSettings, PassSettingsInput } from '../../domain/session/pass/settings.js';
import type { TriggerAnswer } from '../../domain/session/pass/triggers.js';
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
  /** Left out: nothing beside the session. */
  readonly frame?: HostFrame;
}

export interface CompactRequest extends PassRequest {
  /** A person or the host asks for it: no trigger has to be due. */
  readonly now?: boolean;
  /** Decides, but writes nothing. */
  readonly dryRun?: boolean;
}

export interface CompactReport {
  /** `planned`: a dry run that found something to do. */
  readonly outcome:
    'adopted' | 'planned' | 'not_due' | 'unchanged' | 'stopped' | 'rejected' | 'busy' | 'stale';
  readonly reasons: readonly (AttemptReason | { readonly code: string; readonly reason: string })[];
  /** Of the last adopted pass. */
  readonly cycle: number;
  readonly attemptId: string | null;
  /** What left, or would leave. */
  readonly span: readonly EntrySpan[];
  /** Tokens of a request. */
  readonly tokensBefore: number;
  /** Of a dry run: at most. Null where nothing changed. */
  readonly tokensAfter: number | null;
  readonly targetTokens: number;
  readonly breakdown: BudgetBreakdown;
  readonly notes: readonly string[];
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
  readonly lastAttempt: SessionAttempt | null;
}

export interface StoredSummaryView {
  readonly session: Session;
  readonly summary: AnchoredSummary;
  /** Oldest first, those that were rolled back too. */
  readonly cycles: readonly SessionCycle[];
}
