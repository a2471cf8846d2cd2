/** Attempts in the store: started, kept alive, settled once; those of the dead are settled by whoever comes next. */
import type { Logger } from '../../ports/logger.js';
import type { StartTimer } from '../../ports/timer.js';
import type { SessionKey } from '../../../domain/session/repositories.js';
import type { SummaryStrategy } from '../../../domain/session/summary/gate-input.js';
import type {
  AttemptOutcome,
  AttemptReason,
  AttemptTrigger,
  SessionAttempt,
} from '../../../domain/session/summary/session-cycle.js';
import type { PassSettings } from '../../../domain/session/pass/settings.js';
import type { PlannedPass } from '../plan-stored-pass.js';
import type { PassMaterial } from '../read-pass-material.js';
import type { PassNeeds } from '../summary-needs.js';
import { leaseMs } from './pass-needs.js';

/** Attempts among which one that is started is looked for. */
const LOOKED_AT = 10;

export interface NewAttempt {
  readonly material: PassMaterial;
  readonly planned: PlannedPass;
  readonly settings: PassSettings;
  readonly trigger: AttemptTrigger;
  readonly strategy: SummaryStrategy;
  readonly span: SessionAttempt['span'];
  readonly targetTokens: number;
  readonly fallbackOf: string | null;
}

export function newAttempt(
  { clock, newId, summarizer }: PassNeeds,
  { material: { session }, planned, settings, ...given }: NewAttempt,
): SessionAttempt {
  const now = clock();
  const { strategy, trigger, span, targetTokens, fallbackOf } = given;
  const isModel = strategy !== 'offline' && summarizer !== null;
  return {
    attemptId: newId(),
    fallbackOf,
    fromRevision: session.revision,
    trigger,
    strategy,
    producer: isModel ? `model:${summarizer.name}` : 'offline',
    lastSeq: session.lastSeq,
    span,
    fingerprint: planned.fingerprint,
    tokensBefore: planned.verdict.usedTokens,
    tokensAfter: null,
    targetTokens,
    floorTokens: planned.verdict.breakdown.floorTokens,
    modelCalls: [],
    leaseUntil: new Date(now.getTime() + leaseMs(settings)),
    outcome: 'started',
    reasons: [],
    checks: null,
    startedAt: now,
    finishedAt: null,
  };
}

/** What a crash left started blocks no longer than its lease. */
export async function abandonDead(
  { repositories: { summaries }, clock, log }: PassNeeds,
  key: SessionKey,
  { passTimeoutMs }: Pick<PassSettings, 'passTimeoutMs'>,
): Promise<void> {
  const now = clock();
  for (const attempt of await summaries.listAttempts(key, LOOKED_AT)) {
    const until = attempt.leaseUntil?.getTime() ?? attempt.startedAt.getTime() + passTimeoutMs;
    if (attempt.outcome !== 'started' || until >= now.getTime()) continue;
    const reason = 'it gave no sign of life any more';
    const reasons = [{ code: 'error' as const, itemNo: null, reason }];
    await settle(log, summaries, key, {
      ...attempt,
      outcome: 'abandoned',
      reasons,
      finishedAt: now,
    });
  }
}

export async function settleAs(
  { repositories: { summaries }, clock, log }: PassNeeds,
  key: SessionKey,
  attempt: SessionAttempt,
  outcome: AttemptOutcome,
  reasons: readonly AttemptReason[],
): Promise<void> {
  await settle(log, summaries, key, { ...attempt, outcome, reasons, finishedAt: clock() });
}

/** Settled by somebody else meanwhile, or out of reach: the error at hand is the one to tell. */
async function settle(
  log: Logger,
  summaries: PassNeeds['repositories']['summaries'],
  key: SessionKey,
  attempt: SessionAttempt,
): Promise<void> {
  try {
    await summaries.settleAttempt(key, attempt);
  } catch (fault) {
    log.warn('session.attempt-not-settled', { ...key, fault: String(fault) });
  }
}

/**
 * Says again and again that an attempt is alive, so that a long answer of a model does not look like a
 * crash. @returns what ends it.
 */
export function keepAlive(
  startTimer: StartTimer,
  everyMs: number,
  beat: () => Promise<void>,
): () => void {
  let cancel = (): void => {};
  let hasEnded = false;
  const next = (): void => {
    cancel = startTimer(everyMs, () => {
      const run = async (): Promise<void> => {
        try {
          await beat();
        } catch {
          // The next access of the pass itself meets the same fault, and tells of it.
        }
        if (!hasEnded) next();
      };
      void run();
    });
  };
  next();
  return () => {
    hasEnded = true;
    cancel();
  };
}
