/** A lesson: one text at one abstraction level of one piece of advice. */

export const LESSON_STATUSES = ['active', 'superseded', 'demoted', 'disputed', 'archived'] as const;
export type LessonStatus = (typeof LESSON_STATUSES)[number];

export const LESSON_ORIGINS = ['reflection', 'compression', 'merge', 'manual'] as const;
export type LessonOrigin = (typeof LESSON_ORIGINS)[number];

export type DemotedBecause = 'regressed' | 'retired';

/** A check that was switched on and could not run. */
export const PROVISIONAL_REASONS = [
  'no-holdout',
  'few-held-out',
  'few-discriminating',
  'no-process',
  'unaudited',
] as const;
export type ProvisionalReason = (typeof PROVISIONAL_REASONS)[number];

/** All whole numbers ≥ 0. `successes + failures = attempts`. */
export interface LessonStats {
  /** Times it was put before an agent. */
  readonly shown: number;
  /** Times it bore on the work. */
  readonly attempts: number;
  readonly successes: number;
  readonly failures: number;
  /** Descents that went below it. */
  readonly expansions: number;
  readonly rescues: number;
  /** Tokens that its uses saved against its level-0 size, and that its descents added. */
  readonly savedTokens: number;
  readonly addedTokens: number;
  readonly lastUsedAt: Date | null;
}

/** What past attempts mean for the next one; see `eligibility`. */
export interface CompressionState {
  /** Start of the last attempt that was no dry run; null before the first. */
  readonly lastAttemptAt: Date | null;
  /** Rejections in a row since the last new evidence. */
  readonly rejections: number;
  /** The last candidate was too large and nothing unprotected was left in it to cut. */
  readonly saturated: boolean;
  /** Grows with each used episode, span and rescue: an attempt notices what came during it. */
  readonly evidence: number;
}

export interface Lesson {
  /** ULID. */
  readonly lessonId: string;
  /** Null: global. */
  readonly projectId: string | null;
  /** Slug of the subject; a label that siblings share, not an identity. */
  readonly family: string;
  readonly title: string;
  /** One line of at most 25 words: when the lesson applies. */
  readonly gist: string;
  readonly body: string;
  readonly tokens: number;
  readonly bodyDigest: string;
  /** SHA-256 of the normalised body: equal in one scope means equal advice. */
  readonly bodyFingerprint: string;
  readonly counterName: string;
  readonly counterVersion: string;
  /** 0: the verbose original. */
  readonly level: number;
  /** Tokens of the level-0 lessons of its subtree together; its own at level 0. */
  readonly level0Tokens: number;
  readonly status: LessonStatus;
  /** Null unless demoted. */
  readonly demotedBecause: DemotedBecause | null;
  readonly isApex: boolean;
  readonly origin: LessonOrigin;
  /** Empty: not provisional. */
  readonly provisionalBecause: readonly ProvisionalReason[];
  /** Of the attempt that made it, 0..1; null where none did. */
  readonly passRateLowerBound: number | null;
  /** From 1; grows with body, status and edges, and with nothing else. */
  readonly version: number;
  readonly tags: readonly string[];
  readonly stats: LessonStats;
  readonly compression: CompressionState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A lesson without its text, as lists and trees need it. */
export type LessonSummary = Omit<Lesson, 'body'>;

export type EdgeKind = 'compression' | 'merge';

/** One row an edge, so there are no half edges. `parentLevel > childLevel`: no cycle can be stored. */
export interface LessonEdge {
  readonly childId: string;
  readonly parentId: string;
  readonly kind: EdgeKind;
  readonly childLevel: number;
  readonly parentLevel: number;
}

/** A text that a lesson had before; the lesson's own row holds the text in force. */
export interface LessonText {
  readonly lessonId: string;
  /** The version of the lesson that had it last. */
  readonly version: number;
  readonly body: string;
  readonly tokens: number;
  readonly bodyDigest: string;
  readonly replacedAt: Date;
}

/** Statuses in which a lesson may be served. */
export const SERVABLE: readonly LessonStatus[] = ['active', 'disputed'];

/** A parent in one of these keeps its child from being an apex. */
export const LIVE: readonly LessonStatus[] = ['active', 'disputed', 'superseded'];

export const NO_STATS: LessonStats = {
  shown: 0,
  attempts: 0,
  successes: 0,
  failures: 0,
  expansions: 0,
  rescues: 0,
  savedTokens: 0,
  addedTokens: 0,
  lastUsedAt: null,
};

export const NEVER_COMPRESSED: CompressionState = {
  lastAttemptAt: null,
  rejections: 0,
  saturated: false,
  evidence: 0,
};

/** Expected share of uses that go well, 0..1. */
export function posterior({ successes, attempts }: Pick<LessonStats, 'successes' | 'attempts'>) {
  return (successes + 1) / (attempts + 2);
}

/** Share of the times it was served that it bore on the work; null before it was served. */
export function precision({ attempts, shown }: Pick<LessonStats, 'attempts' | 'shown'>) {
  return shown === 0 ? null : attempts / shown;
}

/** Tokens saved over all uses minus what its descents added. */
export function netTokens({
  savedTokens,
  addedTokens,
}: Pick<LessonStats, 'savedTokens' | 'addedTokens'>): number {
  return savedTokens - addedTokens;
}

/** Uses from which a lesson that costs more than it saves is flagged. */
export const COSTLY_FROM_USES = 10;

export function isCostly(stats: LessonStats): boolean {
  return stats.attempts >= COSTLY_FROM_USES && netTokens(stats) < 0;
}
