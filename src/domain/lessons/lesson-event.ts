/**
 * What happened to lessons, as facts that carry all they change. A store writes an event and what it
 * changes in one transaction; the events of a store, applied in their order to an empty one, rebuild
 * its lesson tables exactly.
 */
import type { Claim, ClaimCover, DroppedClaim } from './claim.js';
import type { EpisodeMark, EpisodeMarkKind } from './episode.js';
import type {
  LessonConflict,
  ObservedSpan,
  PreserveHint,
  Repair,
  Rescue,
  TryTarget,
} from './evidence.js';
import type {
  CompressionState,
  DemotedBecause,
  Lesson,
  LessonEdge,
  LessonStatus,
  ProvisionalReason,
} from './lesson.js';

/** A term of title and gist, as recall looks it up. */
export interface LessonTerm {
  readonly term: string;
  readonly count: number;
}

/** What a use or a descent adds to the counters; each ≥ 0 unless said. */
export interface StatsDelta {
  readonly shown?: number;
  readonly successes?: number;
  readonly failures?: number;
  readonly expansions?: number;
  readonly rescues?: number;
  /** May be negative: a repaired lesson can be larger than its level 0. */
  readonly savedTokens?: number;
  readonly addedTokens?: number;
  /** Left out: as before. */
  readonly lastUsedAt?: Date;
}

export type LessonChange =
  /** A new lesson with its ledger; not yet any edge or manifest. */
  | {
      readonly kind: 'lesson-added';
      readonly lesson: Lesson;
      readonly claims: readonly Claim[];
      readonly terms: readonly LessonTerm[];
    }
  | { readonly kind: 'edge-added'; readonly edge: LessonEdge }
  /** Writes these fields, and `updatedAt` from the event. */
  | {
      readonly kind: 'standing-changed';
      readonly lessonId: string;
      readonly status: LessonStatus;
      readonly demotedBecause: DemotedBecause | null;
      readonly isApex: boolean;
      readonly version: number;
    }
  /** Another text; the one before goes to the earlier texts under the version it had. */
  | {
      readonly kind: 'text-changed';
      readonly lessonId: string;
      readonly text: Pick<
        Lesson,
        'body' | 'tokens' | 'bodyDigest' | 'bodyFingerprint' | 'counterName' | 'counterVersion'
      >;
      readonly version: number;
      /** The whole ledger of the new text. */
      readonly claims: readonly Claim[];
    }
  | { readonly kind: 'level0-resized'; readonly lessonId: string; readonly level0Tokens: number }
  /** After a revisit. */
  | {
      readonly kind: 'assurance-changed';
      readonly lessonId: string;
      readonly provisionalBecause: readonly ProvisionalReason[];
      readonly passRateLowerBound: number | null;
    }
  /** The whole manifest, in its order. */
  | {
      readonly kind: 'manifest-set';
      readonly lessonId: string;
      readonly dropped: readonly DroppedClaim[];
    }
  /** Replaces the covers of these claims by this parent. */
  | { readonly kind: 'covers-set'; readonly covers: readonly ClaimCover[] }
  /** Pairs that are there already stay as they are. */
  | {
      readonly kind: 'coverage-added';
      readonly lessonId: string;
      readonly episodeIds: readonly string[];
    }
  /** A mark of the same kind is replaced. */
  | { readonly kind: 'mark-set'; readonly mark: EpisodeMark }
  | {
      readonly kind: 'mark-lifted';
      readonly lessonId: string;
      readonly episodeId: string;
      readonly mark: EpisodeMarkKind;
    }
  /** All of them, oldest seen first. */
  | {
      readonly kind: 'spans-set';
      readonly lessonId: string;
      readonly spans: readonly ObservedSpan[];
    }
  /** All of them, oldest first. */
  | {
      readonly kind: 'hints-set';
      readonly lessonId: string;
      readonly hints: readonly PreserveHint[];
    }
  | { readonly kind: 'stats-added'; readonly lessonId: string; readonly delta: StatsDelta }
  | {
      readonly kind: 'compression-state-set';
      readonly lessonId: string;
      readonly compression: CompressionState;
    }
  /** A try on the way down from this lesson. */
  | {
      readonly kind: 'target-tried';
      readonly lessonId: string;
      readonly target: TryTarget;
      readonly rescued: boolean;
    }
  | { readonly kind: 'rescue-recorded'; readonly rescue: Rescue }
  /** The repair, and the rescues that it uses up. */
  | {
      readonly kind: 'repair-recorded';
      readonly repair: Repair;
      readonly rescueIds: readonly string[];
    }
  | { readonly kind: 'conflict-opened'; readonly conflict: LessonConflict }
  | { readonly kind: 'conflict-closed'; readonly conflict: LessonConflict }
  /** Facts without a change of their own: nothing is written but the event. */
  | {
      readonly kind: 'attempt-ended';
      readonly lessonId: string;
      readonly attemptId: string;
      readonly outcome: string;
      readonly reason: string | null;
    }
  | {
      readonly kind: 'compression-bug' | 'knowledge-gap';
      readonly lessonId: string;
      /** Of the apex that failed. */
      readonly version: number;
      readonly descentId: string;
      readonly episodeId: string | null;
    };

export interface LessonEvent {
  /** From 1, without gaps that matter: the order in which they are applied. */
  readonly seq: number;
  readonly at: Date;
  readonly change: LessonChange;
}
