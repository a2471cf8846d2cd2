/** What an in-memory store holds of lessons. Values of the maps are replaced and never changed. */
import type { CompressionAttempt, ReplayResult } from '../../../domain/lessons/attempt.js';
import type { Claim, ClaimCover, DroppedClaim } from '../../../domain/lessons/claim.js';
import type { Descent } from '../../../domain/lessons/descent.js';
import type { Episode, EpisodeMark, RecordedUse } from '../../../domain/lessons/episode.js';
import type {
  LessonConflict,
  ObservedSpan,
  PreserveHint,
  Repair,
  Rescue,
  TryTarget,
} from '../../../domain/lessons/evidence.js';
import type { Lesson, LessonEdge, LessonText } from '../../../domain/lessons/lesson.js';
import type { LessonEvent, LessonTerm } from '../../../domain/lessons/lesson-event.js';
import type { LessonSettingsInput } from '../../../domain/lessons/lesson-settings.js';
import type { LessonServing } from '../../../domain/lessons/serving.js';

export interface LessonState {
  readonly lessons: Map<string, Lesson>;
  readonly edges: LessonEdge[];
  readonly texts: LessonText[];
  readonly claims: Map<string, readonly Claim[]>;
  readonly terms: Map<string, readonly LessonTerm[]>;
  readonly dropped: Map<string, readonly DroppedClaim[]>;
  /** By child, its claim and the parent. */
  readonly covers: Map<string, ClaimCover>;
  readonly coverage: Map<string, readonly string[]>;
  /** By lesson, episode and kind. */
  readonly marks: Map<string, EpisodeMark>;
  readonly spans: Map<string, readonly ObservedSpan[]>;
  readonly hints: Map<string, readonly PreserveHint[]>;
  readonly rescues: Map<string, Rescue>;
  readonly repairs: Repair[];
  /** By lesson and target. */
  readonly tries: Map<string, StoredTries>;
  readonly conflicts: Map<string, LessonConflict>;
  readonly events: LessonEvent[];
  readonly episodes: Map<string, Episode>;
  readonly uses: RecordedUse[];
  readonly attempts: Map<string, CompressionAttempt>;
  readonly replays: Map<string, readonly ReplayResult[]>;
  readonly descents: Map<string, Descent>;
  /** By session and lesson. */
  readonly servings: Map<string, LessonServing>;
  /** By project; the key of the global ones is the empty text. */
  readonly lessonPolicies: Map<string, LessonSettingsInput>;
}

export interface StoredTries {
  readonly lessonId: string;
  readonly target: TryTarget;
  readonly tries: number;
  readonly rescues: number;
}

export function emptyLessons(): LessonState {
  return {
    lessons: new Map(),
    edges: [],
    texts: [],
    claims: new Map(),
    terms: new Map(),
    dropped: new Map(),
    covers: new Map(),
    coverage: new Map(),
    marks: new Map(),
    spans: new Map(),
    hints: new Map(),
    rescues: new Map(),
    repairs: [],
    tries: new Map(),
    conflicts: new Map(),
    events: [],
    episodes: new Map(),
    uses: [],
    attempts: new Map(),
    replays: new Map(),
    descents: new Map(),
    servings: new Map(),
    lessonPolicies: new Map(),
  };
}

export function copyOfLessons(state: LessonState): LessonState {
  return {
    lessons: new Map(state.lessons),
    edges: [...state.edges],
    texts: [...state.texts],
    claims: new Map(state.claims),
    terms: new Map(state.terms),
    dropped: new Map(state.dropped),
    covers: new Map(state.covers),
    coverage: new Map(state.coverage),
    marks: new Map(state.marks),
    spans: new Map(state.spans),
    hints: new Map(state.hints),
    rescues: new Map(state.rescues),
    repairs: [...state.repairs],
    tries: new Map(state.tries),
    conflicts: new Map(state.conflicts),
    events: [...state.events],
    episodes: new Map(state.episodes),
    uses: [...state.uses],
    attempts: new Map(state.attempts),
    replays: new Map(state.replays),
    descents: new Map(state.descents),
    servings: new Map(state.servings),
    lessonPolicies: new Map(state.lessonPolicies),
  };
}

/** A key of several parts. */
export function keyOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}
