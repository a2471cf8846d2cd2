/**
 * One pass as a recipe: read the span, let a strategy summarize it, ask the gate, then the fallback,
 * and write all of it in one transaction or nothing. No model is called inside a transaction.
 */
import { OssatureError } from '../../../domain/kernel/errors.js';
import { spanOf } from '../../../domain/session/pass/pass-span.js';
import type { SummaryStrategy } from '../../../domain/session/summary/gate-input.js';
import type { ModelCall, SessionAttempt } from '../../../domain/session/summary/session-cycle.js';
import type { PassNeeds } from '../summary-needs.js';
import { adoptPass } from './adopt-pass.js';
import { PassCancelled, requireAlive } from './ask-in-time.js';
import { keepAlive, newAttempt, settleAs } from './attempt-record.js';
import { fallbackOf, leaseMs } from './pass-needs.js';
import { PassTrial } from './pass-trial.js';
import { leavingOf, type PassResult, type PassWork } from './pass-work.js';

export async function runPass(needs: PassNeeds, work: PassWork): Promise<PassResult> {
  const { material, planned, settings, strategy, request } = work;
  const { session: key } = material;
  const { summaries } = needs.repositories;
  const leaving = leavingOf(work);
  const base = {
    cycle: key.cycle,
    strategy,
    span: spanOf(leaving),
    tokensBefore: planned.verdict.usedTokens,
    tokensAfter: null,
    notes: [],
  };
  const open = (next: SummaryStrategy, fallback: string | null): SessionAttempt =>
    newAttempt(needs, {
      ...work,
      strategy: next,
      span: base.span,
      targetTokens: work.plan.targetTokens,
      fallbackOf: fallback,
    });
  if (request.signal?.aborted === true) {
    return { ...base, outcome: 'cancelled', reasons: [CANCELLED], attemptId: null };
  }
  let attempt = open(strategy, null);
  if (!(await summaries.startAttempt(key, attempt))) {
    const running = (await summaries.listAttempts(key, 10)).find(
      ({ outcome }) => outcome === 'started',
    );
    const reasons = [{ code: 'busy', reason: 'another pass of this session is running' }];
    return { ...base, outcome: 'busy', reasons, attemptId: running?.attemptId ?? null };
  }
  const time = new AbortController();
  const cancelTime = needs.startTimer(settings.passTimeoutMs, () => time.abort());
  const renew = async (): Promise<void> => {
    const until = new Date(needs.clock().getTime() + leaseMs(settings));
    if (await summaries.renewLease(key, attempt.attemptId, until)) return;
    throw new OssatureError('STALE', 'The attempt was settled by another process.');
  };
  const endLife = keepAlive(needs.startTimer, Math.ceil(leaseMs(settings) / 3), renew);
  const calls: ModelCall[] = [];
  const trial = new PassTrial(needs, work, leaving, time.signal, renew);
  const notes: string[] = [];
  try {
    for (let current: SummaryStrategy = strategy; ;) {
      calls.length = 0;
      const tried = await trial.run(current, calls);
      requireAlive(request.signal);
      const told = { ...base, strategy: current, notes, attemptId: attempt.attemptId };
      if (tried.outcome === 'passed') {
        const { finished } = tried;
        const { tokensBefore, tokensAfter, gate } = finished;
        notes.push(...tried.notes);
        const settled = {
          ...attempt,
          modelCalls: [...calls],
          tokensAfter,
          checks: gate.checks,
          outcome: 'adopted' as const,
          finishedAt: needs.clock(),
        };
        const cycle = await adoptPass(needs, work, trial, tried, settled);
        needs.log.info('session.compacted', {
          tenantId: key.tenantId,
          sessionId: key.sessionId,
          cycle,
          strategy: current,
          tokensBefore,
          tokensAfter,
        });
        return { ...told, outcome: 'adopted', reasons: [], cycle, tokensBefore, tokensAfter };
      }
      const settled: SessionAttempt = {
        ...attempt,
        modelCalls: [...calls],
        tokensAfter: tried.tokensAfter,
        outcome: tried.outcome,
        reasons: tried.reasons,
        checks: tried.checks,
        finishedAt: needs.clock(),
      };
      needs.log.warn('session.pass-refused', {
        tenantId: key.tenantId,
        sessionId: key.sessionId,
        strategy: current,
        outcome: tried.outcome,
        reasons: tried.reasons.map(({ code }) => code),
      });
      const next = fallbackOf(settings, current, needs.summarizer);
      if (next === null || attempt.fallbackOf !== null) {
        await summaries.settleAttempt(key, settled);
        const { outcome, reasons, tokensAfter } = tried;
        return { ...told, outcome, reasons, tokensAfter };
      }
      const [why] = tried.reasons;
      notes.push(`${current} came to nothing (${why?.code}: ${why?.reason}); ${next} followed.`);
      const following = open(next, attempt.attemptId);
      // In one step, so that no other pass comes between.
      await needs.unitOfWork(async (bound) => {
        await bound.summaries.settleAttempt(key, settled);
        await bound.summaries.startAttempt(key, following);
      });
      [attempt, current] = [following, next];
    }
  } catch (error) {
    const told = { ...base, notes, attemptId: attempt.attemptId };
    const withCalls = { ...attempt, modelCalls: [...calls] };
    if (error instanceof PassCancelled) {
      await settleAs(needs, key, withCalls, 'cancelled', [CANCELLED]);
      return { ...told, outcome: 'cancelled', reasons: [CANCELLED] };
    }
    const isStale = OssatureError.is(error, 'STALE');
    const reason = error instanceof Error ? error.message : 'it failed';
    await settleAs(needs, key, withCalls, isStale ? 'stale' : 'failed', [
      { code: 'error', itemNo: null, reason },
    ]);
    if (!isStale) throw error;
    const reasons = [{ code: 'stale', reason: 'the summary was changed meanwhile' }];
    return { ...told, outcome: 'stale', reasons };
  } finally {
    cancelTime();
    endLife();
  }
}

const CANCELLED = { code: 'cancelled', itemNo: null, reason: 'it was cancelled' } as const;
