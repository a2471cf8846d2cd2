/**
 * The way out of a refused request: the host's numbers calibrate the counter, then deterministic steps
 * follow until the request fits, or a typed stop says what is in the way. No model is asked.
 */
import type { SessionKey } from '../../../domain/session/repositories.js';
import { measurePass } from '../../../domain/session/pass/measure.js';
import { nextOverflowStep, type OverflowStep } from '../../../domain/session/pass/overflow.js';
import { requestState } from '../../../domain/session/pass/request-state.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { CompactReport, OverflowReport, OverflowRequest } from '../pass-request.js';
import type { PassNeeds } from '../summary-needs.js';
import { abandonDead } from './attempt-record.js';
import { calibrateSession } from './calibrate-session.js';
import { preparePass, type PreparedPass, recordStop, storePreviews } from './compact.js';
import { runPass } from './run-pass.js';

/** Every step makes the session smaller by half or is taken once: more than any session needs. */
const MAX_STEPS = 64;

export async function recoverFromOverflow(
  needs: PassNeeds,
  key: SessionKey,
  request: OverflowRequest,
): Promise<OverflowReport> {
  let prepared = await preparePass(needs, key, request, 'manual');
  await abandonDead(needs, key, prepared.resolved.settings);
  let refusedTokens: number | null = null;
  if (request.refused !== undefined) {
    const { inputTokens = null, windowTokens } = requireRefused(request.refused);
    const { settings } = prepared.resolved;
    await calibrateSession(needs, prepared.material.session, countedTokens(needs, prepared), {
      kind: 'overflow',
      inputTokens,
      windowTokens: windowTokens ?? settings.windowTokens,
    });
    prepared = await preparePass(needs, key, request, 'manual');
    refusedTokens = prepared.planned.verdict.usedTokens;
  }
  const tokensBefore = prepared.planned.verdict.usedTokens;
  const steps: OverflowReport['steps'][number][] = [];
  let hasPassed = false;
  let attemptId: string | null = null;
  for (let count = 0; ; count += 1) {
    const { material, planned, resolved } = prepared;
    const { settings } = resolved;
    const guard = { start: 'manual', sinceLastPass: null, failures: 0 } as const;
    const state = { ...planned.measured.state, guard: { ...guard, isKnownFingerprint: false } };
    const step: OverflowStep =
      count === 0 && planned.request.previews.size > material.request.previews.size
        ? { step: 'preview', seqs: newPreviews(prepared) }
        : nextOverflowStep(state, settings, { hasPassed, refusedTokens });
    const report = (outcome: CompactReport['outcome']): OverflowReport => ({
      outcome,
      reasons: [],
      cycle: material.session.cycle,
      attemptId,
      strategy: 'offline',
      span: [],
      tokensBefore,
      tokensAfter: planned.verdict.usedTokens,
      targetTokens: planned.verdict.breakdown.targetTokens,
      breakdown: planned.verdict.breakdown,
      notes: resolved.notes,
      steps,
    });
    if (step.step === 'fits') return report(steps.length === 0 ? 'unchanged' : 'adopted');
    if (step.step === 'stop' || count >= MAX_STEPS) {
      const reason = `floor ${planned.verdict.breakdown.floorTokens}, usable ${settings.usableTokens}`;
      attemptId = await recordStop(needs, prepared, 'overflow');
      return { ...report('stopped'), reasons: [{ code: 'floor-over-budget', reason }] };
    }
    if (step.step === 'preview') {
      await storePreviews(needs, prepared);
      steps.push({ step: 'preview', entries: step.seqs.length });
    } else {
      const { step: name, ...plan } = step;
      const result = await runPass(needs, {
        material,
        planned,
        // The alternative is a stop: whatever makes it smaller helps, and it need not be all at once.
        plan: {
          ...plan,
          minFreedTokens: 1,
          targetTokens: Math.max(plan.targetTokens, plan.afterTokens),
        },
        trigger: 'overflow',
        settings,
        strategy: 'offline',
        request,
      });
      attemptId = result.attemptId;
      if (result.outcome === 'rejected' && name === 'halve-tail') {
        return { ...report('stopped'), attemptId, reasons: result.reasons };
      }
      if (result.outcome !== 'adopted' && result.outcome !== 'rejected') {
        const { outcome, reasons } = result;
        return { ...report(outcome), attemptId, reasons };
      }
      hasPassed = true;
      if (result.outcome === 'rejected') continue;
      const { cycle, tokensAfter } = result;
      steps.push({ step: name, cycle, tokensAfter: tokensAfter ?? 0 });
    }
    prepared = await preparePass(needs, key, request, 'manual');
  }
}

/** The request by our counter, as it was sent: without a factor, and without what is decided only now. */
export function countedTokens(
  { tokenCounter }: Pick<PassNeeds, 'tokenCounter'>,
  { material, resolved }: PreparedPass,
): number {
  const { state } = requestState({ ...material.request, factor: 1 }, tokenCounter);
  const settings = { ...resolved.settings, oversizeTokens: Number.MAX_SAFE_INTEGER };
  return measurePass(state, settings).usedTokens;
}

function newPreviews({ material, planned }: PreparedPass): readonly number[] {
  const known = material.request.previews;
  return [...planned.request.previews.keys()].filter((seq) => !known.has(seq));
}

function requireRefused(refused: NonNullable<OverflowRequest['refused']>): typeof refused {
  for (const [field, value] of Object.entries(refused)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new OssatureError(
      'INVALID_INPUT',
      `refused.${field} must be a whole number of tokens above 0, got ${value}.`,
      { details: { field: `refused.${field}` } },
    );
  }
  return refused;
}
