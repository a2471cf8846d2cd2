/** The book of lessons: what is added, what is used, what is asked about them, and what a person decides. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { ClaimCover } from '../../domain/lessons/claim.js';
import type { UseRequest } from '../../domain/lessons/check-use.js';
import type { EpisodeMark, RegressionEntry, UseReceipt } from '../../domain/lessons/episode.js';
import type { LessonConflict, Repair, TrackRecord } from '../../domain/lessons/evidence.js';
import type { Lesson, LessonSummary, LessonText } from '../../domain/lessons/lesson.js';
import { LESSON_STATUSES } from '../../domain/lessons/lesson.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import {
  LESSON_SETTING_KEYS,
  type LessonSettingKey,
  type LessonSettingsInput,
  parseStoredSettings,
  type ResolvedLessonSettings,
} from '../../domain/lessons/lesson-settings.js';
import type {
  LessonEvidence,
  LessonFilter,
  LessonLedger,
  Lineage,
  Paged,
  Scope,
} from '../../domain/lessons/repositories.js';
import { addLesson, type AddLessonReceipt, type AddLessonRequest } from './add-lesson.js';
import { archiveLessons } from './archive-lessons.js';
import { type LessonNeeds, settingsFor } from './lesson-needs.js';
import { onlyOne } from './only-one.js';
import { LARGEST_SET } from './open-attempt.js';
import { recordUse } from './record-use.js';
import { settleConflict, type SettleRequest } from './settle-conflict.js';

export interface PageRequest {
  /** At most 500; left out: 50. */
  readonly limit?: number;
  readonly after?: string | null;
}

export interface LessonView {
  readonly lesson: Lesson;
  readonly ledger: LessonLedger;
  readonly evidence: LessonEvidence;
  /** Of its manifest's claims and its children, over the lineage. */
  readonly tracks: readonly TrackRecord[];
  readonly repairs: readonly Repair[];
  readonly earlierTexts: readonly LessonText[];
  readonly openConflicts: readonly LessonConflict[];
}

export interface LessonTree extends Lineage {
  readonly ledgers: ReadonlyMap<string, LessonLedger>;
  readonly covers: readonly ClaimCover[];
}

export class LessonLedgerService {
  constructor(private readonly needs: LessonNeeds) {}

  /**
   * Stores a lesson at level 0, or appends to one that it refines. A text that its scope has already is
   * not stored again.
   *
   * @throws OssatureError INVALID_LESSON, INVALID_ID, NOT_FOUND, NOT_ELIGIBLE.
   */
  async addLesson(request: AddLessonRequest): Promise<AddLessonReceipt> {
    const receipt = await addLesson(this.needs, request);
    const { lessonId } = receipt.lesson;
    this.needs.log.info(`lesson.${receipt.outcome}`, { lessonId, claims: receipt.claims });
    return receipt;
  }

  /**
   * Records a piece of work and what each lesson had to do with it. Never compresses. Only use earns
   * credit; what was merely served earns none.
   *
   * @throws OssatureError INVALID_EPISODE, INVALID_USE, INVALID_ID, NOT_FOUND, DUPLICATE_KEY.
   */
  recordUse(request: UseRequest): Promise<UseReceipt> {
    return recordUse(this.needs, request);
  }

  /** @throws OssatureError INVALID_ID, NOT_FOUND. */
  async getLesson(lessonId: string): Promise<LessonView> {
    const { lessons } = this.needs.repositories;
    const lesson = await lessons.get(requireUlid(lessonId, 'lesson_id'));
    const lineage = await lessons.lineage(lessonId);
    const [ledgers, evidence] = [
      await lessons.ledgers([lessonId]),
      await lessons.evidence([lessonId]),
    ];
    return {
      lesson,
      ledger: ledgers.get(lessonId) ?? { claims: [], dropped: [] },
      evidence: evidence.get(lessonId) ?? { spans: [], hints: [], rescues: [] },
      tracks: await lessons.trackRecords(lineage.lessons.map((one) => one.lessonId)),
      repairs: await lessons.listRepairs(lessonId),
      earlierTexts: await lessons.listTexts(lessonId),
      openConflicts: await lessons.findOpenConflicts([lessonId]),
    };
  }

  /** By id. @throws OssatureError INVALID_LESSON for an unknown status. */
  async listLessons(
    filter: Omit<LessonFilter, 'scope'> & { readonly projectId?: Scope } & PageRequest = {},
  ): Promise<Paged<LessonSummary>> {
    const { projectId, limit, after, ...wanted } = filter;
    if (wanted.status !== undefined && !LESSON_STATUSES.includes(wanted.status)) {
      throw new OssatureError(
        'INVALID_LESSON',
        `status must be one of ${LESSON_STATUSES.join(', ')}.`,
        { details: { field: 'status' } },
      );
    }
    const page = pageOf({ ...(limit === undefined ? {} : { limit }), after: after ?? null });
    return this.needs.repositories.lessons.list({ ...wanted, scope: projectId }, page);
  }

  /** The whole lineage with its ledgers and what covers what. @throws OssatureError INVALID_ID, NOT_FOUND. */
  async tree(lessonId: string): Promise<LessonTree> {
    const { lessons } = this.needs.repositories;
    const lineage = await lessons.lineage(requireUlid(lessonId, 'lesson_id'));
    const ids = lineage.lessons.map((one) => one.lessonId);
    return {
      ...lineage,
      ledgers: await lessons.ledgers(ids),
      covers: await lessons.listCovers(ids),
    };
  }

  /** The regression set of a lesson and the marks of its episodes. @throws OssatureError INVALID_ID, NOT_FOUND. */
  async regressionSet(lessonId: string): Promise<{
    readonly entries: readonly RegressionEntry[];
    readonly marks: readonly EpisodeMark[];
  }> {
    const { lessons, episodes } = this.needs.repositories;
    await lessons.get(requireUlid(lessonId, 'lesson_id'));
    return {
      entries: await episodes.regressionSet(lessonId, LARGEST_SET),
      marks: await episodes.listMarks(lessonId),
    };
  }

  /** Newest first. */
  listConflicts(
    filter: { readonly projectId?: Scope; readonly open?: boolean } & PageRequest = {},
  ): Promise<Paged<LessonConflict>> {
    const { projectId, open, ...page } = filter;
    return this.needs.repositories.lessons.listConflicts(
      { scope: projectId, ...(open === undefined ? {} : { open }) },
      pageOf(page),
    );
  }

  /**
   * Settles a conflict: one lesson stays and the other's lineage is archived, or both stay.
   *
   * @throws OssatureError INVALID_ID, NOT_FOUND, CONFLICT_CLOSED, HOLDER_IN_USE.
   */
  resolve(request: SettleRequest): Promise<LessonConflict> {
    return settleConflict(this.needs, request);
  }

  /**
   * Takes lessons out of service for good; nothing is deleted.
   *
   * @throws OssatureError HOLDER_IN_USE where a lesson that is not archived with them names one as
   * holder; INVALID_ID, NOT_FOUND.
   */
  archive(lessonIds: readonly string[]): Promise<readonly LessonSummary[]> {
    return archiveLessons(this.needs, lessonIds);
  }

  /** Lifts the quarantine of an episode. @throws OssatureError INVALID_ID; NOT_FOUND where there is none. */
  async releaseEpisode(lessonId: string, episodeId: string): Promise<void> {
    requireUlid(lessonId, 'lesson_id');
    requireUlid(episodeId, 'episode_id');
    await this.needs.unitOfWork(async ({ lessons, episodes }) => {
      await lessons.lock([lessonId]);
      const marks = (await episodes.listMarks(lessonId, episodeId)).filter(
        ({ kind }) => kind === 'quarantined',
      );
      if (marks.length === 0) {
        throw new OssatureError(
          'NOT_FOUND',
          `Episode ${episodeId} is not quarantined for lesson ${lessonId}.`,
        );
      }
      const lifted = marks.map((mark): LessonChange => ({
        kind: 'mark-lifted',
        lessonId: mark.lessonId,
        episodeId,
        mark: 'quarantined',
      }));
      await lessons.append(lifted, this.needs.clock());
    });
  }

  /**
   * Replaces the overrides of a project, or of the global lessons; values equal to their default are not
   * stored.
   *
   * @throws OssatureError INVALID_CONFIG naming key and range, or for what only the host may set.
   */
  async setPolicy(
    projectId: string | null,
    overrides: LessonSettingsInput,
  ): Promise<ResolvedLessonSettings> {
    if (projectId !== null) requireUlid(projectId, 'project_id');
    const stored = parseStoredSettings(overrides);
    await this.needs.unitOfWork(({ lessonPolicies }) => lessonPolicies.set(projectId, stored));
    return settingsFor(this.needs, projectId, undefined);
  }

  /**
   * Changes some settings that a project stores, or that the global lessons do; undefined takes one back.
   *
   * @throws OssatureError INVALID_ID, INVALID_CONFIG.
   */
  async changePolicy(
    projectId: string | null,
    changes: Readonly<Partial<Record<LessonSettingKey, unknown>>>,
  ): Promise<ResolvedLessonSettings> {
    if (projectId !== null) requireUlid(projectId, 'project_id');
    const given = parseStoredSettings(
      Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
    );
    // What equals its default is not stored, so it is taken back like what was said to be.
    const without = LESSON_SETTING_KEYS.filter((key) => key in changes && !(key in given));
    await this.needs.unitOfWork(({ lessonPolicies }) =>
      lessonPolicies.change(projectId, given, without),
    );
    return settingsFor(this.needs, projectId, undefined);
  }

  /** The settings in force, each with where it comes from. */
  policy(projectId: string | null, call?: LessonSettingsInput): Promise<ResolvedLessonSettings> {
    return settingsFor(this.needs, projectId, call);
  }

  /** The one lesson whose id begins so. @throws OssatureError NOT_FOUND; INVALID_ID where several do. */
  findByPrefix(prefix: string): Promise<string> {
    return onlyOne(prefix, 'lesson', (text, limit) =>
      this.needs.repositories.lessons.findByPrefix(text, limit),
    );
  }

  /** The one episode whose id begins so. @throws OssatureError NOT_FOUND; INVALID_ID where several do. */
  findEpisodeByPrefix(prefix: string): Promise<string> {
    return onlyOne(prefix, 'episode', (text, limit) =>
      this.needs.repositories.episodes.findByPrefix(text, limit),
    );
  }
}

/** @throws OssatureError INVALID_INPUT. */
export function pageOf({ limit = 50, after = null }: PageRequest) {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 500) return { limit, after };
  throw new OssatureError('INVALID_INPUT', `limit must be a whole number from 1 to 500.`, {
    details: { field: 'limit' },
  });
}
