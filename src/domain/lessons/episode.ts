/** Recorded work, replayable as a regression test, and what a lesson had to do with it. */

export const EPISODE_OUTCOMES = ['success', 'failure', 'unknown'] as const;
export type EpisodeOutcome = (typeof EPISODE_OUTCOMES)[number];

/** A mechanical oracle: every value must appear in the answer, in whatever case. */
export interface EpisodeCheck {
  readonly type: 'contains';
  readonly values: readonly string[];
}

export interface Episode {
  /** ULID. */
  readonly episodeId: string;
  readonly projectId: string | null;
  /** What this one tests; null where nobody said. */
  readonly axis: string | null;
  /** At most 4,000 characters. */
  readonly prompt: string;
  /** Characters of the prompt that were cut off; 0: none. */
  readonly promptCutCharacters: number;
  readonly outcome: EpisodeOutcome;
  /** 0..1. */
  readonly confidence: number;
  /** At most 4,000 characters; null where there is none. */
  readonly acceptedSummary: string | null;
  readonly check: EpisodeCheck | null;
  readonly sessionId: string | null;
  readonly createdAt: Date;
}

export function isReplayable(
  episode: Pick<Episode, 'outcome' | 'acceptedSummary' | 'check'>,
): boolean {
  return (
    episode.outcome === 'success' && (episode.acceptedSummary !== null || episode.check !== null)
  );
}

/** What a lesson was to one piece of work. */
export interface LessonUse {
  readonly lessonId: string;
  readonly used: boolean;
  readonly corrected: boolean;
  /** It was used, the work went well, and nobody corrected it. */
  readonly succeeded: boolean;
  /** Counted as an attempt of the lesson. */
  readonly credited: boolean;
}

export type UseKind = 'per-use' | 'session-end';

/** One recorded use: the episode and every lesson that was served for it. */
export interface RecordedUse {
  readonly useId: string;
  /** The caller's own key; unique in the store; null: none given. */
  readonly useKey: string | null;
  /** SHA-256 of what was recorded, to tell a repetition from another use under the same key. */
  readonly contentDigest: string;
  readonly kind: UseKind;
  readonly episodeId: string;
  readonly sessionId: string | null;
  readonly lessons: readonly LessonUse[];
  readonly receipt: UseReceipt;
  readonly createdAt: Date;
}

export interface UseReceipt {
  /** False where the confidence was too low; nothing was written then. */
  readonly recorded: boolean;
  readonly reason: 'low-confidence' | null;
  readonly useId: string | null;
  readonly episodeId: string | null;
  readonly credited: readonly string[];
  readonly notCredited: readonly {
    readonly lessonId: string;
    readonly reason:
      'not-used' | 'no-verdict' | 'nothing-helped' | 'already-credited' | 'outcome-unknown';
  }[];
  readonly spansStored: number;
  readonly spansUnmatched: readonly { readonly lessonId: string; readonly text: string }[];
  /** Characters of the prompt and of the summary that were cut off. */
  readonly cut: { readonly prompt: number; readonly acceptedSummary: number };
  /** Secrets replaced, by type; characters repaired. */
  readonly redactions: Readonly<Record<string, number>>;
  readonly repaired: number;
}

export type EpisodeMarkKind = 'sticky' | 'exposed' | 'quarantined';

/** A mark of an episode for one lesson. It holds for every lesson above, too. */
export interface EpisodeMark {
  readonly lessonId: string;
  readonly episodeId: string;
  readonly kind: EpisodeMarkKind;
  readonly markedAt: Date;
  /** Of a quarantine: the body digest of the source that failed it; it ends when the body changes. Else null. */
  readonly sourceDigest: string | null;
}

/** A member of a regression set, without its texts. */
export interface RegressionEntry {
  readonly episodeId: string;
  readonly axis: string | null;
  readonly createdAt: Date;
  /** The highest lesson of the subtree that it is tied to; of equals, the first by id. */
  readonly tiedTo: string;
  /** When it last failed readably for a lesson of the subtree, or a rescue there rested on it; null: never. */
  readonly stickyAt: Date | null;
  readonly exposed: boolean;
  readonly quarantined: boolean;
}
