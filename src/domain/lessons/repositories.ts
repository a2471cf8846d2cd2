/**
 * Ports to the store of lessons. Implementations must be safe for concurrent use by several processes.
 *
 * `find…` may be empty; `get…` throws NOT_FOUND; `list…` is ordered as stated; a store that cannot be
 * reached is STORE_UNAVAILABLE, and every other failure of it is STORE_FAILED. Ids in a list are
 * looked up in one statement, whatever their number.
 *
 * **Lessons change by events only**: `append` writes each event and what it changes, together. Nothing
 * is ever deleted.
 */
import type { AttemptOutcome, CompressionAttempt, ReplayResult } from './attempt.js';
import type { Claim, ClaimCover, DroppedClaim } from './claim.js';
import type { Descent, DescentStep } from './descent.js';
import type { Episode, EpisodeMark, RecordedUse, RegressionEntry } from './episode.js';
import type {
  LessonConflict,
  ObservedSpan,
  PreserveHint,
  Repair,
  Rescue,
  TrackRecord,
} from './evidence.js';
import type { Lesson, LessonEdge, LessonStatus, LessonSummary, LessonText } from './lesson.js';
import type { LessonChange, LessonEvent, LessonTerm } from './lesson-event.js';
import type { LessonSettingKey, LessonSettingsInput } from './lesson-settings.js';
import type { LessonServing } from './serving.js';

/** One page of a list by key. */
export interface Page {
  /** At most so many; 1..500. */
  readonly limit: number;
  /** `next` of the page before; null: the first. Opaque to everyone but the store. */
  readonly after: string | null;
}

export interface Paged<Item> {
  readonly items: readonly Item[];
  /** Null: that was the last page. */
  readonly next: string | null;
}

/** Lessons that a caller sees: of the project and the global ones; null: the global ones only; undefined: all. */
export type Scope = string | null | undefined;

export interface LessonFilter {
  readonly scope: Scope;
  readonly family?: string;
  readonly status?: LessonStatus;
  readonly level?: number;
  /** At least 10 uses that cost more tokens than they saved. */
  readonly costly?: boolean;
  /** Apexes only. */
  readonly apex?: boolean;
}

/** The rules of eligibility as numbers; see `eligibility`. */
export interface DueFilter {
  readonly scope: Scope;
  readonly now: Date;
  readonly minSuccesses: number;
  readonly maxLevel: number;
  readonly minTokens: number;
  readonly cooldownSeconds: number;
  readonly cooldownMaxSeconds: number;
}

/** All lessons that are joined by edges, whatever their status, and the edges; by level, then id. */
export interface Lineage {
  readonly lessons: readonly LessonSummary[];
  readonly edges: readonly LessonEdge[];
}

/** What a text says and does not say any more. */
export interface LessonLedger {
  readonly claims: readonly Claim[];
  readonly dropped: readonly DroppedClaim[];
}

/** What is known of a lesson from its use. */
export interface LessonEvidence {
  readonly spans: readonly ObservedSpan[];
  readonly hints: readonly PreserveHint[];
  /** Oldest first; those that a repair used up are there, too. */
  readonly rescues: readonly Rescue[];
}

/** An apex as a search sees it, without its text. */
export interface ApexMatch {
  readonly lesson: LessonSummary;
  /** Terms of title and gist together, repetitions counted. */
  readonly length: number;
  /** Those terms of the query that it has. */
  readonly terms: readonly LessonTerm[];
}

export interface ApexSearch {
  /** Apexes in scope, and their mean length in terms. */
  readonly lessonsInScope: number;
  readonly meanLength: number;
  /** Apexes in scope that have the term; only terms of the query. */
  readonly documentFrequencies: ReadonlyMap<string, number>;
  /** All that have a term of the query, in no stated order. */
  readonly matches: readonly ApexMatch[];
}

/** What is served beside a body. */
export interface ServableExtras {
  readonly lessonId: string;
  readonly droppedCount: number;
  /** Entries of its manifest with a rescue in its lineage, most rescues first, then in manifest order. */
  readonly sticky: readonly (DroppedClaim & { readonly rescues: number })[];
  /** Of its open conflict; null: none. */
  readonly question: string | null;
}

export interface LessonRepository {
  get(lessonId: string): Promise<Lesson>;
  /** Those that exist, in no stated order. */
  findMany(lessonIds: readonly string[]): Promise<readonly Lesson[]>;
  /** Ids that begin so, ascending. @param limit at most so many. */
  findByPrefix(prefix: string, limit: number): Promise<readonly string[]>;
  /** The level-0 lesson of exactly this project, or of exactly the global ones, with this body; null: none. */
  findByFingerprint(projectId: string | null, bodyFingerprint: string): Promise<Lesson | null>;
  /** By id, ascending. */
  list(filter: LessonFilter, page: Page): Promise<Paged<LessonSummary>>;
  /**
   * Eligible lessons by successes descending, then id: active, apex, below the top level, with enough
   * successes and tokens, not saturated, past their cooldown, and with an episode in their regression set
   * that is not quarantined. A fixed number of statements, no text read.
   */
  listDue(filter: DueFilter, page: Page): Promise<Paged<LessonSummary>>;
  lineage(lessonId: string): Promise<Lineage>;
  /** Earlier texts, oldest first. */
  listTexts(lessonId: string): Promise<readonly LessonText[]>;
  /** Of every one of these lessons. */
  ledgers(lessonIds: readonly string[]): Promise<ReadonlyMap<string, LessonLedger>>;
  evidence(lessonIds: readonly string[]): Promise<ReadonlyMap<string, LessonEvidence>>;
  /** What covers the claims of these lessons, by child, then in the order of its ledger. */
  listCovers(childIds: readonly string[]): Promise<readonly ClaimCover[]>;
  /** Of everything that was tried from any of these lessons, summed by target. */
  trackRecords(lessonIds: readonly string[]): Promise<readonly TrackRecord[]>;
  /** Oldest first. */
  listRepairs(lessonId: string): Promise<readonly Repair[]>;
  /**
   * Lessons with a claim of at least so many rescues that no repair used up, by id. Keyed as `list`.
   */
  listRepairable(scope: Scope, minRescues: number, page: Page): Promise<Paged<string>>;
  /** Compression bugs recorded on this version of the lesson. */
  countCompressionBugs(lessonId: string, version: number): Promise<number>;

  findConflict(conflictId: string): Promise<LessonConflict | null>;
  /** Open ones that name any of these lessons. */
  findOpenConflicts(lessonIds: readonly string[]): Promise<readonly LessonConflict[]>;
  /** Newest first. */
  listConflicts(
    filter: { readonly scope: Scope; readonly open?: boolean },
    page: Page,
  ): Promise<Paged<LessonConflict>>;

  /** One statement: what BM25 over title and gist needs, without any text. */
  searchApexes(scope: Scope, terms: readonly string[]): Promise<ApexSearch>;
  /** Apexes in scope by posterior descending, then id. @param except ids to leave out. */
  listByPosterior(
    scope: Scope,
    limit: number,
    except: readonly string[],
  ): Promise<readonly LessonSummary[]>;
  /** Of every one of these lessons, in one statement. @param limit sticky patches a lesson. */
  servableExtras(
    lessonIds: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, ServableExtras>>;

  /**
   * Makes the lessons this transaction's to change, in ascending order of ids: others that lock wait,
   * readers do not. Returns them as they now are, in that order. NOT_FOUND. Only inside a unit of work.
   */
  lock(lessonIds: readonly string[]): Promise<readonly Lesson[]>;
  /**
   * Writes events and what they change, in their order. Only inside a unit of work.
   * LEVEL_RULE for an edge whose levels do not fit its lessons; CYCLE; ALREADY_EXISTS for a lesson whose
   * scope has that text at level 0, or whose source made that text before; NOT_FOUND.
   */
  append(changes: readonly LessonChange[], at: Date): Promise<void>;
  /** In their order, from after `seq`. */
  listEvents(afterSeq: number, limit: number): Promise<readonly LessonEvent[]>;
}

export interface EpisodeRepository {
  /** Writes an episode. STORE_FAILED where the id is known. */
  insert(episode: Episode): Promise<void>;
  get(episodeId: string): Promise<Episode>;
  /** With their texts, in the order of the ids; NOT_FOUND where one is unknown. */
  getMany(episodeIds: readonly string[]): Promise<readonly Episode[]>;
  /** Ids that begin so, ascending. */
  findByPrefix(prefix: string, limit: number): Promise<readonly string[]>;
  /** The use recorded under that key; null: none. */
  findUse(useKey: string): Promise<RecordedUse | null>;
  /** Writes a use of a stored episode. ALREADY_EXISTS where its key is taken. */
  insertUse(use: RecordedUse): Promise<void>;
  /** Those of the lessons that the session has credited. */
  findCredited(sessionId: string, lessonIds: readonly string[]): Promise<readonly string[]>;
  /**
   * The regression set of a lesson without any text, in no stated order: replayable episodes that it or
   * a lesson below covers, or that used one of them uncorrected. Quarantined ones are told as such. Of
   * more than `limit`: the sticky ones and the newest. Marks of any lesson of the subtree count.
   */
  regressionSet(lessonId: string, limit: number): Promise<readonly RegressionEntry[]>;
  /** Episodes that are covered by the lesson itself, ascending. */
  listCovered(lessonId: string): Promise<readonly string[]>;
  /** Of the subtree of a lesson, and of the episode alone where one is named. */
  listMarks(lessonId: string, episodeId?: string): Promise<readonly EpisodeMark[]>;
  /** Successful episodes in which every one of these lessons was used and not corrected. */
  countUsedTogether(lessonIds: readonly string[]): Promise<number>;
}

export interface AttemptFilter {
  readonly lessonId?: string;
  readonly outcome?: AttemptOutcome;
}

export interface FailedCandidate {
  readonly digest: string;
  /** Episodes on which it failed readably. */
  readonly episodeIds: readonly string[];
}

/** A result that another attempt may use again, without its texts. */
export type StoredArm = Pick<ReplayResult, 'armKey' | 'outcome' | 'reason' | 'missing'>;

export interface AttemptRepository {
  /** False, and nothing is written, where an attempt of the lesson is running. */
  open(attempt: CompressionAttempt): Promise<boolean>;
  /**
   * Prolongs the lease and saves what is known so far; a candidate that is there stays.
   * STALE where the attempt is not running.
   */
  renew(attempt: CompressionAttempt): Promise<void>;
  /** Prolongs the lease and saves the calls made, and reads or writes nothing else of the row. STALE likewise. */
  prolong(attempt: Pick<CompressionAttempt, 'attemptId' | 'leaseUntil' | 'calls'>): Promise<void>;
  /**
   * Closes a running attempt with its outcome and replays, once. Its candidate is the one that was saved
   * while it ran. STALE where it is not running.
   */
  close(attempt: CompressionAttempt, replays: readonly ReplayResult[]): Promise<void>;
  /** Whether it is running, kept so until the transaction ends. Only inside a unit of work. */
  lockRunning(attemptId: string): Promise<boolean>;
  get(attemptId: string): Promise<CompressionAttempt>;
  findByPrefix(prefix: string, limit: number): Promise<readonly string[]>;
  /** The running attempt of a lesson; null: none. */
  findRunning(lessonId: string): Promise<CompressionAttempt | null>;
  /** Running ones whose lease ran out, oldest first. */
  listExpired(now: Date, limit: number): Promise<readonly CompressionAttempt[]>;
  /** Newest first. */
  list(filter: AttemptFilter, page: Page): Promise<Paged<CompressionAttempt>>;
  /** In the order of the attempt. */
  listReplays(attemptId: string): Promise<readonly ReplayResult[]>;
  /** Numbers of attempts that were no dry runs; 0: none. */
  lastAttemptNo(lessonId: string): Promise<number>;
  /** Candidates of attempts on this lesson, dry runs left out, that failed readably on any episode. */
  listFailedCandidates(lessonId: string): Promise<readonly FailedCandidate[]>;
  /** Results by arm key, the newest each, not older than `since`. Only readable ones that were not themselves reused. */
  findArms(armKeys: readonly string[], since: Date): Promise<ReadonlyMap<string, StoredArm>>;
}

export interface DescentRepository {
  /** Writes an open or closed descent with its steps. */
  insert(descent: Descent): Promise<void>;
  /** Makes it this transaction's to change. NOT_FOUND. Only inside a unit of work. */
  lock(descentId: string): Promise<Descent>;
  get(descentId: string): Promise<Descent>;
  findByPrefix(prefix: string, limit: number): Promise<readonly string[]>;
  /** Writes what changed: status, end, warnings, and these steps, new or reported. */
  update(descent: Descent, steps: readonly DescentStep[]): Promise<void>;
}

export interface ServingRepository {
  /** What the session was shown of these lessons. */
  find(sessionId: string, lessonIds: readonly string[]): Promise<readonly LessonServing[]>;
  /** One row a session and lesson: a later serving replaces the earlier one. */
  put(servings: readonly LessonServing[]): Promise<void>;
  /** The host's context was compacted: nothing of it is in sight any more. Number of rows that went. */
  clear(sessionId: string): Promise<number>;
}

export interface LessonPolicyRepository {
  /** Overrides of a project, or of the global lessons; empty: none. */
  get(projectId: string | null): Promise<LessonSettingsInput>;
  /** Replaces them. */
  set(projectId: string | null, overrides: LessonSettingsInput): Promise<void>;
  /** Changes some of them at once, so that of two who change different ones neither undoes the other. */
  change(
    projectId: string | null,
    given: LessonSettingsInput,
    without: readonly LessonSettingKey[],
  ): Promise<void>;
}
