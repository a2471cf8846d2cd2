/** A step of a descent was tried by the host: what it teaches is written, and the next one chosen. Models are asked before the transaction. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Descent, DescentEnd, DescentStep } from '../../domain/lessons/descent.js';
import { LONGEST_EPISODE_TEXT } from '../../domain/lessons/check-use.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { cutAt } from '../../domain/lessons/normal-text.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import { repairClaims } from './repair-claims.js';
import { chooseNextStep, withStep } from './choose-descent-step.js';
import { writeDescentStep, isOriginal } from './write-descent-step.js';
import { type DescentReport, descentReport, descentFault } from './descent-report.js';

export interface AdvanceDescentRequest {
  readonly descentId: string;
  /** Left out: the step that is open. */
  readonly step?: number;
  readonly outcome: 'failed' | 'succeeded';
  /** What was accepted in the end; makes the task a regression test. */
  readonly summary?: string;
  readonly signal?: AbortSignal;
}

/**
 * Reports how a step went. The same report again changes nothing.
 *
 * @throws OssatureError INVALID_ID, NOT_FOUND, DESCENT_CLOSED, INVALID_INPUT.
 */
export async function advanceDescent(
  needs: LessonNeeds,
  request: AdvanceDescentRequest,
): Promise<DescentReport> {
  const { outcome, signal } = request;
  const seen = await needs.repositories.descents.get(requireUlid(request.descentId, 'descent_id'));
  if (outcome !== 'failed' && outcome !== 'succeeded') {
    throw descentFault('outcome', 'must be failed or succeeded');
  }
  const step = stepToReport(seen, request);
  if (step.outcome !== 'open') return descentReport(needs, seen, [], [], false);
  const lesson = await needs.repositories.lessons.get(seen.lessonId);
  const { values: settings } = await settingsFor(needs, lesson.projectId, undefined);
  const reported: DescentStep = { ...step, outcome, reportedAt: needs.clock() };
  const after: Descent = {
    ...seen,
    steps: seen.steps.map((one) => (one.step === step.step ? reported : one)),
  };
  const wasOriginal = isOriginal(step);
  const chosen =
    outcome === 'failed' && !wasOriginal
      ? await chooseNextStep(needs, after, settings, signal)
      : null;
  const ended = endOf(reported, chosen?.step ?? null);
  const next = withStep(after, chosen);
  const descent: Descent =
    ended === null ? next : { ...next, status: 'closed', end: ended, closedAt: needs.clock() };
  const isKnowledge = outcome === 'succeeded';
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  const summary = isKnowledge
    ? acceptedSummary(seen, step, request.summary, (text) => cleaner.clean(text))
    : null;
  const written = await needs.unitOfWork(async (repositories) => {
    const { lessons, descents } = repositories;
    const lineageIds = (await lessons.lineage(seen.lessonId)).lessons.map((one) => one.lessonId);
    await lessons.lock(lineageIds);
    const current = await descents.lock(seen.descentId);
    const known = current.steps.find((one) => one.step === step.step);
    // Reported by somebody else meanwhile: theirs counts.
    if (known === undefined || known.outcome !== 'open') return null;
    await descents.update(
      descent,
      descent.steps.filter((one) => one.step >= step.step),
    );
    return writeDescentStep(needs, repositories, descent, reported, summary, settings);
  });
  if (written === null) {
    const current = await needs.repositories.descents.get(seen.descentId);
    stepToReport(current, { ...request, step: step.step });
    return descentReport(needs, current, [], [], false);
  }
  const repairs = written.rescued ? await repairClaims(needs, seen.lessonId) : [];
  return descentReport(needs, descent, chosen?.scored ?? [], repairs, written.demoted);
}

/** The step that the report is about. A report that was made before comes back as it was made. */
function stepToReport(
  descent: Descent,
  { step, outcome }: Pick<AdvanceDescentRequest, 'step' | 'outcome'>,
): DescentStep {
  const found =
    step === undefined
      ? descent.steps.find((one) => one.outcome === 'open')
      : descent.steps.find((one) => one.step === step);
  const isAgain = found !== undefined && found.outcome === outcome;
  if (found !== undefined && (found.outcome === 'open' || isAgain)) return found;
  if (descent.status === 'closed') {
    throw new OssatureError('DESCENT_CLOSED', `Descent ${descent.descentId} has ended.`, {
      details: { descentId: descent.descentId, end: descent.end },
    });
  }
  throw descentFault(
    'step',
    found === undefined ? 'names no step of the descent' : 'was reported otherwise',
  );
}

function endOf(step: DescentStep, next: DescentStep | null): DescentEnd | null {
  if (step.outcome === 'succeeded') {
    if (isOriginal(step)) return 'compression-bug';
    return step.chosen?.option.kind === 'claim' ? 'rescued-by-claim' : 'rescued-by-child';
  }
  return next === null ? 'knowledge-gap' : null;
}

/** What was said to be accepted; else what was said to be missing; else the claim that made the difference. */
export function acceptedSummary(
  { diagnosis: { missing } }: Descent,
  { chosen }: DescentStep,
  given: string | undefined,
  clean: (text: string) => string,
): string | null {
  const said = given === undefined ? '' : cutAt(clean(given), LONGEST_EPISODE_TEXT).trim();
  if (said !== '') return said;
  if (missing.length > 0) return cutAt(missing.join('; '), LONGEST_EPISODE_TEXT);
  return chosen?.option.kind === 'claim' ? chosen.option.text : null;
}
