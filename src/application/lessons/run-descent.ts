/**
 * Below an apex that failed, one step after another: the host tries each pack and reports. Models are
 * asked before a transaction, never in it.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import { CLAIM_KINDS } from '../../domain/lessons/claim.js';
import {
  type Descent,
  DESCENT_STRATEGIES,
  type DescentEnd,
  type DescentPack,
  type DescentStep,
  type DescentStrategy,
  type Diagnosis,
  type ScoredOption,
} from '../../domain/lessons/descent.js';
import {
  type DescentGround,
  nextStep,
  optionsOf,
  pathToOriginals,
  readUsefulness,
  scoreOptions,
  targetOf,
} from '../../domain/lessons/descend.js';
import { LONGEST_EPISODE_TEXT } from '../../domain/lessons/check-use.js';
import { isReplayable } from '../../domain/lessons/episode.js';
import type { Repair } from '../../domain/lessons/evidence.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { demote } from '../../domain/lessons/lesson-graph.js';
import type { LessonSettings, LessonSettingsInput } from '../../domain/lessons/lesson-settings.js';
import { cutAt } from '../../domain/lessons/normal-text.js';
import { Aborted, askModel } from './ask-model.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';
import { coverBy, writeRescue } from './record-rescue.js';
import { repairClaims } from './repair-claims.js';

export interface OpenDescentRequest {
  readonly lessonId: string;
  /** What was to be done; may be left out with `episodeId`. */
  readonly prompt?: string;
  readonly episodeId?: string;
  readonly diagnosis?: Partial<Diagnosis>;
  readonly strategy?: DescentStrategy;
  readonly maxPackTokens?: number;
  readonly settings?: LessonSettingsInput;
  readonly signal?: AbortSignal;
}

export interface AdvanceDescentRequest {
  readonly descentId: string;
  /** Left out: the step that is open. */
  readonly step?: number;
  readonly outcome: 'failed' | 'succeeded';
  /** What was accepted in the end; makes the task a regression test. */
  readonly summary?: string;
  readonly signal?: AbortSignal;
}

export interface DescentReport {
  readonly descent: Descent;
  /** To be tried next; null: the descent has ended. */
  readonly next: { readonly step: DescentStep; readonly text: string } | null;
  /** Best first; empty where nothing was left to choose. */
  readonly scored: readonly ScoredOption[];
  readonly repairs: readonly Repair[];
  /** The apex was demoted, since its cut hid what its original knew. */
  readonly demoted: boolean;
}

/** @throws OssatureError INVALID_ID, INVALID_EPISODE, NOT_FOUND. */
export async function openDescent(
  needs: LessonNeeds,
  request: OpenDescentRequest,
): Promise<DescentReport> {
  const { lessons, episodes } = needs.repositories;
  const lesson = await lessons.get(requireUlid(request.lessonId, 'lesson_id'));
  const { values: settings } = await settingsFor(needs, lesson.projectId, request.settings);
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  const { episodeId = null } = request;
  const episode =
    episodeId === null ? null : await episodes.get(requireUlid(episodeId, 'episode_id'));
  const prompt = cutAt(
    cleaner.clean(request.prompt ?? episode?.prompt ?? ''),
    LONGEST_EPISODE_TEXT,
  );
  if (prompt.trim() === '') {
    throw new OssatureError('INVALID_EPISODE', 'prompt must not be empty.', {
      details: { field: 'prompt' },
    });
  }
  const diagnosis = checkDiagnosis(request.diagnosis ?? {}, (text) => cleaner.clean(text));
  const strategy = request.strategy ?? settings['recall.strategy'];
  if (!DESCENT_STRATEGIES.includes(strategy)) {
    throw fault('strategy', `must be one of ${DESCENT_STRATEGIES.join(', ')}`);
  }
  const maxPackTokens = request.maxPackTokens ?? settings['recall.max_pack_tokens'];
  if (!Number.isSafeInteger(maxPackTokens) || maxPackTokens < 1) {
    throw fault('max_pack_tokens', 'must be a whole number ≥ 1');
  }
  const now = needs.clock();
  const opened: Descent = {
    descentId: needs.newId(),
    lessonId: lesson.lessonId,
    lessonVersion: lesson.version,
    projectId: lesson.projectId,
    prompt,
    episodeId,
    diagnosis,
    strategy,
    maxExpansions: settings['recall.max_expansions'],
    maxPackTokens,
    startPack: await servedPack(needs, lesson, settings, maxPackTokens),
    status: 'open',
    end: null,
    notConsidered: [],
    warnings: [],
    steps: [],
    openedAt: now,
    closedAt: null,
  };
  const chosen =
    lesson.level === 0 ? null : await chooseNext(needs, opened, settings, request.signal);
  const started = withStep(opened, chosen);
  const descent: Descent =
    (chosen?.step ?? null) === null
      ? {
          ...started,
          status: 'closed',
          end: lesson.level === 0 ? 'nothing-below' : 'knowledge-gap',
          closedAt: now,
        }
      : started;
  await needs.unitOfWork(async (repositories) => {
    await repositories.lessons.lock([lesson.lessonId]);
    await repositories.descents.insert(descent);
    if (descent.status === 'closed') {
      await repositories.lessons.append([gapOf(descent)], needs.clock());
    }
  });
  return report(needs, descent, chosen?.scored ?? [], [], false);
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
    throw fault('outcome', 'must be failed or succeeded');
  }
  const step = stepToReport(seen, request);
  if (step.outcome !== 'open') return report(needs, seen, [], [], false);
  const lesson = await needs.repositories.lessons.get(seen.lessonId);
  const { values: settings } = await settingsFor(needs, lesson.projectId, undefined);
  const reported: DescentStep = { ...step, outcome, reportedAt: needs.clock() };
  const after: Descent = {
    ...seen,
    steps: seen.steps.map((one) => (one.step === step.step ? reported : one)),
  };
  const wasOriginal = isOriginal(step);
  const chosen =
    outcome === 'failed' && !wasOriginal ? await chooseNext(needs, after, settings, signal) : null;
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
    return writeStep(needs, repositories, descent, reported, summary, settings);
  });
  if (written === null) {
    const current = await needs.repositories.descents.get(seen.descentId);
    stepToReport(current, { ...request, step: step.step });
    return report(needs, current, [], [], false);
  }
  const repairs = written.rescued ? await repairClaims(needs, seen.lessonId) : [];
  return report(needs, descent, chosen?.scored ?? [], repairs, written.demoted);
}

interface Chosen {
  readonly step: DescentStep | null;
  readonly scored: readonly ScoredOption[];
  readonly notConsidered: readonly string[];
  readonly warning: string | null;
}

async function chooseNext(
  needs: LessonNeeds,
  descent: Descent,
  settings: LessonSettings,
  signal: AbortSignal | undefined,
): Promise<Chosen> {
  const { lessons } = needs.repositories;
  const pack = descent.steps.at(-1)?.pack ?? descent.startPack;
  const lineage = await lessons.lineage(descent.lessonId);
  const [current = ''] = pack.lessonIds;
  const ground: DescentGround = {
    lineage,
    pack,
    dropped: (await lessons.ledgers([current])).get(current)?.dropped ?? [],
    tracks: await lessons.trackRecords(lineage.lessons.map((one) => one.lessonId)),
    strategy: descent.strategy,
    steps: descent.steps,
  };
  const { options, notConsidered } = optionsOf(ground);
  const expansions = descent.steps.filter(({ chosen }) => chosen !== null).length;
  const mayExpand = expansions < descent.maxExpansions && options.length > 0;
  const ranked = mayExpand
    ? await rank(needs, descent, options, settings, signal)
    : { usefulness: null, warning: null };
  const scored = scoreOptions(options, ranked.usefulness, ground.tracks, settings);
  const next = nextStep(ground, scored, descent.lessonId, descent);
  return {
    scored,
    warning: ranked.warning,
    notConsidered: [...notConsidered, ...(next?.passedOver ?? [])],
    step:
      next === null
        ? null
        : {
            descentId: descent.descentId,
            step: descent.steps.length + 1,
            chosen: next.chosen,
            pack: next.pack,
            outcome: 'open',
            reportedAt: null,
          },
  };
}

async function rank(
  needs: LessonNeeds,
  { prompt, diagnosis }: Descent,
  options: ReturnType<typeof optionsOf>['options'],
  settings: LessonSettings,
  signal: AbortSignal | undefined,
) {
  const ranker = needs.models.rank;
  if (ranker === null) return { usefulness: null, warning: null };
  try {
    const answer = await askModel(
      (within) =>
        ranker.rank(
          { prompt, diagnosis, options: options.map(({ label, text }) => ({ label, text })) },
          within,
        ),
      settings['recall.timeout_s'] * 1_000,
      needs.startTimer,
      signal,
    );
    const usefulness = readUsefulness(answer, options.length);
    const warning =
      usefulness === null ? 'the ranking could not be read: what worked, cheapest first' : null;
    return { usefulness, warning };
  } catch (error) {
    if (error instanceof Aborted)
      throw new OssatureError('INVALID_INPUT', 'The caller ended the descent.', { cause: error });
    return { usefulness: null, warning: 'the ranker did not answer: what worked, cheapest first' };
  }
}

function withStep(descent: Descent, chosen: Chosen | null): Descent {
  if (chosen === null) return descent;
  return {
    ...descent,
    steps: chosen.step === null ? descent.steps : [...descent.steps, chosen.step],
    notConsidered: [...new Set([...descent.notConsidered, ...chosen.notConsidered])],
    warnings:
      chosen.warning === null
        ? descent.warnings
        : [...new Set([...descent.warnings, chosen.warning])],
  };
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
  throw fault(
    'step',
    found === undefined ? 'names no step of the descent' : 'was reported otherwise',
  );
}

/** The original itself, tried as such: nothing stands below it. */
function isOriginal({ chosen }: DescentStep): boolean {
  return chosen === null || (chosen.option.kind === 'child' && chosen.option.level === 0);
}

function endOf(step: DescentStep, next: DescentStep | null): DescentEnd | null {
  if (step.outcome === 'succeeded') {
    if (isOriginal(step)) return 'compression-bug';
    return step.chosen?.option.kind === 'claim' ? 'rescued-by-claim' : 'rescued-by-child';
  }
  return next === null ? 'knowledge-gap' : null;
}

async function writeStep(
  needs: LessonNeeds,
  repositories: LessonRepositories,
  descent: Descent,
  step: DescentStep,
  summary: string | null,
  settings: LessonSettings,
): Promise<{ readonly demoted: boolean; readonly rescued: boolean }> {
  const { lessons } = repositories;
  const { lessonId, descentId, end } = descent;
  const now = needs.clock();
  const apex = await lessons.get(lessonId);
  const addedTokens = Math.max(0, step.pack.tokens - apex.tokens);
  const changes: LessonChange[] = [];
  const option = step.chosen?.option ?? null;
  if (step.outcome === 'failed') {
    if (option !== null) {
      changes.push({ kind: 'target-tried', lessonId, target: targetOf(option), rescued: false });
    }
    changes.push({ kind: 'stats-added', lessonId, delta: { addedTokens } });
    if (end === 'knowledge-gap') changes.push(gapOf(descent));
    await lessons.append(changes, now);
    return { demoted: false, rescued: false };
  }

  const episodeId = await taskEpisode(needs, repositories, descent, summary);
  if (end === 'rescued-by-claim' && option?.kind === 'claim') {
    const dropped = (await lessons.ledgers([lessonId])).get(lessonId)?.dropped ?? [];
    const entry = dropped.find(({ fingerprint }) => fingerprint === option.fingerprint);
    await lessons.append(coverBy(lessonId, episodeId, now), now);
    const delta = { expansions: 1, rescues: 1, addedTokens };
    if (entry === undefined) {
      // Repaired meanwhile: the body says it, and nothing is left to rescue.
      await lessons.append(
        [{ kind: 'stats-added', lessonId, delta: { expansions: 1, addedTokens } }],
        now,
      );
      return { demoted: false, rescued: false };
    }
    const from = { source: 'descent' as const, descentId, step: step.step, episodeId };
    await writeRescue(needs, repositories, lessonId, entry, from, delta);
    return { demoted: false, rescued: true };
  }
  if (option !== null) {
    changes.push({ kind: 'target-tried', lessonId, target: targetOf(option), rescued: true });
  }
  changes.push({ kind: 'stats-added', lessonId, delta: { expansions: 1, addedTokens } });
  if (end === 'rescued-by-child') {
    await lessons.append([...changes, ...coverBy(lessonId, episodeId, now)], now);
    return { demoted: false, rescued: false };
  }

  const lineage = await lessons.lineage(lessonId);
  for (const id of pathToOriginals(lineage, lessonId)) changes.push(...coverBy(id, episodeId, now));
  changes.push({
    kind: 'compression-bug',
    lessonId,
    version: apex.version,
    descentId,
    episodeId,
  });
  await lessons.append(changes, now);
  const bugs = await lessons.countCompressionBugs(lessonId, apex.version);
  if (bugs < settings['regression.demote_after'] || !apex.isApex || apex.level === 0) {
    return { demoted: false, rescued: false };
  }
  await lessons.append(demote(await lessons.lineage(lessonId), lessonId, 'regressed'), now);
  return { demoted: true, rescued: false };
}

/** The task as an episode: the one it came from where that can be replayed, else a new one. */
async function taskEpisode(
  needs: LessonNeeds,
  { episodes }: LessonRepositories,
  descent: Descent,
  summary: string | null,
): Promise<string> {
  if (descent.episodeId !== null) {
    const known = await episodes.get(descent.episodeId);
    if (isReplayable(known)) return known.episodeId;
  }
  const episodeId = needs.newId();
  await episodes.insert({
    episodeId,
    projectId: descent.projectId,
    axis: null,
    prompt: descent.prompt,
    promptCutCharacters: 0,
    outcome: 'success',
    confidence: descent.diagnosis.confidence,
    acceptedSummary: summary,
    check: null,
    sessionId: null,
    createdAt: needs.clock(),
  });
  return episodeId;
}

/** What was said to be accepted; else what was said to be missing; else the claim that made the difference. */
function acceptedSummary(
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

function gapOf({ lessonId, lessonVersion, descentId, episodeId }: Descent): LessonChange {
  return { kind: 'knowledge-gap', lessonId, version: lessonVersion, descentId, episodeId };
}

/** What recall serves of the lesson: its body and its sticky patches, as far as they fit. */
async function servedPack(
  needs: LessonNeeds,
  { lessonId, tokens }: Lesson,
  settings: LessonSettings,
  maxPackTokens: number,
): Promise<DescentPack> {
  const extras = await needs.repositories.lessons.servableExtras(
    [lessonId],
    settings['recall.max_sticky_patches'],
  );
  let total = tokens;
  const patches = (extras.get(lessonId)?.sticky ?? []).filter((patch) => {
    const fits = total + patch.tokens <= maxPackTokens;
    if (fits) total += patch.tokens;
    return fits;
  });
  return {
    lessonIds: [lessonId],
    patches: patches.map(({ fingerprint, holderId }) => ({ fingerprint, holderId })),
    tokens: total,
  };
}

/** The text of a pack: bodies, then patches, one block each. */
export async function renderPack(
  needs: LessonNeeds,
  lessonId: string,
  { lessonIds, patches }: DescentPack,
): Promise<string> {
  const { lessons } = needs.repositories;
  const bodies = new Map(
    (await lessons.findMany(lessonIds)).map((lesson) => [lesson.lessonId, lesson.body]),
  );
  const ledgers = await lessons.ledgers([...lessonIds, lessonId]);
  const claims = new Map(
    [...ledgers.values()].flatMap(({ dropped }) =>
      dropped.map(({ fingerprint, claim }) => [fingerprint, claim] as const),
    ),
  );
  return [
    ...lessonIds.map((id) => bodies.get(id) ?? ''),
    ...patches.map(({ fingerprint }) => claims.get(fingerprint) ?? ''),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

async function report(
  needs: LessonNeeds,
  descent: Descent,
  scored: readonly ScoredOption[],
  repairs: readonly Repair[],
  demoted: boolean,
): Promise<DescentReport> {
  const step =
    descent.status === 'open' ? descent.steps.find((one) => one.outcome === 'open') : undefined;
  const { lessonId, descentId, end } = descent;
  if (end !== null) needs.log.info('descent.ended', { lessonId, descentId, end, demoted });
  return {
    descent,
    scored,
    repairs,
    demoted,
    next: step === undefined ? null : { step, text: await renderPack(needs, lessonId, step.pack) },
  };
}

function checkDiagnosis(given: Partial<Diagnosis>, clean: (text: string) => string): Diagnosis {
  const { category = null, missing = [], wrongStep = null, confidence = 1 } = given;
  if (category !== null && !CLAIM_KINDS.includes(category)) {
    throw fault('category', `must be one of ${CLAIM_KINDS.join(', ')}`);
  }
  if (!Array.isArray(missing) || missing.some((item) => typeof item !== 'string')) {
    throw fault('missing', 'must be a list of texts');
  }
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    throw new OssatureError('INVALID_EPISODE', 'confidence must be a number from 0 to 1.', {
      details: { field: 'confidence' },
    });
  }
  return {
    category,
    missing: missing.map((item: string) => clean(item)),
    wrongStep: wrongStep === null ? null : clean(wrongStep),
    confidence,
  };
}

function fault(field: string, rule: string): OssatureError {
  return new OssatureError('INVALID_INPUT', `${field} ${rule}.`, { details: { field } });
}
