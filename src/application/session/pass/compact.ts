/** One call of a host: what is due is decided from sizes, and what is due is done. */
import type { SessionKey } from '../../../domain/session/repositories.js';
import { spanOf } from '../../../domain/session/pass/pass-span.js';
import { reasonWords } from '../../../domain/session/pass/reason-words.js';
import type { ResolvedSettings } from '../../../domain/session/pass/settings.js';
import type { Session } from '../../../domain/session/session.js';
import type { SummaryStrategy } from '../../../domain/session/summary/gate-input.js';
import type { AttemptTrigger } from '../../../domain/session/summary/session-cycle.js';
import type { CompactReport, CompactRequest, PassCheck, PassRequest } from '../pass-request.js';
import { type PlannedPass, planStored } from '../plan-stored-pass.js';
import { type PassMaterial, readPassMaterial } from '../read-pass-material.js';
import type { PassNeeds } from '../summary-needs.js';
import { abandonDead, newAttempt } from './attempt-record.js';
import { checkSums } from './check-sums.js';
import { frameOf } from './host-frame.js';
import { reviewerOf, settingsOf, strategyOf } from './pass-needs.js';
import { leavingOf } from './pass-work.js';
import { runPass } from './run-pass.js';
import { recountIfChanged } from '../recount-session.js';

/** A session as a pass finds it. */
export interface PreparedPass {
  readonly resolved: ResolvedSettings;
  readonly strategy: SummaryStrategy;
  readonly material: PassMaterial;
  readonly planned: PlannedPass;
}

export async function preparePass(
  needs: PassNeeds,
  key: SessionKey,
  request: PassRequest,
  start: 'automatic' | 'manual',
): Promise<PreparedPass> {
  const { repositories, tokenCounter: counter, digest, summarizer } = needs;
  const session = await recountIfChanged(needs, key);
  const resolved = settingsOf(needs, session, request);
  const { settings } = resolved;
  const strategy = strategyOf(settings.strategy, summarizer);
  const material = await readPassMaterial(repositories, session, {
    frame: frameOf(request.frame, settings, counter),
    isTaskEnded: request.isTaskEnded ?? false,
    triggers: settings.triggers,
    counter,
  });
  const measures = { settings, strategy, counter, digest };
  const planned = await planStored(repositories, material, start, measures);
  return { resolved, strategy, material, planned };
}

export async function compactOnce(
  needs: PassNeeds,
  key: SessionKey,
  request: CompactRequest,
): Promise<CompactReport> {
  const { dryRun = false, now = false } = request;
  if (!dryRun) {
    const session = await needs.repositories.sessions.get(key);
    await abandonDead(needs, key, settingsOf(needs, session, request).settings);
    // Asked between any two steps of an agent: most of the time sums tell that there is nothing to do.
    const check = now ? null : await checkSums(needs, session, request);
    if (check !== null) return notDue(needs, session, request, check);
  }
  const prepared = await preparePass(needs, key, request, now ? 'manual' : 'automatic');
  const { material, planned, resolved, strategy } = prepared;
  const { verdict } = planned;
  if (!dryRun) await storePreviews(needs, prepared);
  const report: CompactReport = {
    outcome: verdict.outcome === 'pass' ? 'planned' : verdict.outcome,
    reasons: verdict.outcome === 'pass' ? [] : [said(verdict.reason)],
    cycle: material.session.cycle,
    attemptId: null,
    strategy,
    span: [],
    tokensBefore: verdict.usedTokens,
    tokensAfter: null,
    targetTokens: verdict.breakdown.targetTokens,
    breakdown: verdict.breakdown,
    notes: resolved.notes,
  };
  if (verdict.outcome === 'stopped' && !dryRun) {
    return { ...report, attemptId: await recordStop(needs, prepared, 'manual') };
  }
  if (verdict.outcome !== 'pass') return report;
  const { settings } = resolved;
  reviewerOf(needs, settings, strategy);
  const work = { material, planned, plan: verdict, settings, strategy, request };
  if (dryRun) return { ...report, span: spanOf(leavingOf(work)), tokensAfter: verdict.afterTokens };
  const result = await runPass(needs, { ...work, trigger: verdict.trigger });
  return { ...report, ...result, notes: [...report.notes, ...result.notes] };
}

function notDue(
  needs: PassNeeds,
  session: Session,
  request: CompactRequest,
  { reason, usedTokens }: PassCheck,
): CompactReport {
  const { settings, notes } = settingsOf(needs, session, request);
  return {
    outcome: 'not_due',
    reasons: reason === null ? [] : [said(reason)],
    cycle: session.cycle,
    attemptId: null,
    strategy: strategyOf(settings.strategy, needs.summarizer),
    span: [],
    tokensBefore: usedTokens,
    tokensAfter: null,
    targetTokens: null,
    breakdown: null,
    notes,
  };
}

/** Decided once, so that an entry looks the same in every later request. */
export async function storePreviews(
  { repositories: { summaries } }: PassNeeds,
  { material, planned }: PreparedPass,
): Promise<void> {
  const added = [...planned.request.previews]
    .filter(([seq]) => !material.request.previews.has(seq))
    .map(([seq, characters]) => ({ seq, characters }));
  if (added.length > 0) await summaries.addPreviews(material.session, added);
}

/** Once for a state of the session. @returns the attempt that tells of it. */
export async function recordStop(
  needs: PassNeeds,
  { material, planned, resolved, strategy }: PreparedPass,
  otherwise: AttemptTrigger,
): Promise<string> {
  const known = material.attempts.find(
    ({ outcome, fingerprint }) => outcome === 'stopped' && fingerprint === planned.fingerprint,
  );
  if (known !== undefined) return known.attemptId;
  const { breakdown, triggers } = planned.verdict;
  const trigger = triggers.find(({ due }) => due)?.trigger ?? otherwise;
  const { floorTokens, fillTokens, targetTokens } = breakdown;
  const attempt = newAttempt(needs, {
    material,
    planned,
    settings: resolved.settings,
    trigger,
    strategy,
    span: [],
    targetTokens,
    fallbackOf: null,
  });
  const reason = `floor ${floorTokens}, fill line ${fillTokens}`;
  await needs.repositories.summaries.startAttempt(material.session, {
    ...attempt,
    leaseUntil: null,
    outcome: 'stopped',
    reasons: [{ code: 'floor-over-budget', itemNo: null, reason }],
    finishedAt: needs.clock(),
  });
  return attempt.attemptId;
}

function said(code: string): { readonly code: string; readonly reason: string } {
  return { code, reason: reasonWords(code) };
}
