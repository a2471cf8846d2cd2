/** The checks that a provisional lesson owes, run once its set and its models allow. */
import type { CompressionAttempt } from '../../domain/lessons/attempt.js';
import type { Lesson, ProvisionalReason } from '../../domain/lessons/lesson.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import { childrenOf, demote } from '../../domain/lessons/lesson-graph.js';
import type { ResolvedLessonSettings } from '../../domain/lessons/lesson-settings.js';
import { addHint, claimsPointedAt } from '../../domain/lessons/protect-claims.js';
import { chooseSample } from '../../domain/lessons/regression-sample.js';
import { Aborted, askModel } from './ask-model.js';
import type { AttemptRun } from './attempt-run.js';
import { abandonAttempt, type ClosedAttempt } from './close-attempt.js';
import type { LessonNeeds } from './lesson-needs.js';
import { LARGEST_SET } from './open-attempt.js';
import type { AuditClaims } from './ports.js';
import { type GateResult, runGate } from './run-gate.js';

/** Time of an auditor. */
const AUDIT_TIMEOUT_MS = 180_000;

/** Whether any check that the lesson owes can be run now. */
export async function owesCheckable(
  needs: LessonNeeds,
  lessonId: string,
  resolved: ResolvedLessonSettings,
): Promise<boolean> {
  const { lessons, episodes, attempts } = needs.repositories;
  const lesson = await lessons.get(lessonId);
  if (lesson.provisionalBecause.length === 0 || lesson.status !== 'active') return false;
  const set = await episodes.regressionSet(lessonId, LARGEST_SET);
  const settings = resolved.values;
  const plan = chooseSample(
    {
      lessonId,
      set,
      attemptNo: 1 + (await attempts.lastAttemptNo(lessonId)),
      size: settings['compression.regression_k'],
      holdoutFraction: settings['compression.holdout_fraction'],
      known: new Set(),
    },
    needs.digest,
  );
  const canHoldOut = plan.split && plan.heldOut.length >= settings['compression.min_held_out'];
  const checks: Readonly<Record<ProvisionalReason, boolean>> = {
    'no-holdout': canHoldOut,
    'few-held-out': canHoldOut,
    'few-discriminating': plan.inSample.length >= settings['compression.min_discriminating'],
    'no-process': needs.models.replay?.isolation === 'process',
    unaudited: needs.models.audit !== null,
  };
  return lesson.provisionalBecause.some((reason) => checks[reason]);
}

interface Findings {
  readonly gate: GateResult | null;
  readonly audit: 'passed' | 'failed' | 'unreadable' | 'not-asked';
}

export async function revisitToItsEnd(
  run: AttemptRun,
  auditor: AuditClaims | null,
): Promise<ClosedAttempt> {
  const [source] = run.opened.sources;
  if (source === undefined) throw new TypeError('A revisit has a lesson.');
  try {
    const owed = source.lesson.provisionalBecause;
    const audit = owed.includes('unaudited')
      ? await auditAgain(run, source.lesson, auditor)
      : 'not-asked';
    const isReplayed = owed.some((reason) => reason !== 'unaudited') && audit !== 'failed';
    const below = await bodiesBelow(run, source.lesson.lessonId);
    const threshold = run.settings['compression.threshold'];
    const gate = isReplayed ? await runGate(run, source.lesson.body, below, threshold) : null;
    return await close(run, source.lesson, { gate, audit });
  } catch (error) {
    await abandonAttempt(run.needs, run.attempt);
    if (!(error instanceof Aborted)) throw error;
    const attempt: CompressionAttempt = { ...run.attempt, outcome: 'abandoned' };
    return { attempt, replays: run.replays, acceptedId: null };
  }
}

async function bodiesBelow(run: AttemptRun, lessonId: string): Promise<string> {
  const ids = childrenOf(run.opened.lineage, lessonId);
  const lessons = await run.needs.repositories.lessons.findMany(ids);
  return lessons.map(({ body }) => body).join('\n\n');
}

/** Asks about the claims that rested on the compressor's word alone. */
async function auditAgain(
  run: AttemptRun,
  { lessonId }: Lesson,
  auditor: AuditClaims | null,
): Promise<Findings['audit']> {
  if (auditor === null) return 'not-asked';
  const { lessons } = run.needs.repositories;
  const childIds = childrenOf(run.opened.lineage, lessonId);
  const covers = (await lessons.listCovers(childIds)).filter(
    (cover) => cover.parentId === lessonId && !cover.audited,
  );
  const ledgers = await lessons.ledgers([lessonId, ...childIds]);
  const claims = covers.flatMap(({ childId, childClaimId }) =>
    (ledgers.get(childId)?.claims ?? []).filter(({ claimId }) => claimId === childClaimId),
  );
  if (claims.length === 0) return 'passed';
  run.auditCalls += 1;
  await run.prolong();
  try {
    const answer = await askModel(
      (signal) =>
        auditor.audit(
          {
            sourceClaims: claims.map(({ text }, at) => ({ number: String(at + 1), text })),
            candidateClaims: (ledgers.get(lessonId)?.claims ?? []).map(({ claimId, text }) => ({
              number: claimId,
              text,
            })),
          },
          signal,
        ),
      AUDIT_TIMEOUT_MS,
      run.needs.startTimer,
      run.signal,
    );
    return answer.uncovered.length > 0 ? 'failed' : 'passed';
  } catch (error) {
    if (error instanceof Aborted) throw error;
    return 'unreadable';
  }
}

async function close(run: AttemptRun, seen: Lesson, found: Findings): Promise<ClosedAttempt> {
  const { needs, attempt } = run;
  const { gate, audit } = found;
  const { attemptId, lessonId } = attempt;
  const isRejected = audit === 'failed' || gate?.outcome === 'rejected';
  const isUnreadable = audit === 'unreadable' || gate?.outcome === 'failed';
  // Too little that proves anything is no failure of the lesson: the check stays owed.
  const provesNothing = gate?.reason === 'insufficient-evidence' && gate.failures.length === 0;
  const reached =
    isUnreadable && !isRejected ? 'failed' : isRejected ? 'rejected' : ('accepted' as const);
  return needs.unitOfWork(async (repositories) => {
    const { lessons, attempts } = repositories;
    const now = needs.clock();
    const childIds = childrenOf(run.opened.lineage, lessonId);
    const locked = await lessons.lock([lessonId, ...childIds]);
    const isOurs = await attempts.lockRunning(attemptId);
    const current = locked.find((one) => one.lessonId === lessonId);
    const isStale = current?.version !== seen.version || current.status !== 'active';
    const outcome = isStale ? 'stale' : reached;
    const closed: CompressionAttempt = {
      ...run.attempt,
      outcome,
      reason: isStale ? null : (gate?.reason ?? (audit === 'failed' ? 'under-reported' : null)),
      details: { audit },
      calls: run.calls(),
      usable: gate?.usable.length ?? 0,
      passed: gate?.passed ?? 0,
      passRateLowerBound: gate?.passRateLowerBound ?? null,
      provisionalBecause: outcome === 'accepted' ? stillOwed(seen, found) : seen.provisionalBecause,
      quarantined: gate?.quarantined ?? [],
      finishedAt: now,
    };
    // Closed by somebody else whose clock said that the lease had run out: nothing of it is written.
    if (!isOurs) {
      return {
        attempt: { ...closed, outcome: 'abandoned' },
        replays: run.replays,
        acceptedId: null,
      };
    }
    await attempts.close(closed, run.replays);
    const changes: LessonChange[] = [];
    if (outcome === 'accepted') {
      changes.push({
        kind: 'assurance-changed',
        lessonId,
        provisionalBecause: closed.provisionalBecause,
        passRateLowerBound: gate?.passRateLowerBound ?? seen.passRateLowerBound,
      });
      if (audit === 'passed') {
        const covers = (await lessons.listCovers(childIds)).filter(
          (cover) => cover.parentId === lessonId && !cover.audited,
        );
        changes.push({
          kind: 'covers-set',
          covers: covers.map((cover) => ({ ...cover, audited: true })),
        });
      }
    }
    if (outcome === 'rejected' && !provesNothing) {
      changes.push(...(await failureChanges(run, childIds, gate, repositories, now)));
      changes.push(...demote(await lessons.lineage(lessonId), lessonId, 'regressed'));
    }
    if (outcome !== 'accepted' && current !== undefined) {
      // What was not settled is not asked again before the cooldown is over.
      const { compression } = current;
      const rejections = compression.rejections + Number(outcome === 'rejected');
      changes.push({
        kind: 'compression-state-set',
        lessonId,
        compression: { ...compression, rejections, lastAttemptAt: attempt.startedAt },
      });
    }
    changes.push({ kind: 'attempt-ended', lessonId, attemptId, outcome, reason: closed.reason });
    await lessons.append(changes, now);
    return { attempt: closed, replays: run.replays, acceptedId: null };
  });
}

function stillOwed({ provisionalBecause }: Lesson, { gate, audit }: Findings) {
  const owed: ProvisionalReason[] = gate === null ? [] : [...gate.provisionalBecause];
  if (gate === null) owed.push(...provisionalBecause.filter((reason) => reason !== 'unaudited'));
  if (provisionalBecause.includes('unaudited') && audit !== 'passed') owed.push('unaudited');
  return owed;
}

/** What failed teaches the lessons that are served again, and stays in their samples. */
async function failureChanges(
  run: AttemptRun,
  childIds: readonly string[],
  gate: GateResult | null,
  { lessons }: Pick<LessonNeeds['repositories'], 'lessons'>,
  now: Date,
): Promise<readonly LessonChange[]> {
  const failures = gate?.failures ?? [];
  const ledgers = await lessons.ledgers(childIds);
  const evidence = await lessons.evidence(childIds);
  return childIds.flatMap((lessonId): LessonChange[] => {
    let hints = evidence.get(lessonId)?.hints ?? [];
    for (const { reason, missing, episodeId, phase } of failures) {
      if (phase === 'held-out' || reason === null) continue;
      const pointing = [reason, ...missing].join('\n');
      hints = addHint(
        hints,
        {
          text: reason,
          source: 'replay',
          claimIds: claimsPointedAt(pointing, ledgers.get(lessonId)?.claims ?? []),
          episodeId,
          addedAt: now,
        },
        {
          most: run.settings['compression.max_hints'],
          characters: run.settings['compression.hint_chars'],
        },
      );
    }
    return [
      { kind: 'hints-set', lessonId, hints },
      ...failures.flatMap(({ episodeId, phase }): LessonChange[] => {
        const mark = { lessonId, episodeId, markedAt: now, sourceDigest: null };
        const sticky: LessonChange = { kind: 'mark-set', mark: { ...mark, kind: 'sticky' } };
        if (phase !== 'held-out') return [sticky];
        return [sticky, { kind: 'mark-set', mark: { ...mark, kind: 'exposed' } }];
      }),
    ];
  });
}
