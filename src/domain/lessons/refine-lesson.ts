/** A person adds to the original: every level above lists the new detail, and it counts as one rescue. */
import type { Digest, TokenCounter } from '../kernel/measures.js';
import type { Claim, DroppedClaim } from './claim.js';
import { withNewEvidence } from './eligibility.js';
import type { Rescue } from './evidence.js';
import { type Lesson, type LessonSummary } from './lesson.js';
import type { LessonChange } from './lesson-event.js';

import { fingerprintOf, SpokenText } from './normal-text.js';

export interface Refinement {
  /** The level-0 lesson that is appended to. */
  readonly original: Lesson;
  readonly claims: readonly Claim[];
  readonly newBody: string;
  /** Ledger of the new body; it begins with that of the old one. */
  readonly newClaims: readonly Claim[];
  /** Everything above, with bodies and manifests. */
  readonly above: readonly {
    readonly lesson: Lesson;
    readonly dropped: readonly DroppedClaim[];
  }[];
  readonly newRescueId: () => string;
  readonly now: Date;
}

export interface RefinementChanges {
  readonly changes: readonly LessonChange[];
  /** Claims that the original did not say before. */
  readonly added: readonly Claim[];
}

export function refineLesson(
  { original, claims, newBody, newClaims, above, newRescueId, now }: Refinement,
  { counter, digest }: { readonly counter: TokenCounter; readonly digest: Digest },
): RefinementChanges {
  const known = new Set(claims.map(({ fingerprint }) => fingerprint));
  const added = newClaims.filter(({ fingerprint }) => !known.has(fingerprint));
  const tokens = counter.count(newBody);
  const growth = tokens - original.tokens;
  const changes: LessonChange[] = [
    {
      kind: 'text-changed',
      lessonId: original.lessonId,
      version: original.version + 1,
      claims: newClaims,
      text: {
        body: newBody,
        tokens,
        bodyDigest: digest(newBody),
        bodyFingerprint: fingerprintOf(newBody, digest),
        counterName: counter.name,
        counterVersion: counter.version,
      },
    },
    resized(original, growth),
  ];
  for (const { lesson, dropped } of above) {
    const spoken = new SpokenText(lesson.body);
    const listed = new Set(dropped.map(({ fingerprint }) => fingerprint));
    const unsaid = added.filter(
      ({ text, fingerprint }) => !spoken.says(text) && !listed.has(fingerprint),
    );
    changes.push(resized(lesson, growth));
    if (unsaid.length === 0) continue;
    const entries = unsaid.map((claim): DroppedClaim => ({
      claim: claim.text,
      kind: 'edge-case',
      holderId: original.lessonId,
      claimIds: [claim.claimId],
      fingerprint: claim.fingerprint,
      tokens: counter.count(claim.text),
      originAttemptId: null,
    }));
    changes.push({
      kind: 'manifest-set',
      lessonId: lesson.lessonId,
      dropped: [...dropped, ...entries],
    });
    for (const entry of entries) {
      const rescue = {
        rescueId: newRescueId(),
        lessonId: lesson.lessonId,
        fingerprint: entry.fingerprint,
        claim: entry.claim,
        holderId: entry.holderId,
        source: 'refinement' as const,
        descentId: null,
        step: null,
        episodeId: null,
        repairId: null,
        createdAt: now,
      };
      changes.push(...rescueChanges(rescue));
    }
    changes.push(
      { kind: 'stats-added', lessonId: lesson.lessonId, delta: { rescues: entries.length } },
      {
        kind: 'compression-state-set',
        lessonId: lesson.lessonId,
        compression: withNewEvidence(lesson.compression),
      },
    );
  }
  return { changes, added };
}

/** A rescue, and the try that it was. The counters of the lesson are the caller's. */
export function rescueChanges(rescue: Rescue): readonly LessonChange[] {
  const { lessonId, fingerprint, holderId } = rescue;
  return [
    { kind: 'rescue-recorded', rescue },
    {
      kind: 'target-tried',
      lessonId,
      target: { kind: 'claim', fingerprint, holderId },
      rescued: true,
    },
  ];
}

function resized(
  { lessonId, level0Tokens }: Pick<LessonSummary, 'lessonId' | 'level0Tokens'>,
  growth: number,
): LessonChange {
  return { kind: 'level0-resized', lessonId, level0Tokens: level0Tokens + growth };
}
