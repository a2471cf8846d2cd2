/** Opens an attempt: everything it will be judged by is read and fixed in one short transaction. */
import { OssatureError } from '../../domain/kernel/errors.js';
import { NO_CALLS, type AttemptKind } from '../../domain/lessons/attempt.js';
import { eligibility, type Eligibility } from '../../domain/lessons/eligibility.js';
import { floorOfShare } from '../../domain/lessons/exact-share.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import { subtreeOf } from '../../domain/lessons/lesson-graph.js';
import type { ResolvedLessonSettings } from '../../domain/lessons/lesson-settings.js';
import { chooseSample } from '../../domain/lessons/regression-sample.js';
import type { RegressionEntry } from '../../domain/lessons/episode.js';
import { leaseEnd, type OpenedAttempt } from './attempt-run.js';
import type { LessonNeeds } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';

/** Episodes of a regression set that are looked at; sticky ones beyond. */
export const LARGEST_SET = 5_000;

export interface OpenRequest {
  readonly kind: AttemptKind;
  /** One; several for a merge. The first is the lesson that the attempt is counted under. */
  readonly lessonIds: readonly string[];
  readonly resolved: ResolvedLessonSettings;
  readonly dryRun: boolean;
  readonly ignoreCooldown: boolean;
  /** Episodes of the set that an agent without the lesson is known to solve. */
  readonly known: ReadonlySet<string>;
}

/** @throws OssatureError NOT_FOUND, NOT_ELIGIBLE, BUSY. */
export async function openAttempt(
  needs: LessonNeeds,
  request: OpenRequest,
): Promise<OpenedAttempt> {
  const { kind, lessonIds, resolved, dryRun, ignoreCooldown } = request;
  const settings = resolved.values;
  return needs.unitOfWork(async (repositories) => {
    const { lessons, attempts } = repositories;
    const now = needs.clock();
    const locked = await lessons.lock(lessonIds);
    const [first] = lessonIds.flatMap((id) => locked.find(({ lessonId }) => lessonId === id) ?? []);
    if (first === undefined) throw new TypeError('An attempt has a lesson.');
    const set = await unionOfSets(repositories, lessonIds);
    const usable = set.filter(({ quarantined }) => !quarantined);
    if (kind === 'compression') {
      requireEligible(first, eligibility(first, usable.length, settings, now), ignoreCooldown);
    }
    const attemptNo = 1 + (await attempts.lastAttemptNo(first.lessonId));
    const plan = chooseSample(
      {
        attemptNo,
        set: usable,
        lessonId: first.lessonId,
        size: settings['compression.regression_k'],
        holdoutFraction: settings['compression.holdout_fraction'],
        known: request.known,
      },
      needs.digest,
    );
    const lineage = await joinedLineage(repositories, lessonIds);
    const ledgers = await lessons.ledgers(lessonIds);
    const evidence = await lessons.evidence(lessonIds);
    const sources = locked.map((lesson) => ({
      lesson,
      ledger: ledgers.get(lesson.lessonId) ?? { claims: [], dropped: [] },
      evidence: evidence.get(lesson.lessonId) ?? { spans: [], hints: [], rescues: [] },
    }));
    const below = new Set(lessonIds.flatMap((id) => [...subtreeOf(lineage, id)]));
    // Counts of two counters are never compared: the source is counted by the one in force.
    const sourceTokens = sources.reduce((sum, { lesson }) => sum + recount(needs, lesson), 0);
    const ratio = settings[kind === 'merge' ? 'merge.max_ratio' : 'compression.max_ratio'];
    const attempt = {
      attemptId: needs.newId(),
      kind,
      lessonId: first.lessonId,
      sourceIds: lessonIds,
      sourceVersion: first.version,
      attemptNo,
      dryRun,
      ignoredCooldown: ignoreCooldown,
      outcome: 'running' as const,
      reason: null,
      details: {},
      settings: resolved,
      counterName: needs.tokenCounter.name,
      counterVersion: needs.tokenCounter.version,
      sourceTokens,
      targetTokens: floorOfShare(sourceTokens, ratio),
      sample: { inSample: plan.inSample, heldOut: plan.heldOut, split: plan.split },
      toldSpans: null,
      requestDigest: null,
      models: modelsOf(needs),
      candidate: null,
      calls: NO_CALLS,
      usable: 0,
      passed: 0,
      passRateLowerBound: null,
      provisionalBecause: [],
      quarantined: [],
      comparison: null,
      acceptedId: null,
      worker: needs.worker,
      leaseUntil: leaseEnd(now, settings),
      evidenceAtOpen: first.compression.evidence,
      startedAt: now,
      finishedAt: null,
    };
    if (!(await attempts.open(attempt))) {
      throw new OssatureError('BUSY', `Lesson ${first.lessonId} has an attempt running.`, {
        details: { lessonId: first.lessonId },
      });
    }
    if (!dryRun && kind === 'compression') {
      const compression = { ...first.compression, lastAttemptAt: now };
      await lessons.append(
        [{ kind: 'compression-state-set', lessonId: first.lessonId, compression }],
        now,
      );
    }
    const bodies = await lessons.findMany([...below]);
    return {
      attempt,
      sources,
      lineage,
      plan,
      subtreeBodies: bodies.map(({ body }) => body),
      setIds: new Set(usable.map(({ episodeId }) => episodeId)),
    };
  });
}

export async function unionOfSets(
  { episodes }: Pick<LessonRepositories, 'episodes'>,
  lessonIds: readonly string[],
): Promise<readonly RegressionEntry[]> {
  const union = new Map<string, RegressionEntry>();
  for (const lessonId of lessonIds) {
    for (const entry of await episodes.regressionSet(lessonId, LARGEST_SET)) {
      if (!union.has(entry.episodeId)) union.set(entry.episodeId, entry);
    }
  }
  return [...union.values()];
}

/** Everything that is joined with any of these lessons. */
export async function joinedLineage(
  { lessons }: Pick<LessonRepositories, 'lessons'>,
  lessonIds: readonly string[],
) {
  const all = new Map<string, Awaited<ReturnType<typeof lessons.lineage>>['lessons'][number]>();
  const edges = new Map<string, Awaited<ReturnType<typeof lessons.lineage>>['edges'][number]>();
  for (const lessonId of lessonIds) {
    if (all.has(lessonId)) continue;
    const lineage = await lessons.lineage(lessonId);
    for (const lesson of lineage.lessons) all.set(lesson.lessonId, lesson);
    for (const edge of lineage.edges) edges.set(`${edge.childId} ${edge.parentId}`, edge);
  }
  return { lessons: [...all.values()], edges: [...edges.values()] };
}

export function recount(needs: LessonNeeds, lesson: Lesson): number {
  const { tokenCounter } = needs;
  const isSame =
    lesson.counterName === tokenCounter.name && lesson.counterVersion === tokenCounter.version;
  return isSame ? lesson.tokens : tokenCounter.count(lesson.body);
}

function requireEligible(
  { lessonId }: Lesson,
  { failing, eligibleAt }: Eligibility,
  ignoreCooldown: boolean,
): void {
  const counting = failing.filter((reason) => !(ignoreCooldown && reason === 'cooling-down'));
  if (counting.length === 0) return;
  const until = eligibleAt === null ? '' : `; past its cooldown at ${eligibleAt.toISOString()}`;
  throw new OssatureError(
    'NOT_ELIGIBLE',
    `Lesson ${lessonId} may not be compressed now: ${counting.join(', ')}${until}.`,
    { details: { lessonId, failing: counting, eligibleAt: eligibleAt?.toISOString() ?? null } },
  );
}

function modelsOf({ models }: LessonNeeds) {
  const { propose, replay, judge, audit } = models;
  return {
    compressor: propose?.identity ?? null,
    agent: replay?.identity ?? null,
    judge: judge?.identity ?? null,
    auditor: audit?.identity ?? null,
    offline: [propose, replay, judge].some((port) => port?.offline === true),
  };
}
