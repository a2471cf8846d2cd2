/** Lessons, episodes, attempts and descents for the contracts: new ids, every field filled. */
import { createHash } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import {
  type CompressionAttempt,
  NO_CALLS,
  type ReplayResult,
} from '../../src/domain/lessons/attempt.js';
import type { Claim, DroppedClaim } from '../../src/domain/lessons/claim.js';
import type { Descent, DescentStep } from '../../src/domain/lessons/descent.js';
import type { Episode, LessonUse, RecordedUse } from '../../src/domain/lessons/episode.js';
import type { Rescue } from '../../src/domain/lessons/evidence.js';
import { type Lesson, NEVER_COMPRESSED, NO_STATS } from '../../src/domain/lessons/lesson.js';
import type { LessonChange } from '../../src/domain/lessons/lesson-event.js';
import { DEFAULT_LESSON_SETTINGS } from '../../src/domain/lessons/lesson-settings.js';
import { LATER, NOW } from './sample-values.js';

export const newLessonKey = monotonicFactory();

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export function aLesson(change: Partial<Lesson> = {}): Lesson {
  const lessonId = newLessonKey();
  const { body = `Retry "twice" and\nwait 100ms. ${lessonId}` } = change;
  return {
    lessonId,
    projectId: null,
    family: `family-${lessonId.toLowerCase()}`,
    title: 'Flaky remote services',
    gist: 'Applies when a remote call fails',
    body,
    tokens: 60,
    bodyDigest: digestOf(body),
    bodyFingerprint: digestOf(body.toLowerCase()),
    counterName: 'words',
    counterVersion: '1',
    level: 0,
    level0Tokens: 60,
    status: 'active',
    demotedBecause: null,
    isApex: true,
    origin: 'manual',
    provisionalBecause: [],
    passRateLowerBound: null,
    version: 1,
    tags: ['net', 'a "tag"'],
    stats: NO_STATS,
    compression: NEVER_COMPRESSED,
    createdAt: NOW,
    updatedAt: NOW,
    ...change,
  };
}

export function aClaim(ordinal: number, text: string): Claim {
  return {
    claimId: `c${ordinal}`,
    ordinal,
    text,
    fingerprint: digestOf(text),
    values: ['100ms', '{"a",NULL}'],
  };
}

export function adding(
  lesson: Lesson,
  claims: readonly Claim[] = [aClaim(1, `A claim of ${lesson.lessonId}`)],
  terms: readonly string[] = ['flaky', 'remote'],
): LessonChange {
  return {
    kind: 'lesson-added',
    lesson,
    claims,
    terms: terms.map((term) => ({ term, count: 1 })),
  };
}

/** What makes a parent of a stored child, the child superseded. */
export function compressing(child: Lesson, parent: Lesson): readonly LessonChange[] {
  return [
    adding(parent),
    {
      kind: 'edge-added',
      edge: {
        childId: child.lessonId,
        parentId: parent.lessonId,
        kind: 'compression',
        childLevel: child.level,
        parentLevel: parent.level,
      },
    },
    {
      kind: 'standing-changed',
      lessonId: child.lessonId,
      status: 'superseded',
      demotedBecause: null,
      isApex: false,
      version: child.version + 1,
    },
  ];
}

export function aParentOf(child: Lesson, change: Partial<Lesson> = {}): Lesson {
  return aLesson({
    level: child.level + 1,
    level0Tokens: child.level0Tokens,
    tokens: 44,
    origin: 'compression',
    provisionalBecause: ['no-holdout', 'unaudited'],
    passRateLowerBound: 0.368,
    ...change,
  });
}

export function aDropped(
  holder: Lesson,
  claim: Claim,
  change: Partial<DroppedClaim> = {},
): DroppedClaim {
  return {
    claim: claim.text,
    kind: 'edge-case',
    holderId: holder.lessonId,
    claimIds: [claim.claimId],
    fingerprint: claim.fingerprint,
    tokens: 16,
    originAttemptId: null,
    ...change,
  };
}

export function anEpisode(change: Partial<Episode> = {}): Episode {
  return {
    episodeId: newLessonKey(),
    projectId: null,
    axis: 'retries',
    prompt: 'Fix the upload "now"',
    promptCutCharacters: 12,
    outcome: 'success',
    confidence: 0.8,
    acceptedSummary: 'Retried with a key',
    check: { type: 'contains', values: ['@idem', 'a "b"'] },
    sessionId: 'session-1',
    createdAt: NOW,
    ...change,
  };
}

export function aLessonUse(lessonId: string, change: Partial<LessonUse> = {}): LessonUse {
  return { lessonId, used: true, corrected: false, succeeded: true, credited: true, ...change };
}

export function aUse(
  episode: Episode,
  lessons: readonly LessonUse[],
  change: Partial<RecordedUse> = {},
): RecordedUse {
  const useId = newLessonKey();
  return {
    useId,
    useKey: `key-${useId}`,
    contentDigest: digestOf(useId),
    kind: 'per-use',
    episodeId: episode.episodeId,
    sessionId: 'session-1',
    lessons,
    receipt: {
      recorded: true,
      reason: null,
      useId,
      episodeId: episode.episodeId,
      credited: lessons.map(({ lessonId }) => lessonId),
      notCredited: [],
      spansStored: 1,
      spansUnmatched: [{ lessonId: 'x', text: 'a "span"' }],
      cut: { prompt: 12, acceptedSummary: 0 },
      redactions: { jwt: 1 },
      repaired: 0,
    },
    createdAt: NOW,
    ...change,
  };
}

export function aRescue(
  lesson: Lesson,
  dropped: DroppedClaim,
  change: Partial<Rescue> = {},
): Rescue {
  return {
    rescueId: newLessonKey(),
    lessonId: lesson.lessonId,
    fingerprint: dropped.fingerprint,
    claim: dropped.claim,
    holderId: dropped.holderId,
    source: 'person',
    descentId: null,
    step: null,
    episodeId: null,
    repairId: null,
    createdAt: NOW,
    ...change,
  };
}

export function aLessonAttempt(
  lesson: Lesson,
  change: Partial<CompressionAttempt> = {},
): CompressionAttempt {
  return {
    attemptId: newLessonKey(),
    kind: 'compression',
    lessonId: lesson.lessonId,
    sourceIds: [lesson.lessonId],
    sourceVersion: lesson.version,
    attemptNo: 1,
    dryRun: false,
    ignoredCooldown: true,
    outcome: 'running',
    reason: null,
    details: {},
    settings: {
      values: { ...DEFAULT_LESSON_SETTINGS, 'compression.max_ratio': 0.7 },
      origins: { 'compression.max_ratio': 'call' },
    },
    counterName: 'words',
    counterVersion: '1',
    sourceTokens: 60,
    targetTokens: 45,
    sample: { inSample: ['e1'], heldOut: ['e2'], split: true },
    toldSpans: null,
    requestDigest: null,
    models: { compressor: 'm', agent: null, judge: 'j', auditor: null, offline: false },
    candidate: null,
    calls: NO_CALLS,
    usable: 0,
    passed: 0,
    passRateLowerBound: null,
    provisionalBecause: [],
    quarantined: [],
    comparison: null,
    acceptedId: null,
    worker: 'worker "1"',
    leaseUntil: LATER,
    evidenceAtOpen: 3,
    startedAt: NOW,
    finishedAt: null,
    ...change,
  };
}

export function closedAs(
  attempt: CompressionAttempt,
  change: Partial<CompressionAttempt> = {},
): CompressionAttempt {
  return {
    ...attempt,
    outcome: 'rejected',
    reason: 'replay-failed',
    details: { episodes: ['e1'], nested: { 'a "b"': [null, 1] } },
    toldSpans: 'none-observed',
    requestDigest: digestOf('request'),
    candidate: {
      proposal: {
        body: 'Retry.',
        dropped: [{ claim: 'Wait.', kind: 'weird', claimIds: ['1'] }],
        fates: [{ claimId: '1', fate: 'dropped', mergedWith: [] }],
        lossless: false,
        title: null,
        gist: 'g',
        rationale: null,
      },
      tokens: 44,
      digest: digestOf(attempt.attemptId),
    },
    calls: { ...NO_CALLS, compressor: 1, probes: 3, judges: 3, inputTokens: 10, outputTokens: 2 },
    usable: 3,
    passed: 2,
    passRateLowerBound: 0.135,
    provisionalBecause: ['few-held-out'],
    quarantined: ['e9'],
    comparison: { wins: 0, losses: 5, p: 0.03125 },
    finishedAt: LATER,
    ...change,
  };
}

export function aReplay(
  attempt: CompressionAttempt,
  episode: Episode,
  change: Partial<ReplayResult> = {},
): ReplayResult {
  return {
    attemptId: attempt.attemptId,
    ordinal: 1,
    episodeId: episode.episodeId,
    arm: 'candidate',
    phase: 'sample',
    outcome: 'failed',
    reason: 'missing: @idem',
    missing: ['@idem', 'a "b"'],
    answer: 'I would retry.',
    fault: null,
    votes: [{ outcome: 'failed', reason: 'no', missing: ['@idem'], raw: '{"pass": false}' }],
    checkedMechanically: false,
    reused: false,
    armKey: digestOf(`${attempt.attemptId} ${episode.episodeId}`),
    processId: 4711,
    startedAt: NOW,
    durationMs: 1_234,
    ...change,
  };
}

export function aStep(descentId: string, change: Partial<DescentStep> = {}): DescentStep {
  return {
    descentId,
    step: 1,
    chosen: {
      option: {
        kind: 'claim',
        label: 'a',
        text: 'Wait "100ms"',
        fingerprint: digestOf('x'),
        holderId: 'h',
        level: 0,
        tokens: 12,
      },
      usefulness: 1,
      prior: 0.5,
      score: 0.7384,
    },
    pack: { lessonIds: ['l'], patches: [{ fingerprint: 'f', holderId: 'h' }], tokens: 56 },
    outcome: 'open',
    reportedAt: null,
    ...change,
  };
}

export function aDescent(lesson: Lesson, change: Partial<Descent> = {}): Descent {
  const descentId = newLessonKey();
  return {
    descentId,
    lessonId: lesson.lessonId,
    lessonVersion: lesson.version,
    projectId: null,
    prompt: 'Fix the "upload"',
    episodeId: null,
    diagnosis: { category: 'edge-case', missing: ['@body200'], wrongStep: null, confidence: 0.9 },
    strategy: 'delta-patch',
    maxExpansions: 3,
    maxPackTokens: 1_200,
    startPack: { lessonIds: [lesson.lessonId], patches: [], tokens: 44 },
    status: 'open',
    end: null,
    notConsidered: ['z'],
    warnings: ['no "ranker"'],
    steps: [aStep(descentId)],
    openedAt: NOW,
    closedAt: null,
    ...change,
  };
}
