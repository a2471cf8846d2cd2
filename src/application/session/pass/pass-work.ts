/** What a pass has to do, once it is decided, and what comes of it. */
import { leavingEntries } from '../../../domain/session/pass/pass-span.js';
import type { PassPlan } from '../../../domain/session/pass/plan-pass.js';
import type { PassSettings } from '../../../domain/session/pass/settings.js';
import type { SummaryStrategy } from '../../../domain/session/summary/gate-input.js';
import type {
  AttemptReason,
  AttemptTrigger,
  EntrySpan,
} from '../../../domain/session/summary/session-cycle.js';
import type { CompactRequest } from '../pass-request.js';
import type { PlannedPass } from '../plan-stored-pass.js';
import type { PassMaterial } from '../read-pass-material.js';

export interface PassWork {
  readonly material: PassMaterial;
  readonly planned: PlannedPass;
  readonly plan: Omit<PassPlan, 'trigger'>;
  readonly trigger: AttemptTrigger;
  readonly settings: PassSettings;
  readonly strategy: SummaryStrategy;
  readonly request: Pick<CompactRequest, 'focus' | 'signal' | 'redact'>;
}

export interface PassResult {
  readonly outcome: 'adopted' | 'rejected' | 'failed' | 'cancelled' | 'busy' | 'stale';
  readonly reasons: readonly (AttemptReason | { readonly code: string; readonly reason: string })[];
  /** Of the last attempt; for `busy` the one that is running. */
  readonly attemptId: string | null;
  readonly cycle: number;
  readonly strategy: SummaryStrategy;
  readonly span: readonly EntrySpan[];
  readonly tokensBefore: number;
  readonly tokensAfter: number | null;
  /** What was tried before it, in words. */
  readonly notes: readonly string[];
}

/** The span of a pass, before anything is read of its contents. */
export function leavingOf({ planned, plan }: Pick<PassWork, 'planned' | 'plan'>) {
  return leavingEntries(planned.request, planned.measured, plan);
}
