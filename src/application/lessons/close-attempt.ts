/** Closes an attempt: what it found is written in one transaction, if its source is still what it was. */
import type {
  AttemptOutcome,
  AttemptReason,
  CompressionAttempt,
  ReplayResult,
} from '../../domain/lessons/attempt.js';
import { type Acceptance, acceptCandidate } from '../../domain/lessons/accept-candidate.js';
import type { Episode } from '../../domain/lessons/episode.js';
import type { PreserveHint } from '../../domain/lessons/evidence.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import { addHint, claimsPointedAt, unprotected } from '../../domain/lessons/protect-claims.js';
import type { LessonEvidence, LessonLedger } from '../../domain/lessons/repositories.js';
import type { AttemptRun } from './attempt-run.js';
import { claimsIn, type LessonNeeds } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';
import { joinedLineage } from './open-attempt.js';
import type { GateResult } from './run-gate.js';

export interface AttemptEnd {
  readonly outcome: Exclude<AttemptOutcome, 'running'>;
  readonly reason: AttemptReason | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** Null where no replay was made. */
  readonly gate: GateResult | null;
  /** What an accepted candidate needs beside what the transaction reads; null unless accepted. */
  readonly accepted: Pick<Acceptance, 'losses' | 'audit' | 'provisionalBecause' | 'ledger'> | null;
}

/** Why a candidate was too large: only then can a lesson be saturated. */
const SIZE_REASONS: readonly (AttemptReason | null)[] = ['not-smaller', 'token-limit'];

export interface ClosedAttempt {
  readonly attempt: CompressionAttempt;
  readonly replays: readonly ReplayResult[];
  /** The new lesson; null unless accepted and written. */
  readonly acceptedId: string | null;
}

export async function closeAttempt(run: AttemptRun, end: AttemptEnd): Promise<ClosedAttempt> {
  const { needs, opened } = run;
  const { attemptId, lessonId, sourceIds, dryRun } = opened.attempt;
  const acceptedId = end.outcome === 'accepted' && !dryRun ? needs.newId() : null;
  return needs.unitOfWork(async (repositories) => {
    const { lessons, attempts } = repositories;
    const now = needs.clock();
    const locked = await lessons.lock(sourceIds);
    const isOurs = await attempts.lockRunning(attemptId);
    // What the machinery failed on may have marks, too: none of them is of the source that is there now.
    const isStale = end.outcome !== 'abandoned' && !isAsOpened(run, locked);
    const outcome = isStale ? ('stale' as const) : end.outcome;
    const closed: CompressionAttempt = {
      ...run.attempt,
      outcome,
      reason: isStale ? null : end.reason,
      details: isStale ? { ...end.details, reached: end.reason ?? end.outcome } : end.details,
      calls: run.calls(),
      usable: end.gate?.usable.length ?? 0,
      passed: end.gate?.passed ?? 0,
      passRateLowerBound: end.gate?.passRateLowerBound ?? null,
      provisionalBecause: end.accepted?.provisionalBecause ?? [],
      quarantined: end.gate?.quarantined ?? [],
      comparison: end.gate?.comparison ?? null,
      acceptedId: isStale ? null : acceptedId,
      finishedAt: now,
    };
    // Closed by somebody else whose clock said that the lease had run out: what it found is not lost to
    // the caller, and nothing of it is written.
    if (!isOurs) {
      return {
        attempt: { ...closed, outcome: 'abandoned', acceptedId: null },
        replays: run.replays,
        acceptedId: null,
      };
    }
    await attempts.close(closed, run.replays);
    const told: LessonChange = {
      kind: 'attempt-ended',
      lessonId,
      attemptId,
      outcome,
      reason: closed.reason,
    };
    const changes =
      dryRun || isStale ? [] : await changesOf(run, end, locked, repositories, acceptedId, now);
    await lessons.append([...changes, told], now);
    return { attempt: closed, replays: run.replays, acceptedId: closed.acceptedId };
  });
}

function isAsOpened({ opened }: AttemptRun, locked: readonly Lesson[]): boolean {
  return opened.sources.every(({ lesson }) => {
    const now = locked.find(({ lessonId }) => lessonId === lesson.lessonId);
    return now?.version === lesson.version && now.status === 'active' && now.isApex;
  });
}

async function changesOf(
  run: AttemptRun,
  end: AttemptEnd,
  locked: readonly Lesson[],
  repositories: LessonRepositories,
  acceptedId: string | null,
  now: Date,
): Promise<readonly LessonChange[]> {
  const { lessons, episodes } = repositories;
  const ids = locked.map(({ lessonId }) => lessonId);
  const [ledgers, evidence] = [await lessons.ledgers(ids), await lessons.evidence(ids)];
  const materialOf = (lesson: Lesson) => ({
    lesson,
    ledger: ledgers.get(lesson.lessonId) ?? { claims: [], dropped: [] },
    evidence: evidence.get(lesson.lessonId) ?? { spans: [], hints: [], rescues: [] },
  });
  const marks = marksOf(run, end, now);
  if (end.outcome === 'accepted' && end.accepted !== null && acceptedId !== null) {
    const { candidate, attemptId, kind } = run.attempt;
    if (candidate === null) throw new TypeError('What is accepted has a candidate.');
    const sources = [];
    for (const lesson of locked) {
      sources.push({ ...materialOf(lesson), covered: await episodes.listCovered(lesson.lessonId) });
    }
    return [
      ...marks,
      ...acceptCandidate(
        {
          ...end.accepted,
          attemptId,
          sources,
          now,
          kind: kind === 'merge' ? 'merge' : 'compression',
          lessonId: acceptedId,
          lineage: await joinedLineage(repositories, ids),
          body: candidate.proposal.body,
          bodyDigest: candidate.digest,
          title: candidate.proposal.title,
          gist: candidate.proposal.gist,
          proven: end.gate?.usable ?? [],
          passRateLowerBound: end.gate?.passRateLowerBound ?? 0,
          settings: run.settings,
        },
        { counter: run.needs.tokenCounter, digest: run.needs.digest },
      ),
    ];
  }
  if (end.outcome !== 'rejected') return marks;
  const changes: LessonChange[] = [...marks];
  for (const lesson of locked) {
    const material = materialOf(lesson);
    const hints = await hintsAfter(run, end, material, now);
    if (hints !== material.evidence.hints) {
      changes.push({ kind: 'hints-set', lessonId: lesson.lessonId, hints });
    }
    const { compression } = lesson;
    // A merge is no attempt at a shorter form of one of its sources.
    if (run.attempt.kind !== 'compression') continue;
    const isNews = compression.evidence !== run.attempt.evidenceAtOpen;
    const saturated =
      !isNews &&
      SIZE_REASONS.includes(end.reason) &&
      isSaturated(run, { ...material.evidence, hints });
    changes.push({
      kind: 'compression-state-set',
      lessonId: lesson.lessonId,
      compression: { ...compression, rejections: compression.rejections + 1, saturated },
    });
  }
  return changes;
}

function isSaturated(run: AttemptRun, { hints, spans }: LessonEvidence): boolean {
  const { candidate } = run.attempt;
  if (candidate === null) return false;
  return unprotected(claimsIn(run.needs, candidate.proposal.body), hints, spans).length === 0;
}

/** Every readable failure that is charged sticks to the lesson; one that was held out is exposed by it. */
function marksOf(run: AttemptRun, end: AttemptEnd, now: Date): readonly LessonChange[] {
  const { lessonId } = run.attempt;
  const [source] = run.opened.sources;
  const failures = end.gate?.failures ?? [];
  const mark = (episodeId: string, kind: 'sticky' | 'exposed' | 'quarantined'): LessonChange => ({
    kind: 'mark-set',
    mark: {
      lessonId,
      episodeId,
      kind,
      markedAt: now,
      sourceDigest: kind === 'quarantined' ? (source?.lesson.bodyDigest ?? null) : null,
    },
  });
  return [
    ...failures.map(({ episodeId }) => mark(episodeId, 'sticky')),
    ...failures.flatMap(({ episodeId, phase }) =>
      phase === 'held-out' ? [mark(episodeId, 'exposed')] : [],
    ),
    ...(end.gate?.quarantined ?? []).map((episodeId) => mark(episodeId, 'quarantined')),
  ];
}

/** One hint a readable failure that the compressor may learn from: none of a held-out episode. */
async function hintsAfter(
  run: AttemptRun,
  end: AttemptEnd,
  { ledger, evidence }: { readonly ledger: LessonLedger; readonly evidence: LessonEvidence },
  now: Date,
): Promise<readonly PreserveHint[]> {
  let hints = evidence.hints;
  if (end.reason !== 'replay-failed' && end.reason !== 'held-out-failed') return hints;
  const failures = (end.gate?.failures ?? []).filter(({ phase }) => phase === 'sample');
  const episodes = new Map(
    (await run.episodes(failures.map(({ episodeId }) => episodeId))).map((episode) => [
      episode.episodeId,
      episode,
    ]),
  );
  const { settings } = run;
  for (const failure of failures) {
    const text = hintText(failure, episodes.get(failure.episodeId));
    const pointing = [text, ...failure.missing].join('\n');
    hints = addHint(
      hints,
      {
        text,
        source: 'replay',
        claimIds: claimsPointedAt(pointing, ledger.claims),
        episodeId: failure.episodeId,
        addedAt: now,
      },
      {
        most: settings['compression.max_hints'],
        characters: settings['compression.hint_chars'],
      },
    );
  }
  return hints;
}

function hintText({ reason, episodeId }: ReplayResult, episode: Episode | undefined): string {
  if (reason !== null && reason.trim() !== '') return reason;
  return episode?.prompt ?? episodeId;
}

/** Closes an attempt whose worker is gone. False where another one did it first. */
export async function abandonAttempt(
  needs: LessonNeeds,
  attempt: CompressionAttempt,
): Promise<boolean> {
  return needs.unitOfWork(async ({ lessons, attempts }) => {
    if (!(await attempts.lockRunning(attempt.attemptId))) return false;
    const { attemptId, lessonId } = attempt;
    const now = needs.clock();
    await attempts.close({ ...attempt, outcome: 'abandoned', finishedAt: now }, []);
    await lessons.append(
      [{ kind: 'attempt-ended', lessonId, attemptId, outcome: 'abandoned', reason: null }],
      now,
    );
    return true;
  });
}
