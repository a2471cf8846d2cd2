/** What is known about a text from its use: spans seen working, hints of what must stay, rescues. */

/** A stretch of a served body or patch that was seen changing what an agent did. */
export interface ObservedSpan {
  readonly text: string;
  /** Where it stands in the body, in UTF-16 units; null where a patch said it. */
  readonly start: number | null;
  readonly end: number | null;
  /** Times it was seen. */
  readonly count: number;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
}

export type HintSource = 'replay' | 'complaint' | 'repair' | 'carried';

/** What must be kept: told by a failed replay, a person or a repair. */
export interface PreserveHint {
  /** At most 200 characters. */
  readonly text: string;
  readonly source: HintSource;
  /** In the ledger of the lesson that has the hint: the claims that it protects. */
  readonly claimIds: readonly string[];
  readonly episodeId: string | null;
  readonly addedAt: Date;
}

/** A claim that turned a failure into a success. */
export interface Rescue {
  readonly rescueId: string;
  /** The lesson that had failed and lists the claim in its manifest. */
  readonly lessonId: string;
  readonly fingerprint: string;
  readonly claim: string;
  readonly holderId: string;
  readonly source: 'descent' | 'correction' | 'person' | 'refinement';
  /** With `step`, at most one rescue; null: stated without one. */
  readonly descentId: string | null;
  readonly step: number | null;
  readonly episodeId: string | null;
  /** The repair that folded it in; null: it still counts towards one. */
  readonly repairId: string | null;
  readonly createdAt: Date;
}

/** A claim folded back into a body for good. */
export interface Repair {
  readonly repairId: string;
  readonly lessonId: string;
  readonly fingerprint: string;
  readonly claim: string;
  readonly holderId: string;
  /** False: the body said it already. */
  readonly appended: boolean;
  readonly bodyBefore: string;
  readonly bodyAfter: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** True: the apex reached the size of what it was compressed from and was demoted. */
  readonly retired: boolean;
  readonly createdAt: Date;
}

/** What was tried on the way down: a claim of a holder, or a lesson as a whole. */
export type TryTarget =
  | { readonly kind: 'claim'; readonly fingerprint: string; readonly holderId: string }
  | { readonly kind: 'lesson'; readonly lessonId: string };

/** How often a target was tried and how often it rescued, over a lineage. */
export interface TrackRecord {
  readonly target: TryTarget;
  readonly tries: number;
  readonly rescues: number;
}

/** Two apexes that contradict each other, and the question that is served with both. */
export interface LessonConflict {
  readonly conflictId: string;
  readonly lessonIds: readonly [string, string];
  readonly question: string;
  readonly status: 'open' | 'closed';
  /** The lessons that stay; empty while it is open. */
  readonly kept: readonly string[];
  readonly note: string | null;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}
