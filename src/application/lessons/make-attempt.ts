/** One attempt on lessons that are held: opened, run to its end, reported. */
import type {
  AttemptKind,
  AttemptOutcome,
  CompressionAttempt,
  ReplayResult,
} from '../../domain/lessons/attempt.js';
import { cooldownEnd } from '../../domain/lessons/eligibility.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import type {
  LessonSettingsInput,
  ResolvedLessonSettings,
} from '../../domain/lessons/lesson-settings.js';
import { AttemptRun, type WatchReplay } from './attempt-run.js';
import { abandonAttempt, type ClosedAttempt } from './close-attempt.js';
import { judgeCandidate } from './judge-candidate.js';
import { type LessonNeeds, requireModels } from './lesson-needs.js';
import { LARGEST_SET, openAttempt } from './open-attempt.js';
import type { JudgeReplay, ProposeCompression, ReplayTask } from './ports.js';
import { requireIsolation } from './require-isolation.js';
import { owesCheckable, revisitToItsEnd } from './revisit-lesson.js';
import { runToItsEnd } from './run-to-its-end.js';
import { solvedWithout } from './stored-arms.js';

export interface CompressRequest {
  /** Everything is generated and judged, and nothing changes but that the attempt is stored. */
  readonly dryRun?: boolean;
  /** Waives the cooldown alone. */
  readonly ignoreCooldown?: boolean;
  readonly settings?: LessonSettingsInput;
  readonly signal?: AbortSignal;
  readonly onReplay?: WatchReplay;
}

export interface AttemptReport {
  readonly attempt: CompressionAttempt;
  readonly replays: readonly ReplayResult[];
  /** The lesson that was made; null unless accepted and written. */
  readonly accepted: Lesson | null;
  readonly sourceBody: string;
  /** End of the cooldown of the source; null: none. */
  readonly eligibleAt: Date | null;
}

const NOBODY_WATCHES: WatchReplay = () => {};

/**
 * A shorter form of a lesson.
 *
 * @throws OssatureError MODEL_UNAVAILABLE and INVALID_CONFIG before anything is written; NOT_FOUND;
 * NOT_ELIGIBLE with every rule that fails; BUSY; STORE_FAILED.
 */
export async function attemptCompression(
  needs: LessonNeeds,
  lessonId: string,
  resolved: ResolvedLessonSettings,
  request: CompressRequest,
): Promise<AttemptReport> {
  const models = requireModels(needs, ['propose', 'replay', 'judge']);
  requireIsolation(models.replay, resolved);
  await closeExpired(needs, lessonId);
  const known = await solvedWithoutLesson(needs, lessonId, resolved, models, request.signal);
  const run = await open(needs, 'compression', [lessonId], resolved, { ...request, models, known });
  return judged(run, 'compression', models);
}

/**
 * One lesson above two to five.
 *
 * @throws OssatureError as attemptCompression.
 */
export async function attemptMerge(
  needs: LessonNeeds,
  lessonIds: readonly string[],
  resolved: ResolvedLessonSettings,
  request: CompressRequest,
): Promise<AttemptReport> {
  const models = requireModels(needs, ['propose', 'replay', 'judge']);
  requireIsolation(models.replay, resolved);
  const run = await open(needs, 'merge', lessonIds, resolved, {
    ...request,
    ignoreCooldown: false,
    models,
  });
  return judged(run, 'merge', models);
}

/** The checks that a lesson owes, as far as they can be made now; null: none, or it is a dry run. */
export async function attemptRevisit(
  needs: LessonNeeds,
  lessonId: string,
  resolved: ResolvedLessonSettings,
  request: CompressRequest,
): Promise<AttemptReport | null> {
  if (request.dryRun === true || !(await owesCheckable(needs, lessonId, resolved))) return null;
  const models = requireModels(needs, ['replay', 'judge']);
  requireIsolation(models.replay, resolved);
  const run = await open(needs, 'revisit', [lessonId], resolved, {
    ...request,
    ignoreCooldown: false,
    models,
  });
  return reportOf(run, await revisitToItsEnd(run, needs.models.audit));
}

interface Opening extends CompressRequest {
  readonly models: { readonly replay: ReplayTask; readonly judge: JudgeReplay };
  readonly known?: ReadonlySet<string>;
}

async function open(
  needs: LessonNeeds,
  kind: AttemptKind,
  lessonIds: readonly string[],
  resolved: ResolvedLessonSettings,
  { models, known = new Set(), ...request }: Opening,
): Promise<AttemptRun> {
  const { dryRun = false, ignoreCooldown = false, signal, onReplay = NOBODY_WATCHES } = request;
  const opened = await openAttempt(needs, {
    kind,
    lessonIds,
    resolved,
    dryRun,
    ignoreCooldown,
    known,
  });
  return new AttemptRun(
    needs,
    opened,
    { agent: models.replay, judge: models.judge },
    signal,
    onReplay,
  );
}

async function judged(
  run: AttemptRun,
  kind: 'compression' | 'merge',
  { propose }: { readonly propose: ProposeCompression },
): Promise<AttemptReport> {
  const { needs, settings } = run;
  const bounds = {
    maxRatio: settings[`${kind}.max_ratio`],
    threshold: settings[`${kind}.threshold`],
  };
  const models = { propose, audit: needs.models.audit };
  return reportOf(run, await runToItsEnd(run, () => judgeCandidate(run, models, bounds)));
}

/** An attempt whose worker is gone stands in nobody's way. */
async function closeExpired(needs: LessonNeeds, lessonId: string): Promise<void> {
  const running = await needs.repositories.attempts.findRunning(lessonId);
  if (running !== null && running.leaseUntil.getTime() <= needs.clock().getTime()) {
    await abandonAttempt(needs, running);
  }
}

async function solvedWithoutLesson(
  needs: LessonNeeds,
  lessonId: string,
  { values: settings }: ResolvedLessonSettings,
  { replay: agent, judge }: { readonly replay: ReplayTask; readonly judge: JudgeReplay },
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  if (!settings['compression.control']) return new Set();
  const set = await needs.repositories.episodes.regressionSet(lessonId, LARGEST_SET);
  return solvedWithout(
    { needs, settings, agent, judge, signal },
    set.map(({ episodeId }) => episodeId),
  );
}

async function reportOf(
  { needs, opened }: AttemptRun,
  { attempt, replays, acceptedId }: ClosedAttempt,
): Promise<AttemptReport> {
  const { lessons } = needs.repositories;
  const { attemptId, lessonId, outcome, reason, dryRun } = attempt;
  needs.log.info(`lesson.${said(outcome)}`, { lessonId, attemptId, reason, dryRun });
  const source = await lessons.get(lessonId);
  return {
    attempt,
    replays,
    sourceBody: opened.sources.map(({ lesson }) => lesson.body).join('\n\n'),
    accepted: acceptedId === null ? null : await lessons.get(acceptedId),
    eligibleAt: cooldownEnd(source.compression, opened.attempt.settings.values),
  };
}

function said(outcome: AttemptOutcome): string {
  return outcome === 'stale' ? 'went-stale' : outcome;
}
