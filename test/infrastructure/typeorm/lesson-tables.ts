/** The tables of lessons, with the columns that the store maps to fields and those that it fills itself. */
import {
  ATTEMPT_COLUMNS,
  REPLAY_COLUMNS,
} from '../../../src/infrastructure/persistence/typeorm/typeorm-attempts.js';
import {
  DESCENT_COLUMNS,
  SERVING_COLUMNS,
  STEP_COLUMNS,
} from '../../../src/infrastructure/persistence/typeorm/typeorm-descents.js';
import {
  EPISODE_COLUMNS,
  LESSON_USE_COLUMNS,
  USE_COLUMNS,
} from '../../../src/infrastructure/persistence/typeorm/typeorm-episodes.js';
import {
  CLAIM_COLUMNS,
  CONFLICT_COLUMNS,
  COVER_COLUMNS,
  DROPPED_COLUMNS,
  EDGE_COLUMNS,
  HINT_COLUMNS,
  LESSON_COLUMNS,
  MARK_COLUMNS,
  REPAIR_COLUMNS,
  RESCUE_COLUMNS,
  SPAN_COLUMNS,
  TEXT_COLUMNS,
} from '../../../src/infrastructure/persistence/typeorm/lesson-columns.js';

type Mapped = Readonly<Record<string, readonly [type: string, field: string]>>;

export const LESSON_COLUMNS_BY_TABLE: Readonly<
  Record<string, readonly [mapped: Mapped, filled: readonly string[]]>
> = {
  lessons: [LESSON_COLUMNS, ['term_count']],
  lesson_texts: [TEXT_COLUMNS, []],
  lesson_edges: [EDGE_COLUMNS, ['made_digest']],
  lesson_terms: [{}, ['lesson_id', 'term', 'count']],
  lesson_claims: [CLAIM_COLUMNS, ['lesson_id']],
  claim_covers: [COVER_COLUMNS, []],
  dropped_claims: [DROPPED_COLUMNS, ['lesson_id', 'ordinal']],
  episodes: [EPISODE_COLUMNS, []],
  episode_uses: [USE_COLUMNS, []],
  lesson_uses: [LESSON_USE_COLUMNS, ['use_id', 'episode_id', 'place']],
  lesson_coverage: [{}, ['lesson_id', 'episode_id']],
  episode_marks: [MARK_COLUMNS, []],
  observed_spans: [SPAN_COLUMNS, ['lesson_id', 'ordinal']],
  preserve_hints: [HINT_COLUMNS, ['lesson_id', 'ordinal']],
  repairs: [REPAIR_COLUMNS, []],
  rescues: [RESCUE_COLUMNS, []],
  lesson_tries: [{}, ['lesson_id', 'target_id', 'fingerprint', 'tries', 'rescues']],
  lesson_conflicts: [CONFLICT_COLUMNS, []],
  lesson_servings: [SERVING_COLUMNS, []],
  lesson_policies: [{}, ['project_id', 'overrides']],
  lesson_events: [{}, ['seq', 'at', 'kind', 'lesson_id', 'version', 'change']],
  compression_attempts: [ATTEMPT_COLUMNS, []],
  replay_results: [REPLAY_COLUMNS, []],
  descents: [DESCENT_COLUMNS, []],
  descent_steps: [STEP_COLUMNS, []],
};

export const LESSON_TABLES: readonly string[] = Object.keys(LESSON_COLUMNS_BY_TABLE);
