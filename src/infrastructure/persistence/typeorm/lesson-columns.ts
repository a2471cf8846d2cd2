/** Lessons and what belongs to them, as columns. */
import type { Claim, ClaimCover, DroppedClaim } from '../../../domain/lessons/claim.js';
import type { EpisodeMark } from '../../../domain/lessons/episode.js';
import type {
  LessonConflict,
  ObservedSpan,
  PreserveHint,
  Repair,
  Rescue,
} from '../../../domain/lessons/evidence.js';
import type {
  CompressionState,
  Lesson,
  LessonEdge,
  LessonStats,
  LessonSummary,
  LessonText,
} from '../../../domain/lessons/lesson.js';
import type { Columns } from './recordset-columns.js';

/** A lesson with its counters beside its other fields. */
export type FlatSummary = Omit<LessonSummary, 'stats' | 'compression'> &
  LessonStats &
  CompressionState;

export type FlatLesson = FlatSummary & Pick<Lesson, 'body'>;

export const SUMMARY_COLUMNS: Columns<FlatSummary> = {
  lesson_id: ['text', 'lessonId'],
  project_id: ['text', 'projectId'],
  family: ['text', 'family'],
  title: ['text', 'title'],
  gist: ['text', 'gist'],
  tokens: ['integer', 'tokens'],
  body_digest: ['text', 'bodyDigest'],
  body_fingerprint: ['text', 'bodyFingerprint'],
  counter_name: ['text', 'counterName'],
  counter_version: ['text', 'counterVersion'],
  level: ['integer', 'level'],
  level0_tokens: ['bigint', 'level0Tokens'],
  status: ['text', 'status'],
  demoted_because: ['text', 'demotedBecause'],
  is_apex: ['boolean', 'isApex'],
  origin: ['text', 'origin'],
  provisional_because: ['text[]', 'provisionalBecause'],
  pass_rate_lower_bound: ['double precision', 'passRateLowerBound'],
  version: ['integer', 'version'],
  tags: ['text[]', 'tags'],
  shown: ['bigint', 'shown'],
  attempts: ['bigint', 'attempts'],
  successes: ['bigint', 'successes'],
  failures: ['bigint', 'failures'],
  expansions: ['bigint', 'expansions'],
  rescues: ['bigint', 'rescues'],
  saved_tokens: ['bigint', 'savedTokens'],
  added_tokens: ['bigint', 'addedTokens'],
  last_used_at: ['timestamptz', 'lastUsedAt'],
  last_attempt_at: ['timestamptz', 'lastAttemptAt'],
  rejections: ['integer', 'rejections'],
  saturated: ['boolean', 'saturated'],
  evidence: ['bigint', 'evidence'],
  created_at: ['timestamptz', 'createdAt'],
  updated_at: ['timestamptz', 'updatedAt'],
};

export const LESSON_COLUMNS: Columns<FlatLesson> = {
  ...SUMMARY_COLUMNS,
  body: ['text', 'body'],
};

export function flatLesson({ stats, compression, ...lesson }: Lesson): FlatLesson {
  return { ...lesson, ...stats, ...compression };
}

/** The counters of a row in their places. */
export function toSummary(row: FlatSummary): LessonSummary {
  const { shown, attempts, successes, failures, expansions, rescues, ...withTokens } = row;
  const { savedTokens, addedTokens, lastUsedAt, ...withState } = withTokens;
  const { lastAttemptAt, rejections, saturated, evidence, ...lesson } = withState;
  return {
    ...lesson,
    stats: {
      shown,
      attempts,
      successes,
      failures,
      expansions,
      rescues,
      savedTokens,
      addedTokens,
      lastUsedAt,
    },
    compression: { lastAttemptAt, rejections, saturated, evidence },
  };
}

export function toLesson({ body, ...row }: FlatLesson): Lesson {
  return { ...toSummary(row), body };
}

export const EDGE_COLUMNS: Columns<LessonEdge> = {
  child_id: ['text', 'childId'],
  parent_id: ['text', 'parentId'],
  kind: ['text', 'kind'],
  child_level: ['integer', 'childLevel'],
  parent_level: ['integer', 'parentLevel'],
};

export const TEXT_COLUMNS: Columns<LessonText> = {
  lesson_id: ['text', 'lessonId'],
  version: ['integer', 'version'],
  body: ['text', 'body'],
  tokens: ['integer', 'tokens'],
  body_digest: ['text', 'bodyDigest'],
  replaced_at: ['timestamptz', 'replacedAt'],
};

export const CLAIM_COLUMNS: Columns<Claim> = {
  claim_id: ['text', 'claimId'],
  ordinal: ['integer', 'ordinal'],
  text: ['text', 'text'],
  fingerprint: ['text', 'fingerprint'],
  claim_values: ['text[]', 'values'],
};

export const COVER_COLUMNS: Columns<ClaimCover> = {
  child_id: ['text', 'childId'],
  child_claim_id: ['text', 'childClaimId'],
  parent_id: ['text', 'parentId'],
  how: ['text', 'how'],
  parent_claim_ids: ['text[]', 'parentClaimIds'],
  audited: ['boolean', 'audited'],
};

export const DROPPED_COLUMNS: Columns<DroppedClaim> = {
  claim: ['text', 'claim'],
  kind: ['text', 'kind'],
  holder_id: ['text', 'holderId'],
  claim_ids: ['text[]', 'claimIds'],
  fingerprint: ['text', 'fingerprint'],
  tokens: ['integer', 'tokens'],
  origin_attempt_id: ['text', 'originAttemptId'],
};

export const MARK_COLUMNS: Columns<EpisodeMark> = {
  lesson_id: ['text', 'lessonId'],
  episode_id: ['text', 'episodeId'],
  kind: ['text', 'kind'],
  marked_at: ['timestamptz', 'markedAt'],
  source_digest: ['text', 'sourceDigest'],
};

export const SPAN_COLUMNS: Columns<ObservedSpan> = {
  text: ['text', 'text'],
  start_at: ['integer', 'start'],
  end_at: ['integer', 'end'],
  count: ['integer', 'count'],
  first_seen_at: ['timestamptz', 'firstSeenAt'],
  last_seen_at: ['timestamptz', 'lastSeenAt'],
};

export const HINT_COLUMNS: Columns<PreserveHint> = {
  text: ['text', 'text'],
  source: ['text', 'source'],
  claim_ids: ['text[]', 'claimIds'],
  episode_id: ['text', 'episodeId'],
  added_at: ['timestamptz', 'addedAt'],
};

export const RESCUE_COLUMNS: Columns<Rescue> = {
  rescue_id: ['text', 'rescueId'],
  lesson_id: ['text', 'lessonId'],
  fingerprint: ['text', 'fingerprint'],
  claim: ['text', 'claim'],
  holder_id: ['text', 'holderId'],
  source: ['text', 'source'],
  descent_id: ['text', 'descentId'],
  step: ['integer', 'step'],
  episode_id: ['text', 'episodeId'],
  repair_id: ['text', 'repairId'],
  created_at: ['timestamptz', 'createdAt'],
};

export const REPAIR_COLUMNS: Columns<Repair> = {
  repair_id: ['text', 'repairId'],
  lesson_id: ['text', 'lessonId'],
  fingerprint: ['text', 'fingerprint'],
  claim: ['text', 'claim'],
  holder_id: ['text', 'holderId'],
  appended: ['boolean', 'appended'],
  body_before: ['text', 'bodyBefore'],
  body_after: ['text', 'bodyAfter'],
  tokens_before: ['integer', 'tokensBefore'],
  tokens_after: ['integer', 'tokensAfter'],
  retired: ['boolean', 'retired'],
  created_at: ['timestamptz', 'createdAt'],
};

export type FlatConflict = Omit<LessonConflict, 'lessonIds'> & {
  readonly firstId: string;
  readonly secondId: string;
};

export const CONFLICT_COLUMNS: Columns<FlatConflict> = {
  conflict_id: ['text', 'conflictId'],
  first_id: ['text', 'firstId'],
  second_id: ['text', 'secondId'],
  question: ['text', 'question'],
  status: ['text', 'status'],
  kept: ['text[]', 'kept'],
  note: ['text', 'note'],
  opened_at: ['timestamptz', 'openedAt'],
  closed_at: ['timestamptz', 'closedAt'],
};

export function flatConflict({ lessonIds, ...conflict }: LessonConflict): FlatConflict {
  const [firstId, secondId] = lessonIds;
  return { ...conflict, firstId, secondId };
}

export function toConflict({ firstId, secondId, ...conflict }: FlatConflict): LessonConflict {
  return { ...conflict, lessonIds: [firstId, secondId] };
}
